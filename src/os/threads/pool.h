// SPDX-License-Identifier: Apache-2.0
// A bounded pool of threads for work that computes: models, merges, large queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/deadline.h"

namespace cairn::os {

struct PoolOptions {
  std::string name = "pool";
  std::size_t threads = 0;   // 0: as many as cores
  std::size_t queue = 1024;  // tasks that may wait
  int nice = 0;              // 1 to 19: gives way to threads that have less
  std::size_t stack_bytes = 0;  // 0: the system's default
};

/// Threads are started by the constructor and joined by the destructor, which lets queued tasks
/// finish. Where the system refuses threads there are fewer, which started() tells; without any,
/// submit() and run() are refused and for_each() works on the calling thread alone. A task must
/// not wait for another task of the same pool, nor for the network.
class Pool {
 public:
  explicit Pool(PoolOptions options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Why there are fewer threads than were asked for; success where there are all.
  const Status& started() const;

  /// Queues a task. Errors: unavailable when the queue is full, the pool is closing or has no
  /// thread.
  Status submit(std::function<void()> task);

  /// Runs a task on the pool and waits for it (inside a Blocking guard). The CPU time that it took
  /// is added to `charged_cpu_ns()` of the calling thread.
  /// Errors: unavailable as for submit; timeout or cancelled, only before the task has begun.
  Status run(const std::function<void()>& task, const Deadline& deadline);

  /// Calls `body(i)` for each i in [0, count), on the pool's threads and on this one. Blocks.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& body);

  std::size_t threads() const;
  std::size_t waiting() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// CPU time of this thread, and of pool work charged to it, in nanoseconds.
std::int64_t thread_cpu_ns();
std::int64_t charged_cpu_ns();
/// The second part alone: of pool work charged to this thread. Asks no clock.
std::int64_t pool_cpu_ns();
/// Adds CPU time that another thread spent for this one, as run() and for_each() do: for those who
/// submit() and wait by themselves.
void charge_pool_cpu(std::int64_t ns);

/// The CPU clock of one thread, for others to read while that thread lives.
class ThreadCpuClock {
 public:
  static ThreadCpuClock of_this_thread();
  std::int64_t read_ns() const;

 private:
  int id_ = 0;  // a clockid_t
};

}  // namespace cairn::os
