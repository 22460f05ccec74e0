// SPDX-License-Identifier: Apache-2.0
#include "index/dates/date_table.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace cairn::index {

DateTable DateTable::make(const DateSteps& steps, std::int64_t least, std::int64_t greatest,
                          std::size_t most) {
  // Far from what clocks show, sums of milliseconds may pass the end of their numbers.
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max() / 8;
  if (most == 0 || least > greatest || least < -far || greatest > far || steps.fixed_ms > far ||
      steps.shift_ms < -far || steps.shift_ms > far)
    return {};
  const auto range = static_cast<std::uint64_t>(greatest - least);
  DateTable out;
  std::int64_t start = steps.key(least);
  while (start <= greatest) {
    const std::int64_t next = steps.next(start);
    // Keys ascend with their moments: where both ends of a step have its key, all of it has.
    if (next <= start || steps.key(start) != start || steps.key(next - 1) != start) return {};
    out.starts_.push_back(start);
    const bool too_many = range / static_cast<std::uint64_t>(next - start) > 2 * most;
    if (out.starts_.size() > most || too_many) return {};
    start = next;
  }
  if (out.starts_.empty() || out.starts_.front() > least) return {};
  out.starts_.push_back(start);
  std::int64_t shortest = far;
  for (std::size_t i = 0; i + 1 < out.starts_.size(); ++i)
    shortest = std::min(shortest, out.starts_[i + 1] - out.starts_[i]);
  out.shift_ = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(shortest))) - 1;
  // Steps that the clocks cut short would make many cells.
  constexpr std::size_t cells_of_step = 16;
  const auto cells = static_cast<std::size_t>(range >> out.shift_) + 1;
  if (cells > cells_of_step * out.starts_.size()) return {};
  std::uint32_t at = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::int64_t first = least + static_cast<std::int64_t>(cell << out.shift_);
    while (out.starts_[at + 1] <= first) ++at;
    out.cells_.push_back(at);
  }
  out.least_ = least;
  out.greatest_ = greatest;
  return out;
}

}  // namespace cairn::index
