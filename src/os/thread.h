// SPDX-License-Identifier: Apache-2.0
// A thread that may fail to start, which std::thread tells by ending the process.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "base/result.h"

namespace cairn::os {

struct ThreadOptions {
  std::string name;             // the kernel keeps 15 bytes
  std::size_t stack_bytes = 0;  // 0: the system's default
  int nice = 0;                 // 1 to 19: gives way to threads that have less
};

/// One thread, joined by the destructor. Signals go to other threads as they did to its creator.
class Thread {
 public:
  Thread() = default;
  /// Errors: unavailable where the system has no memory or no room for one more thread.
  static Result<Thread> start(const ThreadOptions& options, std::function<void()> body);
  ~Thread() { join(); }
  Thread(Thread&& other) noexcept
      : id_(other.id_), joinable_(std::exchange(other.joinable_, false)) {}
  Thread& operator=(Thread&& other) noexcept {
    join();
    id_ = other.id_;
    joinable_ = std::exchange(other.joinable_, false);
    return *this;
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  bool joinable() const { return joinable_; }
  pthread_t id() const { return id_; }
  void join();

 private:
  explicit Thread(pthread_t id) : id_(id), joinable_(true) {}
  pthread_t id_{};
  bool joinable_ = false;
};

}  // namespace cairn::os
