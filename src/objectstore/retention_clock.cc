// SPDX-License-Identifier: Apache-2.0
#include "objectstore/retention_clock.h"

#include <algorithm>
#include <cstdlib>

#include "os/log.h"

namespace cairn::objectstore {

void RetentionClock::begin(std::optional<std::int64_t> last_ms) {
  const std::lock_guard lock(mutex_);
  anchor_steady_ns_ = clock_.steady_ns();
  anchor_ms_ = last_ms.value_or(clock_.unix_ms());
  allowed_ms_ = last_ms ? stop_ms : step_ms;
  (void)now_locked();
  allowed_ms_ = step_ms;
}

std::int64_t RetentionClock::now_ms() {
  const std::lock_guard lock(mutex_);
  return now_locked();
}

std::int64_t RetentionClock::now_locked() {
  const std::int64_t wall = clock_.unix_ms();
  const std::int64_t steady = clock_.steady_ns();
  const std::int64_t expected = anchor_ms_ + (steady - anchor_steady_ns_) / 1'000'000;
  const std::int64_t ahead = wall - expected;
  const auto follow = [&] {
    anchor_ms_ = wall;
    anchor_steady_ns_ = steady;
    ahead_since_ns_.reset();
    return wall;
  };
  if (ahead <= allowed_ms_) {
    // A clock that was set back for a moment must not look like one that jumps when it returns.
    if (ahead >= -step_ms) return follow();
    ahead_since_ns_.reset();
    return wall;
  }
  if (!ahead_since_ns_ || std::abs(ahead - ahead_ms_) > step_ms) {
    ahead_since_ns_ = steady;
    ahead_ms_ = ahead;
    os::log(os::LogLevel::warn, "objectstore", "clock_jumped",
            {{"ahead_ms", ahead},
             {"reason",
              "retention and lifecycle rules go by the time before the jump until the "
              "clock has kept its course for 24 hours"}});
  }
  if ((steady - *ahead_since_ns_) / 1'000'000 >= settled_ms) return follow();
  return expected;
}

std::optional<std::int64_t> RetentionClock::save_due() {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = now_locked();
  if (std::abs(now - saved_ms_) < step_ms) return std::nullopt;
  saved_ms_ = now;
  return now;
}

}  // namespace cairn::objectstore
