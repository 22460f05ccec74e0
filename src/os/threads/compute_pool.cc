// SPDX-License-Identifier: Apache-2.0
// Slots, a queue in order of arrival, and threads on demand.
#include "os/threads/compute_pool.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <vector>

#include "base/threads.h"
#include "os/cpu.h"
#include "os/log.h"
#include "os/threads/blocking.h"
#include "os/threads/pool.h"
#include "os/threads/thread.h"

namespace cairn::os {
namespace {

thread_local bool on_compute_thread = false;

}  // namespace

struct ComputePool::Impl {
  struct Task {
    explicit Task(const std::function<void()>& of) : body(of) {}
    const std::function<void()>& body;  // the caller's, who waits
    enum { queued, begun, done } stage = queued;
    std::int64_t cpu_ns = 0;
    std::condition_variable_any changed;
  };

  /// What os::Blocking lends on a thread of the pool.
  struct Place final : BlockingPlace {
    explicit Place(Impl& of) : pool(of) {}
    void leave() override {
      const MutexLock lock(pool.mutex);
      --pool.computing;
      pool.call_thread();
    }
    // Goes on at once: what the task holds (a lock, a client's patience) is dearer than a moment of
    // sharing. The next task begins when there are fewer than slots again.
    void resume() override {
      const MutexLock lock(pool.mutex);
      ++pool.computing;
    }
    Impl& pool;
  };

  explicit Impl(ComputePoolOptions o) : options(std::move(o)) {
    if (options.slots == 0) options.slots = cpu_count();
    options.threads_max = std::max(options.threads_max, options.slots);
  }

  bool may_begin() const CAIRN_REQUIRES(mutex) {
    return !queue.empty() && computing < options.slots;
  }

  /// Sees to it that a thread takes the first task of the queue, if a slot is free for it. Whoever
  /// takes one asks for the next, so one call is enough for any number of tasks.
  void call_thread() CAIRN_REQUIRES(mutex) {
    if (!may_begin() || arriving > 0) return;
    if (idle > 0) return wanted.notify_one();
    if (threads.size() >= options.threads_max) return;
    auto started = Thread::start(
        {.name = options.name, .stack_bytes = options.stack_bytes, .nice = options.nice},
        [this] { work(); });
    if (started.ok()) {
      threads.push_back(std::move(*started));
      ++arriving;
      told_of_failure = false;
    } else if (!std::exchange(told_of_failure, true)) {
      log(LogLevel::warn, "os", "compute_thread_not_started",
          {{"reason", started.error().message}, {"threads", std::uint64_t{threads.size()}}});
    }
  }

  void work() {
    on_compute_thread = true;
    Place place(*this);
    set_blocking_place(&place);
    MutexLock lock(mutex);
    --arriving;
    while (next_task(lock)) {
      const std::shared_ptr<Task> task = std::move(queue.front());
      queue.pop_front();
      task->stage = Task::begun;
      ++computing;
      call_thread();
      lock.unlock();
      const std::int64_t before = charged_cpu_ns();
      task->body();
      const std::int64_t used = charged_cpu_ns() - before;
      lock.lock();
      --computing;
      task->cpu_ns = used;
      task->stage = Task::done;
      task->changed.notify_all();
    }
    set_blocking_place(nullptr);
    ended.push_back(pthread_self());
  }

  /// Waits until the first task may begin. False when the thread shall end.
  bool next_task(MutexLock& lock) CAIRN_REQUIRES(mutex) {
    using std::chrono::steady_clock;
    const auto patience = std::chrono::milliseconds(options.idle_ms);
    auto until = steady_clock::now() + patience;
    while (!may_begin()) {
      if (closing && queue.empty()) return false;
      if (steady_clock::now() >= until) {
        if (threads.size() - ended.size() > options.slots) return false;
        until += patience;
      }
      ++idle;
      wanted.wait_until(lock, until);
      --idle;
    }
    return true;
  }

