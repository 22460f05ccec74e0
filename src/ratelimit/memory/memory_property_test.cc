// SPDX-License-Identifier: Apache-2.0
// The limiter in memory against a slow, clear one that keeps a log of everything; and what must
// hold whatever threads and clocks do.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ratelimit/limiter_contract.h"
#include "ratelimit/memory/memory_limiter.h"

namespace cairn::ratelimit {
namespace {

std::uint64_t seed_of_run() {
  const char* given = std::getenv("CAIRN_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  MESSAGE("CAIRN_SEED=" << seed);
  return seed;
}

/// One identity, by logs: every event with its time, nothing summed up in advance.
class Slow {
 public:
  Slow(const Policy& policy, Limit limit) : policy_(policy), limit_(limit) {}

  Refusal test(const Charge& charge, std::int64_t now) {
    open_window(now);
    const Secondary& secondary = policy_.secondary;
    if (limit_ && used_ + charge.cost > *limit_) return Refusal::primary;
    if (secondary.concurrent && live_ >= *secondary.concurrent) return Refusal::concurrent;
    const Limit cap = charge.graphql ? secondary.points_graphql : secondary.points_rest;
    if (cap && !fits(points_[charge.endpoint], now, charge.points, *cap)) return Refusal::points;
    const auto us = [](const Limit& ms) { return std::uint64_t{*ms} * 1'000; };
    if (secondary.cpu_ms_total && !fits(cpu_, now, 1, us(secondary.cpu_ms_total)))
      return Refusal::cpu;
    if (charge.graphql && secondary.cpu_ms_graphql &&
        !fits(graphql_cpu_, now, 1, us(secondary.cpu_ms_graphql)))
      return Refusal::cpu;
    if (charge.content) {
      if (secondary.content_per_minute && !fits(content_, now, 1, *secondary.content_per_minute))
        return Refusal::content_minute;
      if (secondary.content_per_hour && hour(content_, now) >= *secondary.content_per_hour)
        return Refusal::content_hour;
    }
    if (secondary.heavy_per_minute && !fits(heavy_, now, 1, *secondary.heavy_per_minute))
      return Refusal::compute;
    return Refusal::none;
  }
  void charge(const Charge& charge, std::int64_t now) {
    used_ += charge.cost;
    if (reset_ == 0) reset_ = next_reset(now);
    ++live_;
    points_[charge.endpoint].emplace_back(now, charge.points);
    if (charge.content) content_.emplace_back(now, 1);
  }
  void finish(const Charge& charge, std::int64_t cpu_us, std::int64_t now) {
    --live_;
    if (cpu_us == 0) return;
    cpu_.emplace_back(now, cpu_us);
    if (charge.graphql) graphql_cpu_.emplace_back(now, cpu_us);
    if (cpu_us >= std::int64_t{policy_.secondary.heavy_cpu_ms} * 1'000) heavy_.emplace_back(now, 1);
  }
  WindowState window(std::int64_t now) {
    open_window(now);
    const auto used = static_cast<std::uint32_t>(used_);
    return {.limit = *limit_,
            .used = used,
            .remaining = used < *limit_ ? *limit_ - used : 0,
            .reset_s = reset_ == 0 ? next_reset(now) : reset_};
  }

 private:
  using Events = std::vector<std::pair<std::int64_t, std::int64_t>>;
  std::int64_t next_reset(std::int64_t now) const {
    return (now + 999) / 1'000 + policy_.resources[0].window_s;
  }
  void open_window(std::int64_t now) {
    if (reset_ != 0 && now >= reset_ * 1'000) used_ = 0, reset_ = 0;
  }
  static std::uint64_t sum(const Events& events, std::int64_t from, std::int64_t to) {
    std::uint64_t total = 0;
    for (const auto& [at, count] : events)
      if (at >= from && at < to) total += static_cast<std::uint64_t>(count);
    return total;
  }
  bool fits(const Events& events, std::int64_t now, std::uint64_t add, std::uint64_t cap) const {
    const std::int64_t length = std::int64_t{policy_.minute_s} * 1'000;
    const std::int64_t begin = now / length * length;
    const auto span = static_cast<std::uint64_t>(length);
    const auto left = static_cast<std::uint64_t>(begin + length - now);
    return sum(events, begin - length, begin) * left +
               (sum(events, begin, begin + length) + add) * span <=
           cap * span;
  }
  std::uint64_t hour(const Events& events, std::int64_t now) const {
    const std::int64_t length = std::int64_t{policy_.hour_s} * 1'000 / 12;
    const std::int64_t begin = now / length * length;
    return sum(events, begin - 12 * length, begin + length);
  }
  const Policy& policy_;
  Limit limit_;
  std::uint64_t used_ = 0;
  std::int64_t reset_ = 0;
  std::uint64_t live_ = 0;
  std::map<std::uint32_t, Events> points_;
  Events cpu_, graphql_cpu_, heavy_, content_;
};

struct Held {
  Admission admission;
  Charge charge;
  std::size_t who;
};

Policy small_policy(std::mt19937_64& dice) {
  Policy policy = default_policy();
  const auto some = [&](std::uint32_t most) -> Limit {
    if (dice() % 5 == 0) return std::nullopt;
    return static_cast<std::uint32_t>(dice() % (most + 1));
  };
  policy.plans.user = static_cast<std::uint32_t>(dice() % 200);
  policy.secondary.concurrent = some(8);
  policy.secondary.points_rest = some(200);
  policy.secondary.points_graphql = some(200);
  policy.secondary.cpu_ms_total = some(5'000);
  policy.secondary.cpu_ms_graphql = some(3'000);
  policy.secondary.content_per_minute = some(20);
  policy.secondary.content_per_hour = some(50);
  policy.secondary.heavy_per_minute = some(10);
  policy.secondary.heavy_cpu_ms = 200;
  return policy;
}

void compare(Slow& slow, const Decision& decision, Refusal expected, std::int64_t now) {
  REQUIRE(name_of(decision.refusal) == name_of(expected));
  const WindowState want = slow.window(now);
  if (!decision.window) {
    CHECK(is_secondary(decision.refusal));
    CHECK(want.remaining == 0);
    return;
  }
  const WindowState& have = *decision.window;
  REQUIRE(have.used == want.used);
  CHECK(have.limit == want.limit);
  CHECK(have.remaining == want.remaining);
  CHECK(have.reset_s == want.reset_s);
  if (have.used <= have.limit) CHECK(have.remaining + have.used == have.limit);
  if (is_secondary(decision.refusal)) CHECK(have.remaining > 0);
  CHECK((decision.retry_after_s >= 1) == !decision.admitted());
}

TEST_CASE("memory limiter: decides as logs of all events say, on random clocks") {
  std::mt19937_64 dice(seed_of_run());
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const Policy policy = small_policy(dice);
    os::FakeClock clock(1'700'000'000'000 + static_cast<std::int64_t>(dice() % 10'000'000));
    os::Metrics metrics;
    const auto random = os::seeded_random(dice());
    const auto limiter =
        memory_limiter(std::make_shared<const Policy>(policy), clock, *random, metrics);
    std::vector<Slow> slow(3, Slow(policy, policy.plans.user));
    std::vector<Held> held;
    std::vector<AccountNote> notes(slow.size());
    for (int i = 0; i < 600; ++i) {
      const std::uint64_t step = dice() % 100;
      clock.advance_ms(static_cast<std::int64_t>(dice() % (step == 0   ? 4'000'000
                                                           : step < 5  ? 90'000
                                                           : step < 40 ? 3'000
                                                                       : 1)));
      const std::int64_t now = clock.unix_ms();
      if (!held.empty() && dice() % 3 != 0) {
        const std::size_t at = dice() % held.size();
        std::swap(held[at], held.back());
        // At least a millisecond, or nothing: what is less goes to the time of the last decision.
        const auto cpu_us = static_cast<std::int64_t>(dice() % 2 * (1'000 + dice() % 400'000));
        slow[held.back().who].finish(held.back().charge, cpu_us, now);
        held.back().admission.finish(cpu_us * 1'000);
        held.pop_back();
        continue;
      }
      const std::size_t who = dice() % slow.size();
      Charge charge{.endpoint = static_cast<std::uint32_t>(1 + dice() % 6) << 8};
      charge.cost = dice() % 10 == 0 ? static_cast<std::uint32_t>(dice() % 5) : 1;
      charge.points = dice() % 2 == 0 ? 1 : 5;
      charge.content = dice() % 3 == 0;
      charge.graphql = dice() % 5 == 0;
      if (charge.graphql) charge.endpoint = 7 << 8;  // an endpoint is one or the other
      const Refusal expected = slow[who].test(charge, now);
      const Identity user = contract::user(std::to_string(who));
      if (dice() % 3 == 0) limiter->announce(user, notes[who]);
      Admission admission = dice() % 4 == 0 ? limiter->admit(user, charge)
                                            : limiter->admit_noted(user, charge, notes[who]);
      if (expected == Refusal::none) slow[who].charge(charge, now);
      compare(slow[who], admission.decision(), expected, now);
      if (expected == Refusal::none) held.push_back({std::move(admission), charge, who});
    }
  }
}

TEST_CASE("memory limiter: a refused request is admitted after the wait, if nothing else comes") {
  std::mt19937_64 dice(seed_of_run());
  int refusals = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const Policy policy = small_policy(dice);
    os::FakeClock clock(1'700'000'000'000 + static_cast<std::int64_t>(dice() % 10'000'000));
    os::Metrics metrics;
    const auto random = os::seeded_random(dice());
    const auto limiter =
        memory_limiter(std::make_shared<const Policy>(policy), clock, *random, metrics);
    const Charge charge{.endpoint = 8, .points = 5, .content = true};
    for (int i = 0; i < 300; ++i) {
      clock.advance_ms(static_cast<std::int64_t>(dice() % 2'000));
      const Decision decision = contract::once(*limiter, contract::user("a"), charge, 1 + i % 50);
      if (decision.admitted()) continue;
      const Secondary& s = policy.secondary;
      const bool never = policy.plans.user == Limit(0) || s.concurrent == Limit(0) ||
                         (s.points_rest && *s.points_rest < 5) || s.cpu_ms_total == Limit(0) ||
                         s.content_per_minute == Limit(0) || s.content_per_hour == Limit(0) ||
                         s.heavy_per_minute == Limit(0);
      if (never) break;
      // One limit is named at a time, so that others may hold the request up behind it.
      Decision again = decision;
      for (int tries = 0; tries < 6 && !again.admitted(); ++tries) {
        clock.advance_ms(std::int64_t{again.retry_after_s} * 1'000);
        const Refusal before = again.refusal;
        again = contract::once(*limiter, contract::user("a"), charge);
        CHECK(again.refusal != before);
      }
      CHECK(again.admitted());
      ++refusals;
    }
  }
  CHECK(refusals > 60);
}

TEST_CASE("memory limiter: 16 threads and a running clock never get more than a window has") {
  std::mt19937_64 dice(seed_of_run());
  Policy policy = contract::with_user_limit(50);
  policy.resources[0].window_s = 2;
  policy.secondary.points_rest = 4'000'000;
  policy.secondary.concurrent = 5;
  os::FakeClock clock;
  os::Metrics metrics;
  const auto random = os::seeded_random(dice());
  const auto limiter =
      memory_limiter(std::make_shared<const Policy>(policy), clock, *random, metrics);
  AccountNote notes[3];
  std::mutex mutex;
  std::map<std::pair<int, std::int64_t>, std::uint32_t> windows;  // admitted, by user and reset
  std::atomic<int> live[3] = {};
  std::atomic<int> over{0}, untrue{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 16; ++t)
      threads.emplace_back([&, t] {
        std::mt19937 own(static_cast<unsigned>(t));
        std::map<std::pair<int, std::int64_t>, std::uint32_t> mine;
        for (int i = 0; i < 4'000; ++i) {
          const int who = static_cast<int>(own() % 3);
          if (own() % 64 == 0) clock.advance_ms(static_cast<std::int64_t>(own() % 300));
          const Identity user = contract::user(std::to_string(who));
          const Charge charge{.endpoint = 1 + static_cast<unsigned>(t)};
          if (own() % 4 == 0) limiter->announce(user, notes[who]);
          Admission admission = own() % 2 == 0 ? limiter->admit_noted(user, charge, notes[who])
                                               : limiter->admit(user, charge);
          const Decision& decision = admission.decision();
          if (decision.window && decision.window->remaining + decision.window->used != 50) ++untrue;
          if (!decision.admitted()) continue;
          if (++live[who] > 5) ++over;
          if (own() % 8 == 0)
            admission.refund();  // not counted then, in its own window only
          else
            ++mine[{who, decision.window->reset_s}];
          --live[who];
          Admission moved = std::move(admission);
          if (own() % 2 == 0) moved.finish(1'000);
          moved.finish(1'000);  // and again in its destructor
        }
        const std::lock_guard lock(mutex);
        for (const auto& [window, count] : mine) windows[window] += count;
      });
  }
  CHECK(windows.size() > 10);
  for (const auto& [window, count] : windows) CHECK(count <= 50);
  CHECK(over == 0);
  CHECK(untrue == 0);
  for (int who = 0; who < 3; ++who) {
    const Json seen = limiter->describe(contract::user(std::to_string(who)));
    CHECK(seen.find_path("secondary.concurrent.used")->as_int() == 0);
  }
  const std::string shown = metrics.expose();
  CHECK(shown.find("cairn_ratelimit_double_release_total 0\n") != std::string::npos);
}

}  // namespace
}  // namespace cairn::ratelimit
