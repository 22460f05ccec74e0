// SPDX-License-Identifier: Apache-2.0
// The search of a range of one segment for a few terms.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.h"
#include "index/profile.h"
#include "index/query/parts.h"
#include "index/query/top_terms.h"
#include "index/query/view_state.h"

namespace cairn::index {

inline constexpr std::size_t searched_terms_max = 64;  // more go the plain way
/// Documents that are looked at together; ranges are made of whole windows.
inline constexpr std::uint32_t window_docs = 4096;  // 64 words of 64 bits

/// A threshold that searches of parts of a view raise for each other.
using SharedFloor = std::atomic<float>;

/// Where a search puts what it finds. Those of one thread share a list and a count; those of
/// several have their own, and a floor (null: none).
struct RangeFindings {
  const Narrowed& narrowed;
  std::uint64_t count_limit;
  TopScores& top;
  HitCount& count;
  SharedFloor* floor;
  StepWatch* opening;  // ends where the terms are open; null: nothing is measured
};

/// Adds the best documents of the range, and counts, as top_terms() does for a view. Errors: those
/// of reading; timeout, cancelled; corrupt.
Status search_range(const QueryContext& context, const TermsShape& shape, const DocRange& range,
                    const RangeFindings& findings);

}  // namespace cairn::index
