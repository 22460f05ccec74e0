// SPDX-License-Identifier: Apache-2.0
// Compares the two clocks once a second.
#include "ratelimit/counters/steady_wall.h"

#include <algorithm>
#include <cstdlib>

namespace cairn::ratelimit {
namespace {

constexpr std::int64_t tolerance_ns = 20 * ms_ns;  // the two clocks are not read at one instant

// The wall is read in whole milliseconds and may be almost one further. Never to be behind it
// matters more: who wakes at a reset must find the window open.
std::int64_t wall_ns(const os::Clock& clock) { return clock.unix_ms() * ms_ns + (ms_ns - 1); }

}  // namespace

SteadyWall::SteadyWall(const os::Clock& clock) : clock_(clock) {
  const std::int64_t steady_ns = clock_.steady_ns();
  offset_ns_ = wall_ns(clock_) - steady_ns;
  next_look_ns_ = steady_ns + second_ns;
}

void SteadyWall::look(std::int64_t steady_ns) {
  std::int64_t due = next_look_ns_.load();
  if (steady_ns < due || !next_look_ns_.compare_exchange_strong(due, steady_ns + second_ns))
    return;  // somebody else looks
  const std::int64_t offset = offset_ns_.load();
  const std::int64_t seen = wall_ns(clock_) - steady_ns;
  const bool ahead = seen > offset + second_ns;
  const bool behind = seen < offset - tolerance_ns;
  if (!ahead && !behind) {
    if (seen > offset) offset_ns_ = seen;
    behind_ms_ = 0;
    suspect_ns_ = 0;
    return;
  }
  const std::int64_t before = suspect_ns_.exchange(seen);
  if (before == 0 || std::llabs(before - seen) > tolerance_ns) return;
  if (ahead) {
    offset_ns_ = std::min(before, seen);
    behind_ms_ = 0;
    steps_.fetch_add(1);
  } else {
    const std::int64_t by_ms = (offset - seen) / ms_ns;
    if (std::llabs(by_ms - behind_ms_.exchange(by_ms)) > 20) steps_.fetch_add(1);
  }
}

}  // namespace cairn::ratelimit
