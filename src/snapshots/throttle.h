// SPDX-License-Identifier: Apache-2.0
// Holds copying down to a number of bytes a second.
#pragma once

#include <chrono>
#include <cstdint>

#include "os/deadline.h"

namespace cairn::snapshots {

/// Not safe from several threads. A rate of 0 holds nothing down.
class Throttle {
 public:
  explicit Throttle(std::uint64_t bytes_per_second) : rate_(bytes_per_second) {}

  /// How much to copy before the next spend(): small enough that a slow rate flows evenly.
  std::uint64_t step(std::uint64_t wanted) const {
    if (rate_ == 0) return wanted;
    const std::uint64_t tenth = rate_ / 10 + 1;
    return wanted < tenth ? wanted : tenth;
  }

  /// Waits until `bytes` more fit the rate. Errors: timeout or cancelled by the deadline.
  Status spend(std::uint64_t bytes, const os::Deadline& deadline) {
    CAIRN_CHECK(deadline.check("copying"));
    if (rate_ == 0) return ok_status();
    spent_ += bytes;
    const auto elapsed = std::chrono::steady_clock::now() - start_;
    const auto due = std::chrono::milliseconds(spent_ * 1000 / rate_);
    if (due > elapsed) {
      const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(due - elapsed);
      os::sleep_ms(wait.count(), deadline);
    }
    return deadline.check("copying");
  }

 private:
  std::uint64_t rate_;
  std::uint64_t spent_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace cairn::snapshots
