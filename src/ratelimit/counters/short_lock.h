// SPDX-License-Identifier: Apache-2.0
// A lock of four bytes for what takes nanoseconds. Whoever does not get it looks again a little
// later, and naps when the holder seems to have lost its processor.
#pragma once

#include <atomic>
#include <cstdint>

namespace cairn::ratelimit {

/// Zeroed memory is an open lock. To unlock is one plain store, because nobody needs to be woken:
/// that is a sixth of a decision's time.
class ShortLock {
 public:
  bool try_lock() { return state_.exchange(1, std::memory_order_acquire) == 0; }
  void lock() {
    if (!try_lock()) wait();
  }
  void unlock() { state_.store(0, std::memory_order_release); }

 private:
  void wait();
  std::atomic<std::uint32_t> state_{0};
};

}  // namespace cairn::ratelimit
