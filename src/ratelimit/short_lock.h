// SPDX-License-Identifier: Apache-2.0
// A lock of four bytes for what takes nanoseconds: spins a little, then sleeps in the kernel, so
// that a holder who lost the processor does not make others burn theirs.
#pragma once

#include <atomic>
#include <cstdint>

namespace cairn::ratelimit {

/// Zeroed memory is an open lock.
class ShortLock {
 public:
  bool try_lock() {
    std::uint32_t open = 0;
    return state_.compare_exchange_strong(open, held, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void lock() {
    if (!try_lock()) wait();
  }
  void unlock() {
    if (state_.exchange(0, std::memory_order_release) == contended) state_.notify_one();
  }

 private:
  static constexpr std::uint32_t held = 1;
  static constexpr std::uint32_t contended = 2;  // and somebody may sleep
  void wait();
  std::atomic<std::uint32_t> state_{0};
};

}  // namespace cairn::ratelimit
