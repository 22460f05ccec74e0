// SPDX-License-Identifier: Apache-2.0
// The time that retention goes by: a clock that was set forward must not end it.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "os/clock.h"

namespace cairn::objectstore {

/// Follows the wall clock while that goes as the steady clock does. Where it is ahead of that by
/// more than `step_ms`, time goes on from where it was, until the wall clock has kept its new
/// course for `settled_ms`. Where it is behind, it is believed: that keeps longer.
/// Over a restart it goes on from the last time that was written down; a stop of more than
/// `stop_ms` looks as a jump does. Safe from any thread.
class RetentionClock {
 public:
  static constexpr std::int64_t step_ms = 60'000;
  static constexpr std::int64_t stop_ms = 3'600'000;
  static constexpr std::int64_t settled_ms = 24 * 3'600'000;

  /// `clock` outlives it. `last_ms`: what save_due() gave last, in any run.
  explicit RetentionClock(const os::Clock& clock) : clock_(clock) {}
  void begin(std::optional<std::int64_t> last_ms);
  std::int64_t now_ms();
  /// What to write down, where the last time was a minute ago.
  std::optional<std::int64_t> save_due();

 private:
  std::int64_t now_locked();
  const os::Clock& clock_;
  std::mutex mutex_;
  std::int64_t anchor_ms_ = 0;         // this was the time
  std::int64_t anchor_steady_ns_ = 0;  // at this moment
  std::int64_t allowed_ms_ = step_ms;
  std::optional<std::int64_t> ahead_since_ns_;
  std::int64_t ahead_ms_ = 0;
  std::int64_t saved_ms_ = 0;
};

}  // namespace cairn::objectstore
