// SPDX-License-Identifier: Apache-2.0
// A thread that may fail to start, which std::thread tells by ending the process. Nothing outside
// this room starts threads in another way; a test sees to that.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/result.h"

namespace cairn::os {

struct ThreadOptions {
  std::string name;             // the kernel keeps 15 bytes
  std::size_t stack_bytes = 0;  // 0: the system's default
  int nice = 0;                 // 1 to 19: gives way to threads that have less
};

/// One thread, asked to stop and joined by the destructor. Signals go to other threads as they did
/// to its creator.
class Thread {
 public:
  using Stoppable = std::function<void(std::stop_token)>;

  Thread() = default;
  /// Errors: unavailable where the system has no memory or no room for one more thread.
  static Result<Thread> start(const ThreadOptions& options, std::function<void()> body);
  /// `body` ends soon after its token says so.
  static Result<Thread> start_stoppable(const ThreadOptions& options, Stoppable body);
  /// As the two, for work that others do, or nobody misses for a while, where no thread can be had:
  /// then the log says so, and the thread is not joinable.
  static Thread start_or_tell(const ThreadOptions& options, std::function<void()> body);
  static Thread start_stoppable_or_tell(const ThreadOptions& options, Stoppable body);
  /// Of nobody: for a call into a library that knows no deadline. What `body` needs it owns.
  static Status start_alone(const ThreadOptions& options, std::function<void()> body);
  ~Thread() { end(); }
  Thread(Thread&& other) noexcept
      : id_(other.id_),
        joinable_(std::exchange(other.joinable_, false)),
        stop_(std::move(other.stop_)) {}
  Thread& operator=(Thread&& other) noexcept {
    end();
    id_ = other.id_;
    joinable_ = std::exchange(other.joinable_, false);
    stop_ = std::move(other.stop_);
    return *this;
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  bool joinable() const { return joinable_; }
  pthread_t id() const { return id_; }
  void request_stop() { stop_.request_stop(); }
  void join();

 private:
  explicit Thread(pthread_t id) : id_(id), joinable_(true) {}
  void end();
  pthread_t id_{};
  bool joinable_ = false;
  std::stop_source stop_{std::nostopstate};
};

}  // namespace cairn::os
