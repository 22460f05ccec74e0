// SPDX-License-Identifier: Apache-2.0
// The slow way into a lock.
#include "ratelimit/short_lock.h"

namespace cairn::ratelimit {

void ShortLock::wait() {
  constexpr int spins = 100;  // about what a holder needs, several times over
  for (int i = 0; i < spins; ++i) {
    __builtin_ia32_pause();
    if (state_.load(std::memory_order_relaxed) == 0 && try_lock()) return;
  }
  while (state_.exchange(contended, std::memory_order_acquire) != 0)
    state_.wait(contended, std::memory_order_relaxed);
}

}  // namespace cairn::ratelimit
