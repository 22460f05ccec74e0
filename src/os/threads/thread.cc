// SPDX-License-Identifier: Apache-2.0
#include "os/threads/thread.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>

#include "os/log.h"
#include "os/threads/no_threads.h"

namespace cairn::os {
namespace {

std::atomic<int> tests_without_threads{0};

struct Start {
  ThreadOptions options;
  std::function<void()> body;
};

void* run_start(void* given) {
  const std::unique_ptr<Start> start(static_cast<Start*>(given));
  pthread_setname_np(pthread_self(), start->options.name.substr(0, 15).c_str());
  // The kernel keeps niceness for each thread, whatever POSIX says. Without it the thread works too.
  if (start->options.nice != 0)
    static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)),
                                    start->options.nice));
  start->body();
  return nullptr;
}

Thread or_tell(Result<Thread> started) {
  if (started.ok()) return *std::move(started);
  log(LogLevel::warn, "os", "thread_not_started", {{"reason", started.error().message}});
  return {};
}

}  // namespace

Result<Thread> Thread::start_stoppable(const ThreadOptions& options, Stoppable body) {
  std::stop_source stop;
  CAIRN_TRY(Thread out, start(options, [body = std::move(body), token = stop.get_token()] {
              body(token);
            }));
  out.stop_ = std::move(stop);
  return out;
}

Thread Thread::start_or_tell(const ThreadOptions& options, std::function<void()> body) {
  return or_tell(start(options, std::move(body)));
}

Thread Thread::start_stoppable_or_tell(const ThreadOptions& options, Stoppable body) {
  return or_tell(start_stoppable(options, std::move(body)));
}

Status Thread::start_alone(const ThreadOptions& options, std::function<void()> body) {
  CAIRN_TRY(Thread out, start(options, std::move(body)));
  pthread_detach(out.id_);
  out.joinable_ = false;
  return ok_status();
}

void Thread::end() {
  stop_.request_stop();
  join();
}

Result<Thread> Thread::start(const ThreadOptions& options, std::function<void()> body) {
  auto given = std::make_unique<Start>(Start{options, std::move(body)});
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (options.stack_bytes != 0) pthread_attr_setstacksize(&attributes, options.stack_bytes);
  pthread_t id{};
  const int failed = tests_without_threads.load(std::memory_order_relaxed) > 0
                         ? EAGAIN
                         : pthread_create(&id, &attributes, run_start, given.get());
  pthread_attr_destroy(&attributes);
  if (failed != 0)
    return Error{.kind = ErrorKind::unavailable,
                 .message = "a thread '" + options.name + "' could not be started (" +
                            std::strerror(failed) +
                            "); raise the limits of threads (ulimit -u, pids.max) or of address "
                            "space (ulimit -v)"};
  static_cast<void>(given.release());  // the thread's now
  return Thread(id);
}

NoThreads::NoThreads() { ++tests_without_threads; }
NoThreads::~NoThreads() { --tests_without_threads; }

void Thread::join() {
  if (std::exchange(joinable_, false)) pthread_join(id_, nullptr);
}

}  // namespace cairn::os
