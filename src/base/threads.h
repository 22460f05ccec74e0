// SPDX-License-Identifier: Apache-2.0
// Lock annotations that clang's -Wthread-safety checks, and a mutex that carries them.
#pragma once

#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#if defined(__clang__)
#define CAIRN_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define CAIRN_THREAD_ATTRIBUTE(x)
#endif

#define CAIRN_GUARDED_BY(x) CAIRN_THREAD_ATTRIBUTE(guarded_by(x))
#define CAIRN_REQUIRES(...) CAIRN_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define CAIRN_EXCLUDES(...) CAIRN_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))

namespace cairn {

/// std::mutex that clang's analysis knows.
class CAIRN_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void lock() CAIRN_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  void unlock() CAIRN_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  bool try_lock() CAIRN_THREAD_ATTRIBUTE(try_acquire_capability(true)) { return mutex_.try_lock(); }

 private:
  std::mutex mutex_;
};

/// Holds a Mutex for a scope. Works with std::condition_variable_any through lock()/unlock().
class CAIRN_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) CAIRN_THREAD_ATTRIBUTE(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() CAIRN_THREAD_ATTRIBUTE(release_capability()) {
    if (held_) mutex_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  void unlock() CAIRN_THREAD_ATTRIBUTE(release_capability()) { held_ = false, mutex_.unlock(); }
  void lock() CAIRN_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(), held_ = true; }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

}  // namespace cairn
