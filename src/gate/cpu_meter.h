// SPDX-License-Identifier: Apache-2.0
// How much CPU time one request took on its thread, at a cost that nobody notices.
#pragma once

#include <cstdint>

namespace cairn::gate {

/// Begins and ends on one thread; another may begin in between and end first.
///
/// Reading a thread's CPU clock is a system call of 0.2 to 7 µs, by machine: far more than the
/// decision that it serves. So only a long request reads it. A short one is charged the time that
/// it lasted, by the steady clock, since it cannot have computed for longer. "Short" means at most
/// a hundred readings of the CPU clock (20 µs to 1 ms here), so that no request spends more than a
/// hundredth of its time on being measured. Work in pools is always
/// counted as it was measured.
class CpuMeter {
 public:
  /// `now_ns` of os::system_clock().steady_ns(); 0 asks it.
  void begin(std::int64_t now_ns = 0);
  /// Nanoseconds since begin(), pools included; 0 where it did not begin.
  std::int64_t end(std::int64_t now_ns = 0);

  /// Requests that last less than this are not asked for the thread's clock.
  static std::int64_t short_ns();

 private:
  std::int64_t began_ns_ = 0;
  std::int64_t thread_ns_ = 0;  // what the thread had taken then, or a little less
  std::int64_t pool_ns_ = 0;
};

}  // namespace cairn::gate
