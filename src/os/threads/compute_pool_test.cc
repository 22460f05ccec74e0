// SPDX-License-Identifier: Apache-2.0
// Tests of compute_pool.h and thread.h.
#include "os/threads/compute_pool.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <new>
#include <thread>
#include <vector>

#include "os/threads/blocking.h"
#include "os/threads/pool.h"
#include "os/threads/thread.h"

namespace cairn::os::compute_pool_test {

constexpr std::size_t no_machine_has = std::size_t{1} << 46;  // bytes of stack

void burn_ms(std::int64_t ms) {
  const std::int64_t until = thread_cpu_ns() + ms * 1'000'000;
  while (thread_cpu_ns() < until) continue;
}

struct CountingPlace final : BlockingPlace {
  int left = 0;
  int resumed = 0;
  void leave() override { ++left; }
  void resume() override { ++resumed; }
};

/// Calls run() on a thread of its own.
std::jthread ask(ComputePool& pool, std::function<void()> task) {
  return std::jthread([&pool, task = std::move(task)] {
    CHECK(pool.run(task, Deadline::never()).ok());
  });
}

TEST_CASE("compute pool: the caller lends its place before the task begins, and is charged") {
  ComputePool pool({.slots = 1, .nice = 7});
  Pool leaves({.threads = 1});
  CountingPlace place;
  set_blocking_place(&place);
  const std::int64_t before = charged_cpu_ns();
  int left_at_begin = 0;
  int niceness = -1;
  bool inside = false;
  REQUIRE(pool.run(
                  [&] {
                    left_at_begin = place.left;
                    inside = ComputePool::is_here();
                    niceness = ::getpriority(PRIO_PROCESS,
                                             static_cast<id_t>(::syscall(SYS_gettid)));
                    burn_ms(3);
                    REQUIRE(leaves.run([] { burn_ms(2); }, Deadline::never()).ok());
                  },
                  Deadline::never())
              .ok());
  set_blocking_place(nullptr);
  CHECK(left_at_begin == 1);
  CHECK(place.resumed == 1);
  CHECK(inside);
  CHECK_FALSE(ComputePool::is_here());
  CHECK(charged_cpu_ns() - before >= 5'000'000);
  CHECK(niceness >= 7);
}

TEST_CASE("compute pool: as many compute at once as there are slots; who waits lends one") {
  ComputePool pool({.slots = 2});
  std::latch two(2), go(1), waiting(1), awake(1);
  std::vector<std::jthread> callers;
  for (int i = 0; i < 2; ++i) callers.push_back(ask(pool, [&] { two.count_down(), go.wait(); }));
  two.wait();
  CHECK(pool.computing() == 2);
  callers.push_back(ask(pool, [&] {
    waiting.count_down();
    const Blocking blocking;
    awake.wait();
  }));
  while (pool.waiting() != 1) std::this_thread::yield();
  CHECK_FALSE(waiting.try_wait());
  go.count_down();
  waiting.wait();
  // Both slots are free now, although one task has not ended.
  std::latch both(2), end(1);
  for (int i = 0; i < 2; ++i) callers.push_back(ask(pool, [&] { both.count_down(), end.wait(); }));
  both.wait();
  end.count_down();
  awake.count_down();
  callers.clear();
  CHECK(pool.computing() == 0);
  CHECK(pool.threads() <= 3);
}

TEST_CASE("compute pool: a full queue refuses at once, and says how many wait") {
  ComputePool pool({.name = "searches", .slots = 1, .queue = 1});
  std::latch begun(1), go(1);
  std::vector<std::jthread> callers;
  callers.push_back(ask(pool, [&] { begun.count_down(), go.wait(); }));
  begun.wait();
  callers.push_back(ask(pool, [] {}));
  while (pool.waiting() != 1) std::this_thread::yield();
  const Status refused = pool.run([] {}, Deadline::never());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::unavailable);
  CHECK(refused.error().message == "the queue of the pool 'searches' is full (1 tasks wait)");
  go.count_down();
}

TEST_CASE("compute pool: who is cancelled while it waits leaves the queue, a begun task is awaited") {
  ComputePool pool({.slots = 1});
  std::latch begun(1), go(1);
  std::vector<std::jthread> callers;
  callers.push_back(ask(pool, [&] { begun.count_down(), go.wait(); }));
  begun.wait();
  CHECK(pool.run([] {}, Deadline::in_ms(1)).error().kind == ErrorKind::timeout);
  std::stop_source stop;
  std::jthread stopper([&] {
    while (pool.waiting() != 1) std::this_thread::yield();
    stop.request_stop();
  });
  bool ran = false;
  CHECK(pool.run([&] { ran = true; }, Deadline::never(stop.get_token())).error().kind ==
        ErrorKind::cancelled);
  CHECK(pool.waiting() == 0);
  go.count_down();
  callers.clear();
  CHECK_FALSE(ran);
  std::stop_source late;
  bool finished = false;
  CHECK(pool.run([&] { late.request_stop(), burn_ms(1), finished = true; },
                 Deadline::never(late.get_token()))
            .ok());
  CHECK(finished);
}

TEST_CASE("compute pool: a task that runs another one runs it in place") {
  ComputePool pool({.slots = 1});
  std::thread::id outer, inner;
  REQUIRE(pool.run(
                  [&] {
                    outer = std::this_thread::get_id();
                    REQUIRE(pool.run([&] { inner = std::this_thread::get_id(); },
                                     Deadline::never())
                                .ok());
                  },
                  Deadline::never())
              .ok());
  CHECK(outer == inner);
  CHECK(outer != std::this_thread::get_id());
}

