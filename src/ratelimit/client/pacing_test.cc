// SPDX-License-Identifier: Apache-2.0
// Turns: at once, between writes, reserves and blocks; and threads that share them.
#include "ratelimit/client/pacing.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "ratelimit/client/retry.h"

namespace cairn::ratelimit {
namespace {

const Outgoing read_a{.identity = "a"};
const Outgoing write_a{.identity = "a", .writes = true};

TEST_CASE("pacing: so many at once, per identity") {
  Pacing pacing({.at_once = 3});
  for (int i = 0; i < 3; ++i) CHECK(pacing.ask(read_a, 0).granted);
  CHECK(pacing.ask(read_a, 0).reason == HoldReason::at_once);
  CHECK(pacing.ask({.identity = "b"}, 0).granted);
  pacing.ended(read_a);
  CHECK(pacing.ask(read_a, 0).granted);
  CHECK_FALSE(pacing.ask(read_a, 0).granted);
}

TEST_CASE("pacing: a second between writes, nothing between reads") {
  Pacing pacing({});
  CHECK(pacing.ask(write_a, 10'000).granted);
  const Turn turn = pacing.ask(write_a, 10'400);
  CHECK(turn.reason == HoldReason::writes);
  CHECK(turn.wait_ms == 600);
  CHECK(pacing.ask(read_a, 10'400).granted);
  CHECK(pacing.ask(write_a, 11'000).granted);
}

TEST_CASE("pacing: stops where fewer than the reserve would remain, until the reset") {
  Pacing pacing({.reserve = 3});
  const auto saw = [&](std::uint32_t remaining, std::int64_t reset_s, std::int64_t now) {
    pacing.saw(read_a, "core", {.remaining = remaining, .reset_s = reset_s, .resets_in_ms = 500},
               now);
  };
  saw(4, 100, 0);
  CHECK(pacing.ask(read_a, 1).granted);
  CHECK(pacing.ask(read_a, 1).granted);  // one of the four is on its way
  CHECK(pacing.ask(read_a, 1).reason == HoldReason::at_once);
  saw(2, 100, 2);
  saw(4, 100, 3);  // overtaken by the one before
  saw(9, 90, 3);   // of a window that is over
  pacing.ended(read_a);
  pacing.ended(read_a);
  const Turn turn = pacing.ask(read_a, 4);
  CHECK(turn.reason == HoldReason::reserve);
  CHECK(turn.wait_ms == 496);
  CHECK(pacing.ask({.identity = "a", .resource = "search"}, 4).granted);
  CHECK(pacing.ask(read_a, 502).granted);
}

TEST_CASE("pacing: blocks never get shorter") {
  Pacing pacing({});
  pacing.block(read_a, "core", 5'000);
  pacing.block(read_a, "core", 3'000);
  CHECK(pacing.ask(read_a, 4'000).wait_ms == 1'000);
  CHECK(pacing.ask({.identity = "a", .resource = "search"}, 4'000).granted);
  pacing.block_all(read_a, 9'000);
  CHECK(pacing.ask({.identity = "a", .resource = "search"}, 4'000).wait_ms == 5'000);
  CHECK(pacing.blocked_until_ms(read_a) == 9'000);
  CHECK(pacing.ask(read_a, 9'000).granted);
}

TEST_CASE("pacing: forgets identities that nothing holds") {
  Pacing pacing({});
  pacing.block_all({.identity = "kept"}, 1'000'000);
  for (int i = 0; i < 5'000; ++i) {
    const Outgoing each{.identity = std::to_string(i)};
    REQUIRE(pacing.ask(each, i).granted);
    pacing.ended(each);
  }
  CHECK_FALSE(pacing.ask({.identity = "kept"}, 6'000).granted);
}

TEST_CASE("send: threads share the places, and all get their turn") {
  os::FakeClock clock;
  const auto random = os::seeded_random(1);
  RetryRules rules({.pacing = {.at_once = 4}}, clock, *random);
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  std::atomic<int> done = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 12; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          const auto once = [&](SeenResponse& seen) {
            const int at_once = ++now;
            for (int was = most; was < at_once && !most.compare_exchange_weak(was, at_once);) {
            }
            std::this_thread::yield();
            --now;
            seen.status = 200;
            return ok_status();
          };
          if (rules.send({.identity = "a"}, once, os::Deadline::in_ms(60'000)).ok()) ++done;
        }
      });
  }
  CHECK(done == 600);
  CHECK(most <= 4);
}

}  // namespace
}  // namespace cairn::ratelimit
