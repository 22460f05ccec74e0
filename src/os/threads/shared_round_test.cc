// SPDX-License-Identifier: Apache-2.0
#include "os/threads/shared_round.h"

#include <doctest/doctest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace cairn::os::shared_round_test {
namespace {

Status fails(ErrorKind kind) { return Error{.kind = kind, .message = "no"}; }
Status ends() { return ok_status(); }

}  // namespace

TEST_CASE("shared round: calls that come while one is under way share the next one") {
  SharedRound round;
  std::atomic<int> rounds = 0, waiting = 0;
  std::latch begun(1), may_end(1);
  const auto soon = Deadline::in_ms(30'000);
  std::jthread first([&] {
    CHECK(round
              .run(soon,
                   [&] {
                     ++rounds;
                     begun.count_down();
                     may_end.wait();
                     return ok_status();
                   })
              .ok());
  });
  begun.wait();
  std::vector<std::jthread> others;
  for (int i = 0; i < 4; ++i)
    others.emplace_back([&] {
      ++waiting;
      CHECK(round
                .run(soon,
                     [&] {
                       ++rounds;
                       return ok_status();
                     })
                .ok());
    });
  // A call that is a little late leads a third round, which is right too.
  while (waiting < 4) std::this_thread::yield();
  CHECK(rounds == 1);
  may_end.count_down();
  first.join();
  others.clear();
  CHECK(rounds >= 2);
  CHECK(rounds <= 5);
}

TEST_CASE("shared round: an error is that of all who wait, but for a deadline of another") {
  SharedRound round;
  CHECK(round.run(Deadline::in_ms(1'000), [] { return fails(ErrorKind::unavailable); })
            .error()
            .kind == ErrorKind::unavailable);
  CHECK(round.run(Deadline::in_ms(1'000), ends).ok());

  std::latch begun(1), may_end(1);
  std::atomic<int> led = 0;
  std::jthread slow([&] {
    (void)round
        .run(Deadline::in_ms(30'000),
             [&] {
               begun.count_down();
               may_end.wait();
               return ok_status();
             })
        .ok();
  });
  begun.wait();
  const auto late = round.run(Deadline::in_ms(1), ends);
  CHECK(late.error().kind == ErrorKind::timeout);
  // Two wait; the one that leads fails by its own deadline, so the other leads once more.
  std::vector<std::jthread> two;
  std::atomic<int> ok = 0;
  for (int i = 0; i < 2; ++i)
    two.emplace_back([&] {
      const auto done = round.run(Deadline::in_ms(30'000), [&] {
        return ++led == 1 ? fails(ErrorKind::timeout) : ok_status();
      });
      if (done.ok()) ++ok;
    });
  may_end.count_down();
  two.clear();
  CHECK(led == 2);
  CHECK(ok == 1);
}

}  // namespace cairn::os::shared_round_test
