// SPDX-License-Identifier: Apache-2.0
// The slow way into a lock.
#include "ratelimit/counters/short_lock.h"

#include <chrono>
#include <thread>

namespace cairn::ratelimit {

// Looks rarely, and more rarely each time: a holder that is left alone has its cache lines to
// itself for a few rounds, and all get more done than if they were pulled away after each.
void ShortLock::wait() {
  constexpr int looks = 12;
  constexpr int pauses_most = 64;
  constexpr std::chrono::microseconds nap{50};
  int pauses = 8;
  for (int look = 0;; ++look) {
    if (look < looks) {
      for (int i = 0; i < pauses; ++i) __builtin_ia32_pause();
      pauses = pauses < pauses_most ? pauses * 2 : pauses_most;
    } else {
      std::this_thread::sleep_for(nap);
    }
    if (state_.load(std::memory_order_relaxed) == 0 && try_lock()) return;
  }
}

}  // namespace cairn::ratelimit
