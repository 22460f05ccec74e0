// SPDX-License-Identifier: Apache-2.0
// Leaving out the tokens of a sparse query that say little.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/query/plan.h"

namespace cairn::index {

using TokenWeights = std::vector<std::pair<std::string, float>>;

/// The tokens of the query that its pruning leaves. Frequencies are those of the view, deleted
/// documents with them; distinct tokens are counted in the segment that has most. Errors:
/// illegal_argument_exception for a weight that is not greater than 0; reading's.
Result<TokenWeights> scored_tokens(const QueryContext& context, const SparseQuery& query);

}  // namespace cairn::index
