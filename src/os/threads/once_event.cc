// SPDX-License-Identifier: Apache-2.0
#include "os/threads/once_event.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

namespace cairn::os {

void OnceEvent::set() {
  if (state_.exchange(done, std::memory_order_acq_rel) != awaited) return;
  ::syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void OnceEvent::wait() {
  std::uint32_t state = state_.load(std::memory_order_acquire);
  while (state != done) {
    if (state == open && !state_.compare_exchange_strong(state, awaited, std::memory_order_acquire))
      continue;
    ::syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, awaited, nullptr, nullptr, 0);
    state = state_.load(std::memory_order_acquire);
  }
}

}  // namespace cairn::os
