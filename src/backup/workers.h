// SPDX-License-Identifier: Apache-2.0
// The same step for many extents at a time, most of which waits for a disk or a network.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>

#include "base/result.h"
#include "os/threads/pool.h"

namespace cairn::backup {

/// Threads of one backup. For one caller at a time.
class Workers {
 public:
  explicit Workers(std::size_t count)
      : pool_({.name = "backup", .threads = count, .queue = 1024, .nice = 5}) {}

  /// Calls `step(i)` for each i in [0, count) until one fails; the first error.
  Status for_each(std::size_t count, const std::function<Status(std::size_t)>& step) {
    std::mutex mutex;
    std::optional<Error> failure;
    std::atomic<bool> failed{false};
    pool_.for_each(count, [&](std::size_t i) {
      if (failed) return;
      Status done = step(i);
      if (done.ok()) return;
      failed = true;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::move(done).error();
    });
    if (failure) return *failure;
    return ok_status();
  }

 private:
  os::Pool pool_;
};

}  // namespace cairn::backup
