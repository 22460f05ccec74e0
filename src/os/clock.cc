// SPDX-License-Identifier: Apache-2.0
// The machine's clocks.
#include "os/clock.h"

#include <chrono>

namespace cairn::os {
namespace {

namespace chrono = std::chrono;

class SystemClock final : public Clock {
 public:
  std::int64_t unix_ms() const override {
    return chrono::duration_cast<chrono::milliseconds>(
               chrono::system_clock::now().time_since_epoch())
        .count();
  }
  std::int64_t steady_ns() const override {
    return chrono::duration_cast<chrono::nanoseconds>(
               chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace cairn::os
