// SPDX-License-Identifier: Apache-2.0
// How the intervals of a text are walked: in the order in which they begin and end, none within
// another, lazily, as Boldi and Vigna's "Efficient optimally lazy algorithms for minimal-interval
// semantics" has it and the field's engine does it.
#pragma once

#include "index/positions/interval_tree.h"
#include "index/positions/span_walk.h"

namespace cairn::index {

/// The intervals in one segment; null where there are none. `apart` of each is how many positions
/// in it are of none of its parts. Errors: those of reading; timeout.
Result<SpanWalkPtr> open_intervals(WordOpener& words, const IntervalNode& node);

}  // namespace cairn::index
