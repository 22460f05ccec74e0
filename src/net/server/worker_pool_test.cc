// SPDX-License-Identifier: Apache-2.0
// Tests of worker_pool.h, without a server: turns are what the test says.
#include "net/server/worker_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <latch>
#include <mutex>
#include <thread>

namespace cairn::net::worker_pool_test {

/// A pool whose workers compute in one turn for as long as the test wants.
struct Turns {
  explicit Turns(std::size_t slots, std::size_t stack_bytes = 1 << 20)
      : pool({.slots = slots, .stack_bytes = stack_bytes}, [](Worker&) {},
             [this](Worker& worker) { turn(worker); }, [](Worker&) {}, [] { return false; }) {}
  ~Turns() {
    go = true;
    go.notify_all();
    pool.stop();
  }

  void turn(Worker& worker) {
    worker.next_round();
    if (to_hold.fetch_sub(1) > 0) {
      ++held;
      go.wait(false);
      return;
    }
    ++to_hold;
    ++quick;
    std::this_thread::yield();
  }

  std::atomic<int> to_hold{0};  // so many workers shall compute
  std::atomic<int> held{0};     // … and do
  std::atomic<std::uint64_t> quick{0};
  std::atomic<bool> go{false};
  WorkerPool pool;
};

TEST_CASE("worker pool: who computes for long loses the slot for the whole turn, not for a moment") {
  Turns turns(1);
  turns.to_hold = 1;
  REQUIRE(turns.pool.start().ok());
  while (turns.held < 1) std::this_thread::yield();
  const std::uint64_t before = turns.quick;
  turns.pool.look_after();  // sees the turn
  turns.pool.look_after();  // sees that it is still the same
  // Nobody looks again, and yet the other worker goes on and on.
  while (turns.quick < before + 10'000) std::this_thread::yield();
  CHECK(turns.pool.threads() == 2);
}

TEST_CASE("worker pool: each of several that compute is made up for at once") {
  Turns turns(2);
  turns.to_hold = 2;
  REQUIRE(turns.pool.start().ok());
  while (turns.held < 2) std::this_thread::yield();
  turns.pool.look_after();
  turns.pool.look_after();
  CHECK(turns.pool.threads() == 4);
}

TEST_CASE("worker pool: without one thread the start fails, and says what to raise") {
  Turns turns(2, std::size_t{1} << 46);
  const Status started = turns.pool.start();
  REQUIRE_FALSE(started.ok());
  CHECK(started.error().kind == ErrorKind::unavailable);
  CHECK(started.error().message.find("ulimit") != std::string::npos);
}

}  // namespace cairn::net::worker_pool_test
