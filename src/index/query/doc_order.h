// SPDX-License-Identifier: Apache-2.0
// Hits in the order of the index: nothing is sorted, and a page costs what it passes over.
#pragma once

#include <cstdint>
#include <vector>

#include "index/query/plan.h"

namespace cairn::index {

/// True for a search that asks for documents in the order of the index and for nothing that every
/// match has to be looked at for.
bool walks_in_order(const SearchParams& params);

struct OrderedHits {
  std::vector<Hit> hits;    // at most from + size
  std::uint64_t count = 0;  // of matches passed: all, or more than track_total_hits
};

/// Walks the documents that `plan` matches until the page is full and enough is counted; what lies
/// before the cursor of search_after is skipped where nothing is left to count. `post_filter` may
/// be null. Errors: timeout, cancelled; reading's; illegal_argument_exception for a cursor that is
/// no number.
Result<OrderedHits> walk_in_order(const QueryContext& context, const SearchParams& params,
                                  const Plan& plan, const Plan* post_filter);

}  // namespace cairn::index
