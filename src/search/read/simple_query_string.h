// SPDX-License-Identifier: Apache-2.0
// The mini-language of simple_query_string: words, + | - "…" word* word~N (…), and no error ever.
#pragma once

#include <string_view>

#include "base/result.h"
#include "search/read/query_string.h"

namespace cairn::search {

/// Signs are read from left to right, each between what is before it, all together, and what comes
/// next: "a b + c" is (a or b) and c. Of several fields all count. Errors:
/// illegal_argument_exception for more clauses than are allowed.
Result<index::Query> parse_simple_query_string(std::string_view text,
                                               const QueryStringOptions& options);

}  // namespace cairn::search