  /// Threads that have ended or are about to, to be joined without the lock.
  std::list<Thread> take_ended() CAIRN_REQUIRES(mutex) {
    std::list<Thread> out;
    for (const pthread_t id : ended) {
      const auto at = std::find_if(threads.begin(), threads.end(), [id](const Thread& each) {
        return pthread_equal(each.id(), id) != 0;
      });
      if (at != threads.end()) out.splice(out.end(), threads, at);
    }
    ended.clear();
    return out;
  }

  ComputePoolOptions options;
  mutable Mutex mutex;
  std::condition_variable_any wanted;
  std::deque<std::shared_ptr<Task>> queue CAIRN_GUARDED_BY(mutex);
  std::size_t computing CAIRN_GUARDED_BY(mutex) = 0;  // tasks that hold a slot
  std::size_t idle CAIRN_GUARDED_BY(mutex) = 0;       // threads that wait to be called
  std::size_t arriving CAIRN_GUARDED_BY(mutex) = 0;   // … that were started and do not run yet
  bool closing CAIRN_GUARDED_BY(mutex) = false;
  bool told_of_failure CAIRN_GUARDED_BY(mutex) = false;
  std::list<Thread> threads CAIRN_GUARDED_BY(mutex);
  std::vector<pthread_t> ended CAIRN_GUARDED_BY(mutex);
};

ComputePool::ComputePool(ComputePoolOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

ComputePool::~ComputePool() {
  for (;;) {
    std::list<Thread> all;  // joined at the end of each round, without the lock
    const MutexLock lock(impl_->mutex);
    impl_->closing = true;
    impl_->wanted.notify_all();
    if (impl_->threads.empty()) return;
    all.swap(impl_->threads);
    impl_->ended.clear();
  }
}

Status ComputePool::run(const std::function<void()>& task, const Deadline& deadline) {
  if (is_here()) {
    task();
    return ok_status();
  }
  Impl& pool = *impl_;
  const auto check = [&] { return deadline.check("waiting for the pool '" + pool.options.name + "'"); };
  // Before the task is queued: a server's worker may touch the reply when it lends its slot.
  const Blocking blocking;
  CAIRN_CHECK(check());
  const auto mine = std::make_shared<Impl::Task>(task);
  std::list<Thread> gone;  // joined after the lock is released
  MutexLock lock(pool.mutex);
  gone = pool.take_ended();
  if (pool.closing || pool.queue.size() >= pool.options.queue) {
    return Error{.kind = ErrorKind::unavailable,
                 .message = pool.closing
                                ? "the pool '" + pool.options.name + "' is closing"
                                : "the queue of the pool '" + pool.options.name + "' is full (" +
                                      std::to_string(pool.queue.size()) + " tasks wait)"};
  }
  pool.queue.push_back(mine);
  pool.call_thread();
  if (pool.threads.empty()) {
    pool.queue.pop_back();
    lock.unlock();
    task();
    return ok_status();
  }
  wait(mine->changed, lock, deadline, [&] { return mine->stage == Impl::Task::done; });
  if (mine->stage == Impl::Task::queued) {
    std::erase(pool.queue, mine);
    return check();
  }
  while (mine->stage != Impl::Task::done) mine->changed.wait(lock);
  charge_pool_cpu(mine->cpu_ns);
  return ok_status();
}

bool ComputePool::is_here() { return on_compute_thread; }
std::size_t ComputePool::slots() const { return impl_->options.slots; }

std::size_t ComputePool::threads() const {
  const MutexLock lock(impl_->mutex);
  return impl_->threads.size() - impl_->ended.size();
}

std::size_t ComputePool::waiting() const {
  const MutexLock lock(impl_->mutex);
  return impl_->queue.size();
}

std::size_t ComputePool::computing() const {
  const MutexLock lock(impl_->mutex);
  return impl_->computing;
}

}  // namespace cairn::os
