// SPDX-License-Identifier: Apache-2.0
// Where requests compute that take more than about a millisecond: as many at once as there are
// cores, at a lower priority than those that answer at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/deadline.h"

namespace cairn::os {

struct ComputePoolOptions {
  std::string name = "compute";
  std::size_t slots = 0;          // tasks that compute at once; 0: as many as cores
  std::size_t threads_max = 256;  // tasks that have begun: those that wait lend their slot
  std::size_t queue = 512;        // tasks that may wait for a slot
  std::size_t stack_bytes = 1 << 20;
  int nice = 5;                   // of its threads: a waking worker of a server goes before them
  std::int64_t idle_ms = 10'000;  // a thread beyond the slots ends after so long
};

/// What a pool does now, and did since it began.
struct ComputePoolFigures {
  std::size_t slots = 0;
  std::size_t threads = 0;    // now
  std::size_t computing = 0;  // tasks that hold a slot
  std::size_t waiting = 0;    // tasks without a slot yet
  std::size_t queue = 0;      // that may wait
  std::uint64_t completed = 0;
  std::uint64_t refused = 0;  // for want of room in the queue
};

/// Threads start when they are needed and are joined by the destructor. A task may wait for a disk,
/// a peer or an os::Pool: under os::Blocking it lends its slot to the next task. It must not wait
/// for another task of the same pool, but may call run(), which then runs in place.
class ComputePool {
 public:
  explicit ComputePool(ComputePoolOptions options = {});
  ~ComputePool();
  ComputePool(const ComputePool&) = delete;
  ComputePool& operator=(const ComputePool&) = delete;

  /// Runs a task on the pool and waits for it, from the first moment inside a Blocking guard. What
  /// it took of CPU time, pools that it asked included, is added to pool_cpu_ns() of the caller.
  /// Where no thread at all can be had, the task runs on the calling thread.
  /// Errors, all before the task has begun: unavailable (the queue is full, or the pool closes);
  /// timeout or cancelled. A task that has begun is waited for: it asks the deadline itself.
  Status run(const std::function<void()>& task, const Deadline& deadline);

  /// Calls `body(i)` for each i in [0, count), on this thread and on as many others as slots are
  /// free now; those go back to the pool as soon as a task waits for a slot. What they took of CPU
  /// time is added to pool_cpu_ns() of the caller. Blocks until all parts are done; what one throws
  /// is thrown here, and the rest does not begin. For callers on the pool and on other threads.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& body);

  /// This thread is one of a compute pool.
  static bool is_here();

  std::size_t slots() const;
  std::size_t threads() const;    // now
  std::size_t waiting() const;    // tasks without a slot yet
  std::size_t computing() const;  // tasks that hold a slot now
  ComputePoolFigures figures() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::os
