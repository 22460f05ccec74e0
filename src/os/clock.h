// SPDX-License-Identifier: Apache-2.0
// What time it is: wall time for records, steady time for waiting. Tests move a FakeClock by hand.
#pragma once

#include <atomic>
#include <cstdint>

namespace cairn::os {

/// Safe from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t unix_ms() const = 0;    // milliseconds since 1970, UTC; may jump
  virtual std::int64_t steady_ns() const = 0;  // nanoseconds since some start; never goes back
};

/// The machine's clocks. One for the process.
const Clock& system_clock();

/// Stands still until told.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(std::int64_t unix_ms = 1'700'000'000'000) : unix_ms_(unix_ms) {}
  std::int64_t unix_ms() const override { return unix_ms_.load(); }
  std::int64_t steady_ns() const override { return steady_ns_.load(); }
  void advance_ms(std::int64_t ms) {
    unix_ms_ += ms;
    steady_ns_ += ms * 1'000'000;
  }

 private:
  std::atomic<std::int64_t> unix_ms_;
  std::atomic<std::int64_t> steady_ns_{1};
};

}  // namespace cairn::os
