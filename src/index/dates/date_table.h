// SPDX-License-Identifier: Apache-2.0
// The steps of a date histogram looked up in a table: for many moments in a bounded time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "index/dates/date_steps.h"

namespace cairn::index {

/// Gives what DateSteps::key gives, for moments of a range. Immutable.
class DateTable {
 public:
  /// Covers nothing.
  DateTable() = default;
  /// Covers [least, greatest], or nothing where that has more steps than `most`, or steps that a
  /// table cannot tell.
  static DateTable make(const DateSteps& steps, std::int64_t least, std::int64_t greatest,
                        std::size_t most);

  bool covers(std::int64_t least, std::int64_t greatest) const {
    return least >= least_ && greatest <= greatest_;
  }
  /// The number of the step that `ms`, which must be covered, is in.
  std::size_t step(std::int64_t ms) const {
    const std::size_t at = cells_[static_cast<std::size_t>((ms - least_) >> shift_)];
    return at + (starts_[at + 1] <= ms ? 1 : 0);
  }
  std::int64_t start(std::size_t step) const { return starts_[step]; }

 private:
  std::int64_t least_ = INT64_MAX, greatest_ = INT64_MIN;
  unsigned shift_ = 0;
  std::vector<std::int64_t> starts_;  // of all steps, and of the one behind
  std::vector<std::uint32_t> cells_;  // the step of each cell's first moment; no cell is longer
                                      // than a step
};

}  // namespace cairn::index
