// SPDX-License-Identifier: Apache-2.0
// Where the work of one part of a task computes, and what that takes.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <utility>

#include "base/result.h"
#include "tasks/ground.h"
#include "tasks/options.h"
#include "tasks/task.h"

namespace cairn::tasks {

/// Whose work it is.
struct Worker {
  std::stop_token stopped;    // it is given up
  std::stop_token suspended;  // the process ends
  std::function<void(std::int64_t ns)> add_cpu = {};
};

/// One thread. What it is made of outlives it.
class TaskCompute {
 public:
  TaskCompute(Worker worker, const Ground& ground, const Options& options)
      : worker_(std::move(worker)), ground_(ground), options_(options) {}
  TaskCompute(Task& task, const Ground& ground, const Options& options)
      : TaskCompute({.stopped = task.stopped(),
                     .suspended = task.suspended(),
                     .add_cpu = [&task](std::int64_t ns) { task.add_cpu(ns); }},
                    ground, options) {}

  /// Runs a body in the pool, and counts its CPU time; where there is no room, again in a moment.
  /// Errors: unavailable, where there is none for long; cancelled, where the process ends.
  Status run(const std::function<void()>& body);
  /// Sleeps before another attempt, longer each time. False: the task is stopped.
  bool wait_for_turn(std::size_t attempt);
  /// CPU time that nobody was charged for yet.
  std::int64_t& unpaid_ns() { return unpaid_ns_; }

 private:
  const Worker worker_;
  const Ground& ground_;
  const Options& options_;
  std::int64_t unpaid_ns_ = 0;
};

}  // namespace cairn::tasks
