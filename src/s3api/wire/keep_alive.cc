// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/keep_alive.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <list>

#include "base/threads.h"
#include "os/threads/thread.h"
#include "s3api/call.h"
#include "s3api/wire/send.h"

namespace cairn::s3api {
namespace {

using Time = std::chrono::steady_clock::time_point;

}  // namespace

struct KeepAlive::Entry {
  Call& call;
  Time due;
  bool sending = false;  // the watch is at it; the keep_alive may not end
  Status failed = ok_status();
};

struct KeepAliveTimer::Impl {
  explicit Impl(std::int64_t interval_ms)
      : interval(std::chrono::milliseconds(std::max<std::int64_t>(interval_ms, 1))) {}

  void run() CAIRN_EXCLUDES(mutex) {
    MutexLock lock(mutex);
    while (!closing) {
      if (entries.empty()) {
        wakes_at = Time::max();
        changed.wait(lock);
        continue;
      }
      KeepAlive::Entry& first = *entries.front();  // all wait equally long
      if (first.due > std::chrono::steady_clock::now()) {
        wakes_at = first.due;
        changed.wait_until(lock, wakes_at);
        continue;
      }
      entries.pop_front();
      first.sending = true;
      lock.unlock();
      Status sent = send_keep_alive(first.call);
      lock.lock();
      first.sending = false;
      if (sent.ok()) {
        first.due = std::chrono::steady_clock::now() + interval;
        entries.push_back(&first);
      } else {
        first.failed = std::move(sent);
      }
      told.notify_all();
    }
  }

  const std::chrono::steady_clock::duration interval;
  Mutex mutex;
  std::condition_variable_any changed;                       // for the thread
  std::condition_variable_any told;                          // for keep_alives
  std::list<KeepAlive::Entry*> entries CAIRN_GUARDED_BY(mutex);  // by the time at which they are due
  Time wakes_at CAIRN_GUARDED_BY(mutex) = Time::min();
  bool closing CAIRN_GUARDED_BY(mutex) = false;
  os::Thread thread;
};

KeepAliveTimer::KeepAliveTimer(std::int64_t interval_ms)
    : impl_(std::make_unique<Impl>(interval_ms)) {
  impl_->thread =
      os::Thread::start_or_tell({.name = "signs-of-life"}, [impl = impl_.get()] { impl->run(); });
}

KeepAliveTimer::~KeepAliveTimer() {
  {
    const MutexLock lock(impl_->mutex);
    impl_->closing = true;
  }
  impl_->changed.notify_all();
  impl_->thread.join();
}

KeepAlive::KeepAlive(Call& call)
    : timer_(call.context.keep_alive_timer), entry_(new Entry{.call = call, .due = {}}) {
  KeepAliveTimer::Impl& timer = *timer_.impl_;
  entry_->due = std::chrono::steady_clock::now() + timer.interval;
  bool sleeps_longer = false;
  {
    const MutexLock lock(timer.mutex);
    timer.entries.push_back(entry_.get());
    sleeps_longer = timer.wakes_at > entry_->due;
  }
  if (sleeps_longer) timer.changed.notify_one();
}

KeepAlive::~KeepAlive() {
  KeepAliveTimer::Impl& timer = *timer_.impl_;
  MutexLock lock(timer.mutex);
  while (entry_->sending) timer.told.wait(lock);
  timer.entries.remove(entry_.get());
}

Status KeepAlive::check() const {
  const MutexLock lock(timer_.impl_->mutex);
  return entry_->failed;
}

}  // namespace cairn::s3api
