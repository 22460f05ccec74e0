// SPDX-License-Identifier: Apache-2.0
// Tests of deadline.h, clock.h and random.h.
#include "os/deadline.h"

#include <doctest/doctest.h>

#include <array>
#include <set>
#include <thread>

#include "os/clock.h"
#include "os/random.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12: wrong on a local stop_source
#endif

using namespace cairn;
using namespace cairn::os;

TEST_CASE("deadline: never, at once, and the time values of an API") {
  CHECK(Deadline::never().is_never());
  CHECK(!Deadline::never().passed());
  CHECK(Deadline::never().remaining_ms() == INT64_MAX);
  CHECK(Deadline::never().check("waiting").ok());
  CHECK(Deadline::from_wait_ms(-1).is_never());
  CHECK(Deadline::from_wait_ms(0).passed());
  CHECK(Deadline::in_ms(0).remaining_ms() == 0);
  CHECK(Deadline::in_ms(-5).passed());
  CHECK(!Deadline::from_wait_ms(60'000).passed());
  CHECK(Deadline::in_ms(INT64_MAX).is_never());
  const auto left = Deadline::in_ms(60'000).remaining_ms();
  CHECK(left > 0);
  CHECK(left <= 60'000);
}

TEST_CASE("deadline: the sooner of two keeps the stop token") {
  std::stop_source stop;
  const Deadline never = Deadline::never(stop.get_token());
  const Deadline sooner = never.sooner_ms(10'000);
  CHECK(!sooner.is_never());
  CHECK(sooner.sooner_ms(INT64_MAX).at() == sooner.at());
  CHECK(sooner.sooner_ms(60'000).at() == sooner.at());
  CHECK(sooner.sooner_ms(1).at() < sooner.at());
  stop.request_stop();
  CHECK(sooner.passed());
  CHECK(sooner.remaining_ms() == 0);
}

TEST_CASE("deadline: check tells a timeout from a stop, and what was going on") {
  const Status timeout = Deadline::in_ms(0).check("waiting for a model");
  CHECK(timeout.error().kind == ErrorKind::timeout);
  CHECK(timeout.error().message == "the time allowed passed while waiting for a model");
  std::stop_source stop;
  stop.request_stop();
  const Status cancelled = Deadline::never(stop.get_token()).check("waiting for a model");
  CHECK(cancelled.error().kind == ErrorKind::cancelled);
  CHECK(cancelled.error().message == "stopped while waiting for a model");
  CHECK(Deadline::in_ms(0, stop.get_token()).check("x").error().kind == ErrorKind::cancelled);
}

TEST_CASE("deadline: wait ends when ready, at the time, or on a stop") {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool ready = false;
  std::jthread setter([&] {
    const std::lock_guard lock(mutex);
    ready = true;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  CHECK(wait(changed, lock, Deadline::never(), [&] { return ready; }));
  CHECK(!wait(changed, lock, Deadline::in_ms(2), [] { return false; }));
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  CHECK(!wait(changed, lock, Deadline::never(stop.get_token()), [] { return false; }));
}

TEST_CASE("deadline: sleep_ms sleeps its time, or ends with the deadline") {
  CHECK(sleep_ms(0, Deadline::never()));
  const auto before = std::chrono::steady_clock::now();
  CHECK(sleep_ms(3, Deadline::never()));
  CHECK(std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(3));
  CHECK(!sleep_ms(60'000, Deadline::in_ms(2)));
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  CHECK(!sleep_ms(INT64_MAX, Deadline::never(stop.get_token())));
}

TEST_CASE("clock: the fake one stands until told, the system's goes on") {
  FakeClock fake(1000);
  const std::int64_t steady = fake.steady_ns();
  fake.advance_ms(5);
  CHECK(fake.unix_ms() == 1005);
  CHECK(fake.steady_ns() == steady + 5'000'000);
  const std::int64_t now = system_clock().steady_ns();
  CHECK(system_clock().steady_ns() >= now);
  CHECK(system_clock().unix_ms() > 1'700'000'000'000);
}

TEST_CASE("random: length, seeds, and an even spread below a bound") {
  CHECK(system_random().bytes(0).empty());
  CHECK(system_random().bytes(33).size() == 33);
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) seen.insert(system_random().bytes(16));
  CHECK(seen.size() == 100);
  const auto a = seeded_random(7);
  const auto b = seeded_random(7);
  const auto c = seeded_random(8);
  const std::string bytes = a->bytes(100);
  CHECK(b->bytes(100) == bytes);
  CHECK(c->bytes(100) != bytes);
  std::array<int, 6> counts{};
  for (int i = 0; i < 60'000; ++i) ++counts[a->below(6)];
  for (const int count : counts) {
    CHECK(count > 9'000);
    CHECK(count < 11'000);
  }
  CHECK(a->below(1) == 0);
  CHECK(a->below(UINT64_MAX) < UINT64_MAX);
}
