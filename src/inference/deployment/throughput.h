// SPDX-License-Identifier: Apache-2.0
// Counts of the running minute, of the one before, and of the best. Not synchronised.
#pragma once

#include <algorithm>
#include <cstdint>

namespace cairn::inference {

class Throughput {
 public:
  /// `now_ns` never goes back.
  void add(std::int64_t now_ns, std::uint64_t inputs, std::int64_t busy_ns) {
    roll(now_ns);
    running_.inputs += inputs;
    running_.busy_ns += busy_ns;
    peak_ = std::max(peak_, running_.inputs);
  }
  std::uint64_t peak_per_minute() const { return peak_; }
  std::uint64_t last_minute(std::int64_t now_ns) {
    roll(now_ns);
    return last_.inputs;
  }
  /// Milliseconds for one input of the last whole minute; 0 where it had none.
  double last_minute_ms(std::int64_t now_ns) {
    roll(now_ns);
    return last_.inputs == 0
               ? 0
               : static_cast<double>(last_.busy_ns) / 1e6 / static_cast<double>(last_.inputs);
  }

 private:
  struct Minute {
    std::uint64_t inputs = 0;
    std::int64_t busy_ns = 0;
  };
  void roll(std::int64_t now_ns) {
    const std::int64_t minute = now_ns / 60'000'000'000;
    if (minute == minute_) return;
    last_ = minute == minute_ + 1 ? running_ : Minute{};
    running_ = {};
    minute_ = minute;
  }

  std::int64_t minute_ = 0;
  Minute running_;
  Minute last_;
  std::uint64_t peak_ = 0;
};

}  // namespace cairn::inference
