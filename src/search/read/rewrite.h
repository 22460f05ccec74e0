// SPDX-License-Identifier: Apache-2.0
// The `rewrite` of queries that stand for many terms: how those are scored.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "search/reader.h"

namespace cairn::search {

struct Rewrite {
  bool constant = false;                 // every document scores the boost
  std::optional<std::size_t> most = {};  // so many terms, the best; scored as one term
};

/// Reads the member `name` of a fuzzy query; absent: top_terms_blended_freqs of as many as it
/// expands to. Errors: illegal_argument_exception for ways of scoring that are not offered.
Result<Rewrite> read_rewrite(Reader& in, std::string_view name);

/// Reads the `rewrite` of prefix and wildcard queries, which score every document the same.
/// Errors: illegal_argument_exception for other ways.
Status check_constant_rewrite(Reader& in);

}  // namespace cairn::search
