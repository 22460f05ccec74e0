// SPDX-License-Identifier: Apache-2.0
// Tests of pool.h.
#include "os/threads/pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "os/threads/blocking.h"

using namespace cairn;
using namespace cairn::os;

namespace {

struct CountingPlace final : BlockingPlace {
  int left = 0;
  int resumed = 0;
  void leave() override { ++left; }
  void resume() override { ++resumed; }
};

void burn_cpu_ms(std::int64_t ms) {
  const std::int64_t until = thread_cpu_ns() + ms * 1'000'000;
  while (thread_cpu_ns() < until) continue;
}

}  // namespace

TEST_CASE("pool: the destructor lets queued tasks finish") {
  std::atomic<int> done = 0;
  {
    Pool pool({.name = "t", .threads = 2});
    CHECK(pool.threads() == 2);
    for (int i = 0; i < 100; ++i) REQUIRE(pool.submit([&] { ++done; }).ok());
  }
  CHECK(done == 100);
}

TEST_CASE("pool: a full queue refuses, and says which pool and how many wait") {
  std::latch begun(1), go(1);
  Pool pool({.name = "models", .threads = 1, .queue = 2});
  REQUIRE(pool.submit([&] { begun.count_down(), go.wait(); }).ok());
  begun.wait();
  REQUIRE(pool.submit([] {}).ok());
  REQUIRE(pool.submit([] {}).ok());
  CHECK(pool.waiting() == 2);
  const Status refused = pool.submit([] {});
  REQUIRE(!refused.ok());
  CHECK(refused.error().kind == ErrorKind::unavailable);
  CHECK(refused.error().message ==
        "the queue of the pool 'models' is full (2 tasks wait); try again later");
  CHECK(pool.run([] {}, Deadline::never()).error().kind == ErrorKind::unavailable);
  go.count_down();
}

TEST_CASE("pool: a task may queue another one, and a closing pool refuses it") {
  std::atomic<bool> first_ran = false;
  Status late = ok_status();
  {
    std::latch ran(1);
    Pool pool({.threads = 1});
    REQUIRE(
        pool.submit([&] { (void)pool.submit([&] { first_ran = true, ran.count_down(); }); }).ok());
    ran.wait();
    // Asks until the destructor has begun: it cannot end before this task does.
    REQUIRE(pool.submit([&] {
                  while (late.ok() || late.error().message.find("full") != std::string::npos) {
                    late = pool.submit([] {});
                  }
                })
                .ok());
  }
  CHECK(first_ran);
  CHECK(late.error().kind == ErrorKind::unavailable);
  CHECK(late.error().message == "the pool 'pool' is closing");
}

TEST_CASE("pool: run waits for the task, lends its place, and is charged its time") {
  Pool pool({.threads = 1});
  CountingPlace place;
  set_blocking_place(&place);
  const std::int64_t charged_before = charged_cpu_ns();
  const std::int64_t own_before = thread_cpu_ns();
  std::thread::id ran_on;
  REQUIRE(pool.run([&] { burn_cpu_ms(5), ran_on = std::this_thread::get_id(); }, Deadline::never())
              .ok());
  const std::int64_t charged = charged_cpu_ns() - charged_before;
  CHECK(set_blocking_place(nullptr) == &place);
  CHECK(ran_on != std::this_thread::get_id());
  CHECK(charged >= 5'000'000);
  CHECK(thread_cpu_ns() - own_before < charged);
  CHECK(place.left == 1);
  CHECK(place.resumed == 1);
}

TEST_CASE("pool: run gives up only before its task has begun") {
  std::latch begun(1), go(1);
  Pool pool({.threads = 1});
  REQUIRE(pool.submit([&] { begun.count_down(), go.wait(); }).ok());
  begun.wait();
  std::atomic<bool> ran = false;
  CHECK(pool.run([&] { ran = true; }, Deadline::in_ms(1)).error().kind == ErrorKind::timeout);
  CHECK(pool.run([&] { ran = true; }, Deadline::in_ms(0)).error().kind == ErrorKind::timeout);
  std::stop_source stop;
  std::jthread stopper([&] {
    while (pool.waiting() < 2) std::this_thread::yield();  // the timed-out one and the next
    stop.request_stop();
  });
  CHECK(pool.run([&] { ran = true; }, Deadline::never(stop.get_token())).error().kind ==
        ErrorKind::cancelled);
  go.count_down();
  REQUIRE(pool.run([] {}, Deadline::never()).ok());
  CHECK(!ran);

  std::stop_source late;
  bool finished = false;
  const Status begun_task = pool.run([&] { late.request_stop(), burn_cpu_ms(2), finished = true; },
                                     Deadline::never(late.get_token()));
  CHECK(begun_task.ok());
  CHECK(finished);
}

TEST_CASE("pool: for_each does each once, also when nested, busy or full") {
  std::latch begun(3), go(1);  // outlive the pool
  Pool pool({.threads = 3, .queue = 2});
  for (const std::size_t count : {0u, 1u, 2u, 1000u}) {
    std::vector<std::atomic<int>> done(count);
    pool.for_each(count, [&](std::size_t i) { ++done[i]; });
    for (const auto& n : done) REQUIRE(n == 1);
  }
  std::atomic<int> inner = 0;
  pool.for_each(8, [&](std::size_t) { pool.for_each(8, [&](std::size_t) { ++inner; }); });
  CHECK(inner == 64);

  for (int i = 0; i < 3; ++i) {
    // The queue holds two, so each waits until it can be queued.
    while (!pool.submit([&] { begun.count_down(), go.wait(); }).ok()) std::this_thread::yield();
  }
  begun.wait();
  std::atomic<int> sum = 0;
  pool.for_each(100, [&](std::size_t i) { sum += static_cast<int>(i); });  // all by this thread
  CHECK(sum == 4950);
  go.count_down();
}

TEST_CASE("pool: for_each charges the caller with what the helpers used") {
  Pool pool({.threads = 2});
  const std::int64_t before = charged_cpu_ns();
  pool.for_each(4, [](std::size_t) { burn_cpu_ms(2); });
  CHECK(charged_cpu_ns() - before >= 8'000'000);
}

TEST_CASE("blocking: nested guards lend once, threads without a place lend nothing") {
  CountingPlace place;
  { const Blocking nothing; }
  CHECK(set_blocking_place(&place) == nullptr);
  {
    const Blocking outer;
    const Blocking inner;
    CHECK(place.left == 1);
    CHECK(place.resumed == 0);
  }
  CHECK(place.resumed == 1);
  { const Blocking again; }
  CHECK(place.left == 2);
  CHECK(set_blocking_place(nullptr) == &place);
}
