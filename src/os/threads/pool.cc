// SPDX-License-Identifier: Apache-2.0
// A queue with a bound, and the threads that empty it.
#include "os/threads/pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <ctime>
#include <deque>
#include <vector>

#include "base/threads.h"
#include "os/cpu.h"
#include "os/threads/blocking.h"
#include "os/threads/thread.h"
#include "os/trace.h"

namespace cairn::os {
namespace {

thread_local std::int64_t charged_to_thread = 0;

}  // namespace

std::int64_t thread_cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

std::int64_t pool_cpu_ns() { return charged_to_thread; }
void charge_pool_cpu(std::int64_t ns) { charged_to_thread += ns; }

ThreadCpuClock ThreadCpuClock::of_this_thread() {
  ThreadCpuClock out;
  clockid_t id = CLOCK_THREAD_CPUTIME_ID;
  pthread_getcpuclockid(pthread_self(), &id);  // cannot fail for a thread that runs
  out.id_ = id;
  return out;
}

std::int64_t ThreadCpuClock::read_ns() const {
  timespec t{};
  clock_gettime(id_, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}
std::int64_t charged_cpu_ns() { return thread_cpu_ns() + charged_to_thread; }

struct Pool::Impl {
  explicit Impl(PoolOptions o) : options(std::move(o)) {}

  void work() {
    MutexLock lock(mutex);
    for (;;) {
      while (queue.empty() && !closing) changed.wait(lock);
      if (queue.empty()) return;
      std::function<void()> task = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      task();
      task = nullptr;  // what it holds may take long to let go of, and others wait for the lock
      lock.lock();
    }
  }

  const PoolOptions options;
  mutable Mutex mutex;
  std::condition_variable_any changed;
  std::deque<std::function<void()>> queue CAIRN_GUARDED_BY(mutex);
  bool closing CAIRN_GUARDED_BY(mutex) = false;
  std::vector<Thread> threads;  // written by the constructor and the destructor only
  Status started = ok_status();  // by the constructor
};

Pool::Pool(PoolOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {
  const std::size_t asked = impl_->options.threads;
  const std::size_t count = asked == 0 ? cpu_count() : asked;
  impl_->threads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto thread = Thread::start({.name = impl_->options.name,
                                 .stack_bytes = impl_->options.stack_bytes,
                                 .nice = impl_->options.nice},
                                [impl = impl_.get()] { impl->work(); });
    if (!thread.ok()) {
      impl_->started = thread.error();
      break;
    }
    impl_->threads.push_back(std::move(*thread));
  }
}

Pool::~Pool() {
  {
    const MutexLock lock(impl_->mutex);
    impl_->closing = true;
  }
  impl_->changed.notify_all();
  for (Thread& thread : impl_->threads) thread.join();
}

const Status& Pool::started() const { return impl_->started; }

Status Pool::submit(std::function<void()> task) {
  if (impl_->threads.empty()) return impl_->started;
  {
    const MutexLock lock(impl_->mutex);
    if (impl_->closing) {
      return Error{.kind = ErrorKind::unavailable,
                   .message = "the pool '" + impl_->options.name + "' is closing"};
    }
    if (impl_->queue.size() >= impl_->options.queue) {
      return Error{.kind = ErrorKind::unavailable,
                   .message = "the queue of the pool '" + impl_->options.name + "' is full (" +
                              std::to_string(impl_->options.queue) +
                              " tasks wait); try again later"};
    }
    impl_->queue.push_back(std::move(task));
  }
  impl_->changed.notify_one();
  return ok_status();
}

Status Pool::run(const std::function<void()>& task, const Deadline& deadline) {
  // Shared with the queued task, which may be taken from the queue after this call has given up.
  struct Run {
    Mutex mutex;
    std::condition_variable_any changed;
    enum { queued, begun, done, given_up } state = queued;
    std::int64_t cpu_ns = 0;
  };
  CAIRN_CHECK(deadline.check("waiting for the pool '" + impl_->options.name + "'"));
  const auto shared = std::make_shared<Run>();
  CAIRN_CHECK(submit([shared, &task, trace = current_trace()] {
    {
      const MutexLock lock(shared->mutex);
      if (shared->state == Run::given_up) return;
      shared->state = Run::begun;
    }
    const std::int64_t before = charged_cpu_ns();
    {
      const TraceScope tracing(trace);
      task();
    }
    const std::int64_t used = charged_cpu_ns() - before;
    {
      const MutexLock lock(shared->mutex);
      shared->cpu_ns = used;
      shared->state = Run::done;
    }
    shared->changed.notify_all();
  }));
  const Blocking blocking;
  MutexLock lock(shared->mutex);
  wait(shared->changed, lock, deadline, [&] { return shared->state == Run::done; });
  if (shared->state == Run::queued) {
    shared->state = Run::given_up;
    return deadline.check("waiting for the pool '" + impl_->options.name + "'");
  }
  while (shared->state != Run::done) shared->changed.wait(lock);  // `task` is the caller's
  charged_to_thread += shared->cpu_ns;
  return ok_status();
}

void Pool::for_each(std::size_t count, const std::function<void(std::size_t)>& body) {
  // Helpers that the pool never came to run find nothing left and touch only what they share.
  struct Loop {
    std::atomic<std::size_t> next{0};
    Mutex mutex;
    std::condition_variable_any changed;
    std::size_t finished = 0;
    std::int64_t cpu_ns = 0;
  };
  if (count == 0) return;
  const auto shared = std::make_shared<Loop>();
  const auto take = [shared, count, &body] {  // `body` is touched only while some i is unfinished
    std::size_t finished = 0;
    for (std::size_t i; (i = shared->next.fetch_add(1)) < count; ++finished) body(i);
    return finished;
  };
  const std::size_t helpers = std::min(threads(), count - 1);
  for (std::size_t i = 0; i < helpers; ++i) {
    const Status queued = submit([shared, take, trace = current_trace()] {
      const TraceScope tracing(trace);
      const std::int64_t before = charged_cpu_ns();
      const std::size_t finished = take();
      const MutexLock lock(shared->mutex);
      shared->finished += finished;
      shared->cpu_ns += charged_cpu_ns() - before;
      shared->changed.notify_all();
    });
    if (!queued.ok()) break;  // this thread does what no helper does
  }
  const std::size_t mine = take();
  const Blocking blocking;
  MutexLock lock(shared->mutex);
  shared->finished += mine;
  while (shared->finished < count) shared->changed.wait(lock);
  charged_to_thread += shared->cpu_ns;
}

std::size_t Pool::threads() const { return impl_->threads.size(); }

std::size_t Pool::waiting() const {
  const MutexLock lock(impl_->mutex);
  return impl_->queue.size();
}

}  // namespace cairn::os
