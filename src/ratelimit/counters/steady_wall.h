// SPDX-License-Identifier: Apache-2.0
// Wall time for windows: it does not go back when somebody sets the clock.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/clock.h"
#include "ratelimit/units.h"

namespace cairn::ratelimit {

/// Counts on by the steady clock, and looks at the wall clock once a second. A wall that went ahead
/// is followed: at once by up to a second, beyond that when a second look agrees. A wall that went
/// back is not; `behind_ms` then says by how much it is behind, for times that are shown.
/// Safe from any thread.
class SteadyWall {
 public:
  explicit SteadyWall(const os::Clock& clock);
  /// Milliseconds since 1970, not behind the wall clock; never less than what a call that ended
  /// before this one gave.
  std::int64_t now_ms() {
    const std::int64_t steady_ns = clock_.steady_ns();
    if (steady_ns >= next_look_ns_.load(std::memory_order_relaxed)) [[unlikely]]
      look(steady_ns);
    return (offset_ns_.load(std::memory_order_relaxed) + steady_ns) / ms_ns;
  }
  /// By how much a caller's clock is behind now_ms(); 0 where the difference is below 20 ms.
  std::int64_t behind_ms() const { return behind_ms_.load(std::memory_order_relaxed); }
  /// How often the wall clock jumped, either way.
  std::uint64_t steps() const { return steps_.load(std::memory_order_relaxed); }

 private:
  void look(std::int64_t steady_ns);
  const os::Clock& clock_;
  std::atomic<std::int64_t> offset_ns_{0};  // wall - steady; only grows
  std::atomic<std::int64_t> behind_ms_{0};
  std::atomic<std::int64_t> next_look_ns_{0};
  std::atomic<std::int64_t> suspect_ns_{0};  // the offset of the last look where it was odd, else 0
  std::atomic<std::uint64_t> steps_{0};
};

}  // namespace cairn::ratelimit
