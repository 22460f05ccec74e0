// SPDX-License-Identifier: Apache-2.0
#include "tasks/task_compute.h"

#include <algorithm>

#include "os/threads/pool.h"

namespace cairn::tasks {

Status TaskCompute::run(const std::function<void()>& body) {
  const auto deadline = os::Deadline::never(worker_.suspended);
  for (std::size_t attempt = 1;; ++attempt) {
    const std::int64_t before = os::pool_cpu_ns();
    Status ran = ok_status();
    if (ground_.compute != nullptr)
      ran = ground_.compute->run(body, deadline);
    else
      body();
    const std::int64_t took = os::pool_cpu_ns() - before;
    worker_.add_cpu(took);
    unpaid_ns_ += took;
    if (ran.ok() || ran.error().kind != ErrorKind::unavailable) return ran;
    if (attempt >= options_.write_attempts || !wait_for_turn(attempt)) return ran;
  }
}

bool TaskCompute::wait_for_turn(std::size_t attempt) {
  const std::int64_t ms = std::min(
      options_.longest_wait_ms, options_.first_wait_ms << std::min<std::size_t>(attempt - 1, 20));
  return os::sleep_ms(ms, os::Deadline::never(worker_.stopped));
}

}  // namespace cairn::tasks
