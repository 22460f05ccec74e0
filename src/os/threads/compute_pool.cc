// SPDX-License-Identifier: Apache-2.0
// Slots, a queue in order of arrival, and threads on demand.
#include "os/threads/compute_pool.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <vector>

#include "base/threads.h"
#include "os/cpu.h"
#include "os/log.h"
#include "os/threads/blocking.h"
#include "os/threads/pool.h"
#include "os/threads/thread.h"
#include "os/trace.h"

namespace cairn::os {
namespace {

thread_local bool on_compute_thread = false;

}  // namespace

struct ComputePool::Impl {
  struct Task {
    explicit Task(const std::function<void()>& of) : body(of) {}
    explicit Task(std::function<void()>&& of) : own(std::move(of)), body(own) {}
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    bool helps() const { return own != nullptr; }
    std::function<void()> own;          // of one that helps with another, which goes on without it
    const std::function<void()>& body;  // that, or the caller's, who waits
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
      ++completed;
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

  /// Queues a task for each slot that is free, `most` at most. `here`: slots that the caller takes
  /// and that are not counted.
  std::vector<std::shared_ptr<Task>> call_helpers(std::size_t most, std::size_t here,
                                                  const std::function<void()>& help) {
    std::vector<std::shared_ptr<Task>> out;
    const MutexLock lock(mutex);
    const std::size_t taken = computing + here;
    if (closing || !queue.empty() || taken >= options.slots) return out;
    for (std::size_t i = std::min(most, options.slots - taken); i > 0; --i) {
      out.push_back(std::make_shared<Task>(std::function<void()>(help)));
      queue.push_back(out.back());
    }
    call_thread();
    return out;
  }

  bool somebody_waits() {
    const MutexLock lock(mutex);
    return std::any_of(queue.begin(), queue.end(), [](const auto& task) { return !task->helps(); });
  }

  /// Those that have not begun never will.
  void send_away(const std::vector<std::shared_ptr<Task>>& helpers) {
    const MutexLock lock(mutex);
    for (const auto& helper : helpers)
      if (helper->stage == Task::queued) std::erase(queue, helper);
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
  std::uint64_t completed CAIRN_GUARDED_BY(mutex) = 0;
  std::uint64_t refused CAIRN_GUARDED_BY(mutex) = 0;
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
  const auto check = [&] {
    return deadline.check("waiting for the pool '" + pool.options.name + "'");
  };
  // Before the task is queued: a server's worker may touch the reply when it lends its slot.
  const Blocking blocking;
  CAIRN_CHECK(check());
  const std::function<void()> traced = [&task, trace = current_trace()] {
    const TraceScope tracing(trace);
    task();
  };
  const auto mine = std::make_shared<Impl::Task>(traced);
  std::list<Thread> gone;  // joined after the lock is released
  MutexLock lock(pool.mutex);
  gone = pool.take_ended();
  if (pool.closing || pool.queue.size() >= pool.options.queue) {
    ++pool.refused;
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

void ComputePool::for_each(std::size_t count, const std::function<void(std::size_t)>& body) {
  // Helpers that come late find nothing left and touch only what they share.
  struct Loop {
    Mutex mutex;
    std::condition_variable_any changed;
    std::size_t next CAIRN_GUARDED_BY(mutex) = 0;
    std::size_t running CAIRN_GUARDED_BY(mutex) = 0;
    std::int64_t helpers_ns CAIRN_GUARDED_BY(mutex) = 0;
    std::exception_ptr failure CAIRN_GUARDED_BY(mutex);
  };
  const auto loop = std::make_shared<Loop>();
  const auto take_one = [loop, count, &body, trace = current_trace()](bool helps) {
    MutexLock lock(loop->mutex);
    if (loop->next >= count) return false;
    const std::size_t i = loop->next++;
    ++loop->running;
    lock.unlock();
    const std::int64_t before = charged_cpu_ns();
    std::exception_ptr failure;
    try {
      const TraceScope tracing(trace);
      body(i);  // is there while a part runs
    } catch (...) {
      failure = std::current_exception();
    }
    const std::int64_t used = charged_cpu_ns() - before;
    lock.lock();
    if (helps) loop->helpers_ns += used;
    if (failure) {
      loop->next = count;
      loop->failure = std::move(failure);
    }
    if (--loop->running == 0) loop->changed.notify_all();
    return true;
  };
  std::vector<std::shared_ptr<Impl::Task>> helpers;
  if (count > 1)
    helpers = impl_->call_helpers(count - 1, is_here() ? 0 : 1, [impl = impl_.get(), take_one] {
      while (take_one(true))
        if (impl->somebody_waits()) return;
    });
  while (take_one(false)) continue;
  impl_->send_away(helpers);
  const Blocking blocking;
  MutexLock lock(loop->mutex);
  while (loop->running > 0) loop->changed.wait(lock);
  charge_pool_cpu(loop->helpers_ns);
  if (loop->failure) std::rethrow_exception(loop->failure);
}

ComputePoolFigures ComputePool::figures() const {
  const Impl& pool = *impl_;
  const MutexLock lock(pool.mutex);
  return {.slots = pool.options.slots,
          .threads = pool.threads.size() - pool.ended.size(),
          .computing = pool.computing,
          .waiting = pool.queue.size(),
          .queue = pool.options.queue,
          .completed = pool.completed,
          .refused = pool.refused};
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
