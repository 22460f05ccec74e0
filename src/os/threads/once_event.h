// SPDX-License-Identifier: Apache-2.0
// Something that happens once, and threads that sleep until it has.
#pragma once

#include <atomic>
#include <cstdint>

namespace cairn::os {

/// Four bytes. Whoever waits sleeps at once (futex(2)): std::atomic's wait() gives its processor
/// away a few times before, which costs more than it saves where what is awaited is a disk.
/// Must outlive the call of set().
class OnceEvent {
 public:
  /// Wakes all who wait. What was written before is seen by those who come back from wait().
  void set();
  /// Blocks until set(); returns at once after it.
  void wait();

 private:
  enum State : std::uint32_t { open, awaited, done };
  std::atomic<std::uint32_t> state_{open};
};

}  // namespace cairn::os
