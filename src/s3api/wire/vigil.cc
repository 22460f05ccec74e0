// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/vigil.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <list>
#include <thread>

#include "base/threads.h"
#include "s3api/call.h"
#include "s3api/wire/send.h"

namespace cairn::s3api {
namespace {

using Time = std::chrono::steady_clock::time_point;

}  // namespace

struct Vigil::Entry {
  Call& call;
  Time due;
  bool sending = false;  // the watch is at it; the vigil may not end
  Status failed = ok_status();
};

struct Watch::Impl {
  explicit Impl(std::int64_t interval_ms)
      : interval(std::chrono::milliseconds(std::max<std::int64_t>(interval_ms, 1))) {}

  void run() CAIRN_EXCLUDES(mutex) {
    pthread_setname_np(pthread_self(), "signs-of-life");
    MutexLock lock(mutex);
    while (!closing) {
      if (entries.empty()) {
        wakes_at = Time::max();
        changed.wait(lock);
        continue;
      }
      Vigil::Entry& first = *entries.front();  // all wait equally long
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
  std::condition_variable_any told;                          // for vigils
  std::list<Vigil::Entry*> entries CAIRN_GUARDED_BY(mutex);  // by the time at which they are due
  Time wakes_at CAIRN_GUARDED_BY(mutex) = Time::min();
  bool closing CAIRN_GUARDED_BY(mutex) = false;
  std::thread thread;
};

Watch::Watch(std::int64_t interval_ms) : impl_(std::make_unique<Impl>(interval_ms)) {
  impl_->thread = std::thread([impl = impl_.get()] { impl->run(); });
}

Watch::~Watch() {
  {
    const MutexLock lock(impl_->mutex);
    impl_->closing = true;
  }
  impl_->changed.notify_all();
  impl_->thread.join();
}

Vigil::Vigil(Call& call) : watch_(call.around.watch), entry_(new Entry{.call = call, .due = {}}) {
  Watch::Impl& watch = *watch_.impl_;
  entry_->due = std::chrono::steady_clock::now() + watch.interval;
  bool sleeps_longer = false;
  {
    const MutexLock lock(watch.mutex);
    watch.entries.push_back(entry_.get());
    sleeps_longer = watch.wakes_at > entry_->due;
  }
  if (sleeps_longer) watch.changed.notify_one();
}

Vigil::~Vigil() {
  Watch::Impl& watch = *watch_.impl_;
  MutexLock lock(watch.mutex);
  while (entry_->sending) watch.told.wait(lock);
  watch.entries.remove(entry_.get());
}

Status Vigil::check() const {
  const MutexLock lock(watch_.impl_->mutex);
  return entry_->failed;
}

}  // namespace cairn::s3api
