// SPDX-License-Identifier: Apache-2.0
// The terms that a query stands for, one by one: where each has a place of its own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/query.h"
#include "index/query/view_state.h"

namespace cairn::index {

/// The terms of `field` that a prefix, wildcard, regexp, range or fuzzy query stands for, in all
/// segments; they count as clauses. `field` is the one that the query names. `too_many` is the
/// error where they are more than a query may have clauses. Errors: also those of the queries.
Result<std::vector<std::string>> terms_of_query(const QueryContext& context, const Field& field,
                                                const Query& query, const Error& too_many);

}  // namespace cairn::index
