// SPDX-License-Identifier: Apache-2.0
// Several threads that take items from one source.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "os/deadline.h"
#include "os/threads/thread.h"

namespace cairn::cli {

/// Calls `next` from one thread at a time, and `step` from up to `threads`, until `next` gives
/// nothing more or fails, or the deadline passes. Errors: those of `next`; cancelled, timeout.
template <class Item>
Status run_each(int threads, const os::Deadline& deadline,
                const std::function<Result<std::optional<Item>>()>& next,
                const std::function<void(Item& item)>& step) {
  Mutex mutex;
  bool over = false;
  std::optional<Error> failure;
  const auto take = [&]() -> std::optional<Item> {
    MutexLock lock(mutex);
    if (over) return std::nullopt;
    const Status open = deadline.check("working");
    Result<std::optional<Item>> item =
        open.ok() ? next() : Result<std::optional<Item>>(open.error());
    if (!item.ok()) failure = item.error();
    over = !item.ok() || !*item;
    return over ? std::nullopt : *std::move(item);
  };
  const auto work = [&] {
    while (auto item = take()) step(*item);
  };
  {
    std::vector<os::Thread> others;
    // As many as the system gives: each takes what is next.
    for (int i = 1; i < threads && (i == 1 || others.back().joinable()); ++i)
      others.push_back(os::Thread::start_or_tell({.name = "objects"}, work));
    work();
  }
  return failure ? Status(*failure) : ok_status();
}

}  // namespace cairn::cli
