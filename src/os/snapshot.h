// SPDX-License-Identifier: Apache-2.0
// An immutable value that readers take without a lock and one writer replaces.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace cairn::os {

/// Readers keep the last value that they saw in thread-local storage and look at one number to know
/// whether it still holds; only the first read after a change takes the lock. A thread that never
/// reads again keeps one old value alive.
template <class T>
class Snapshot {
 public:
  explicit Snapshot(std::shared_ptr<const T> value)
      : serial_(next_serial()), value_(std::move(value)) {}

  /// The value of this moment. The reference is good until this thread reads again.
  const std::shared_ptr<const T>& read() const {
    thread_local Seen seen;
    const std::uint64_t version = version_.load(std::memory_order_acquire);
    if (seen.serial != serial_ || seen.version != version) {
      const std::lock_guard lock(mutex_);
      seen = {serial_, version_.load(std::memory_order_relaxed), value_};
    }
    return seen.value;
  }

  void replace(std::shared_ptr<const T> value) {
    const std::lock_guard lock(mutex_);
    value_.swap(value);  // the old one is dropped after the lock
    version_.fetch_add(1, std::memory_order_release);
  }

 private:
  struct Seen {
    std::uint64_t serial = 0;
    std::uint64_t version = 0;
    std::shared_ptr<const T> value = {};
  };
  static std::uint64_t next_serial() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  const std::uint64_t serial_;  // tells two snapshots at one address apart
  std::atomic<std::uint64_t> version_{1};
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace cairn::os