TEST_CASE("compute pool: threads that lent their slots end when they have been idle") {
  ComputePool pool({.slots = 1, .idle_ms = 1});
  std::latch all(8), go(1);
  std::vector<std::jthread> callers;
  for (int i = 0; i < 8; ++i)
    callers.push_back(ask(pool, [&] {
      const Blocking blocking;
      all.count_down();
      go.wait();
    }));
  all.wait();
  CHECK(pool.threads() == 8);
  go.count_down();
  callers.clear();
  while (pool.threads() > 1) std::this_thread::yield();
  CHECK(pool.run([] {}, Deadline::never()).ok());
}

TEST_CASE("compute pool: many callers, each task runs once") {
  ComputePool pool({.slots = 3, .threads_max = 5, .idle_ms = 1});
  std::atomic<int> ran{0};
  {
    std::vector<std::jthread> callers;
    for (int t = 0; t < 8; ++t)
      callers.emplace_back([&] {
        for (int i = 0; i < 200; ++i) {
          const Status done = pool.run(
              [&] {
                if (i % 3 == 0) {
                  const Blocking blocking;
                  std::this_thread::yield();
                }
                ++ran;
              },
              Deadline::never());
          if (!done.ok()) ran += 1'000'000;
        }
      });
  }
  CHECK(ran == 1600);
  CHECK(pool.threads() <= 5);
}

TEST_CASE("thread: one that the system refuses is an error that says what to raise") {
  const auto thread = Thread::start({.name = "huge", .stack_bytes = no_machine_has}, [] {});
  REQUIRE_FALSE(thread.ok());
  CHECK(thread.error().kind == ErrorKind::unavailable);
  CHECK(thread.error().message.starts_with("a thread 'huge' could not be started ("));
  CHECK(thread.error().message.find("ulimit -v") != std::string::npos);
}

TEST_CASE("thread: pools that get no thread say so, and work on the caller's where they can") {
  Pool pool({.name = "none", .threads = 2, .stack_bytes = no_machine_has});
  CHECK(pool.threads() == 0);
  CHECK(pool.started().error().kind == ErrorKind::unavailable);
  CHECK(pool.submit([] {}).error().kind == ErrorKind::unavailable);
  int sum = 0;
  pool.for_each(4, [&](std::size_t i) { sum += static_cast<int>(i); });
  CHECK(sum == 6);
  ComputePool compute({.slots = 1, .stack_bytes = no_machine_has});
  CHECK(compute.run([&] { ++sum; }, Deadline::never()).ok());
  CHECK(sum == 7);
  CHECK(compute.threads() == 0);
}

TEST_CASE("compute pool: parts go to the slots that are free, and all are done at the end") {
  ComputePool pool({.slots = 3});
  // Each of three threads holds a part until all have one.
  std::latch three(3);
  std::vector<std::atomic<int>> done(100);
  std::atomic<std::int64_t> begun{0};
  const std::int64_t before = charged_cpu_ns(), own = thread_cpu_ns();
  CHECK(pool.run(
                [&] {
                  pool.for_each(done.size(), [&](std::size_t i) {
                    if (begun.fetch_add(1) < 3) three.arrive_and_wait();
                    burn_ms(1);
                    ++done[i];
                  });
                },
                Deadline::never())
            .ok());
  for (const auto& each : done) CHECK(each == 1);
  CHECK(charged_cpu_ns() - before >= 100'000'000);
  CHECK(thread_cpu_ns() - own < 100'000'000);
  while (pool.computing() > 0) std::this_thread::yield();
  CHECK(pool.waiting() == 0);
}

TEST_CASE("compute pool: without a free slot the caller does all parts itself") {
  ComputePool pool({.slots = 1});
  std::vector<std::thread::id> by(20);
  const auto parts = [&] {
    pool.for_each(by.size(), [&](std::size_t i) { by[i] = std::this_thread::get_id(); });
  };
  CHECK(pool.run(
                [&] {
                  parts();
                  for (const auto& id : by) CHECK(id == std::this_thread::get_id());
                },
                Deadline::never())
            .ok());
  // A thread outside the pool takes the only core itself.
  parts();
  for (const auto& id : by) CHECK(id == std::this_thread::get_id());
  pool.for_each(0, [](std::size_t) { CHECK(false); });
}

TEST_CASE("compute pool: who helps goes when a task waits for the slot; a failure ends the rest") {
  ComputePool pool({.slots = 2});
  std::latch both(2);
  std::atomic<int> begun{0};
  std::atomic<bool> ran{false}, failed{false};
  const std::jthread parts = ask(pool, [&] {
    try {
      pool.for_each(std::size_t{1} << 60, [&](std::size_t) {
        if (begun.fetch_add(1) < 2) both.arrive_and_wait();
        if (ran) throw std::bad_alloc();
        std::this_thread::yield();
      });
    } catch (const std::bad_alloc&) {
      failed = true;
    }
  });
  while (begun < 2) std::this_thread::yield();
  CHECK(pool.run([&] { ran = true; }, Deadline::never()).ok());
  CHECK(ran);
  while (!failed) std::this_thread::yield();
}

}  // namespace cairn::os::compute_pool_test
