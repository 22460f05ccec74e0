// SPDX-License-Identifier: Apache-2.0
// Work that all who wait for it share, and that begins after each of them came.
#pragma once

#include <condition_variable>
#include <cstdint>

#include "base/result.h"
#include "base/threads.h"
#include "os/deadline.h"
#include "os/threads/blocking.h"

namespace cairn::os {

/// Rounds of some work, one at a time. Safe from any thread.
class SharedRound {
 public:
  /// Returns once a round has ended that began after this call did: of this thread, or of another
  /// one. Errors: those of the round; timeout and cancelled, where `deadline` comes first.
  template <class Work>
  Status run(const Deadline& deadline, const Work& work) CAIRN_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    // One that is under way may have read what this call must see changed.
    const std::uint64_t wanted = begun_ + 1;
    const auto has_answer = [&]() CAIRN_REQUIRES(mutex_) {
      return ended_ >= wanted && (last_.ok() || !is_of_its_deadline(last_.error()));
    };
    bool in_time = true;
    {
      const Blocking blocking;
      in_time = wait(changed_, lock, deadline,
                     [&]() CAIRN_REQUIRES(mutex_) { return has_answer() || ended_ == begun_; });
    }
    if (has_answer()) return last_;
    if (!in_time) {
      CAIRN_CHECK(deadline.check("waiting for what another process has written"));
      return Error{.kind = ErrorKind::timeout,
                   .message = "what another process has written was not read in time"};
    }
    const std::uint64_t mine = ++begun_;
    lock.unlock();
    Status done = work();
    lock.lock();
    ended_ = mine;
    last_ = done;
    changed_.notify_all();
    return done;
  }

 private:
  // Of the one that led the round: others have time left.
  static bool is_of_its_deadline(const Error& error) {
    return error.kind == ErrorKind::timeout || error.kind == ErrorKind::cancelled;
  }

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t begun_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::uint64_t ended_ CAIRN_GUARDED_BY(mutex_) = 0;
  Status last_ CAIRN_GUARDED_BY(mutex_) = ok_status();
};

}  // namespace cairn::os
