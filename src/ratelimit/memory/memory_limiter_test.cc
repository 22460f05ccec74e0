// SPDX-License-Identifier: Apache-2.0
// The limiter in memory: the table of cases of every limiter, and what only this one has: its
// bounds, its way through a restart, what operators see.
#include "ratelimit/memory/memory_limiter.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "ratelimit/limiter_contract.h"

namespace cairn::ratelimit {
namespace {

using contract::admitted;
using contract::check_refused;
using contract::check_window;
using contract::once;
using contract::read_of;
using contract::user;

/// A limiter on a clock that stands still, and its metrics.
struct World {
  explicit World(Policy from, std::uint64_t seed = 7)
      : policy(std::move(from)),
        random(os::seeded_random(seed)),
        limiter(memory_limiter(std::make_shared<const Policy>(policy), clock, *random, metrics)) {}
  bool shows(std::string_view line) const {
    return metrics.expose().find("\n" + std::string(line) + "\n") != std::string::npos;
  }
  Policy policy;
  os::FakeClock clock{1'700'000'000'000};
  os::Metrics metrics;
  std::unique_ptr<os::Random> random;
  std::unique_ptr<Limiter> limiter;
};

contract::Bench make_bench(Policy policy) {
  const auto world = std::make_shared<World>(std::move(policy));
  return {.limiter = std::move(world->limiter),
          .advance_ms = [world](std::int64_t ms) { world->clock.advance_ms(ms); },
          .unix_ms = [world] { return world->clock.unix_ms(); }};
}

Identity address(std::uint32_t number) {
  return {.kind = IdentityKind::address, .account = "ip:host-" + std::to_string(number)};
}
Policy small_table(std::uint32_t places) {
  Policy policy = default_policy();
  policy.max_identities = places;
  return policy;
}

TEST_CASE("memory limiter: decides what every limiter must") { contract::run_all(make_bench); }

TEST_CASE("memory limiter: a flood of addresses stays within bounds and gives nobody more") {
  World world(small_table(1'000));
  const Charge charge = read_of(world.policy);
  CHECK(admitted(*world.limiter, address(0), charge, 70) == 60);  // limited before the flood
  CHECK(admitted(*world.limiter, address(1), charge, 30) == 30);  // half of it used
  for (std::uint32_t i = 2; i < 50'000; ++i) once(*world.limiter, address(i), charge);
  check_refused(once(*world.limiter, address(0), charge), Refusal::primary);
  CHECK(admitted(*world.limiter, address(1), charge, 40) <= 30);
  CHECK(world.shows("cairn_ratelimit_identities{kind=\"address\"} 1000"));
  // Callers with credentials get records of their own, and addresses what they had left.
  for (std::uint32_t i = 0; i < 900; ++i)
    CHECK(once(*world.limiter, user(std::to_string(i)), charge).window->used == 1);
  CHECK(admitted(*world.limiter, user("5"), charge, 50) == 50);
  check_refused(once(*world.limiter, address(0), charge), Refusal::primary);
  CHECK(admitted(*world.limiter, address(1), charge, 40) <= 30);
  // Strangers degrade each other only: what they get in all is bounded.
  std::uint64_t in_all = 0;
  for (int round = 0; round < 3; ++round)
    for (std::uint32_t i = 50'000; i < 60'000; ++i)
      in_all += once(*world.limiter, address(i), charge).admitted() ? 1 : 0;
  CHECK(in_all <= 3 * 10'000);
  // An hour later all of it is over.
  world.clock.advance_ms(3'601'000);
  CHECK(admitted(*world.limiter, address(0), charge, 70) == 60);
}

TEST_CASE("R01: 10,000 parallel requests, a window edge and a restart admit exactly the limit") {
  Policy policy = small_table(1'000);
  policy.secondary = {.concurrent = {},
                      .points_rest = {},
                      .points_graphql = {},
                      .cpu_ms_total = {},
                      .cpu_ms_graphql = {},
                      .content_per_minute = {},
                      .content_per_hour = {},
                      .heavy_per_minute = {}};
  policy.plans.user = 1'000;
  const auto storm = [&](Limiter& limiter, int each) {
    std::atomic<int> total = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 20; ++t)
      threads.emplace_back(
          [&] { total += admitted(limiter, user("a"), read_of(policy), each); });
    threads.clear();
    return total.load();
  };
  World first(policy);
  CHECK(storm(*first.limiter, 500) == 1'000);
  // Over the edge: the window ends while requests come.
  first.clock.advance_ms(3'599'000);
  CHECK(storm(*first.limiter, 100) == 0);
  std::atomic<int> total = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 20; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 500; ++i) {
          if (t == 0 && i == 250) first.clock.advance_ms(2'000);
          total += once(*first.limiter, user("a"), read_of(policy)).admitted() ? 1 : 0;
        }
      });
  }
  total += storm(*first.limiter, 100);
  CHECK(total == 1'000);
  // Over a restart: what was used before it counts after it.
  first.clock.advance_ms(3'700'000);
  CHECK(storm(*first.limiter, 20) == 400);
  World again(policy);
  again.clock.advance_ms(first.clock.unix_ms() - again.clock.unix_ms());
  REQUIRE(again.limiter->restore(first.limiter->save()).ok());
  CHECK(storm(*again.limiter, 500) == 600);
}

TEST_CASE("R03: what the headers say is what was decided, enforced and in the shadow") {
  for (const bool shadow : {false, true}) {
    CAPTURE(shadow);
    Policy policy = small_table(1'000);
    policy.plans.user = 5;
    policy.shadow = shadow;
    World world(policy);
    for (std::uint32_t i = 1; i <= 8; ++i) {
      const Decision decision = once(*world.limiter, user("a"), read_of(policy));
      CHECK(decision.admitted() == (shadow || i <= 5));
      CHECK(decision.shadowed == (shadow && i > 5));
      check_window(decision, 5, shadow ? i : std::min(i, 5u));
      // GET /rate_limit reads the same record, and costs nothing of it.
      Charge status = read_of(policy, "core", 99);
      status.no_primary = true;
      const Decision asked = once(*world.limiter, user("a"), status);
      CHECK(asked.admitted());
      check_window(asked, 5, decision.window->used);
      const WindowState core = world.limiter->windows(user("a")).front();
      CHECK(core.used == decision.window->used);
      CHECK(core.remaining == decision.window->remaining);
      CHECK(core.reset_s == decision.window->reset_s);
    }
  }
}

TEST_CASE("R04: the table of identities has a bound, and nobody who is limited leaves it") {
  World world(small_table(5'000));
  const Charge charge = read_of(world.policy);
  for (std::uint32_t i = 0; i < 500; ++i)
    CHECK(admitted(*world.limiter, user(std::to_string(i)), charge, 6) >= 5);
  world.policy.plans.user = 5;  // so that they are limited from now on
  world.limiter->set_policy(std::make_shared<const Policy>(world.policy));
  // Each /64 is an address of its own.
  for (std::uint32_t i = 0; i < 300'000; ++i) {
    const Identity stranger{.kind = IdentityKind::address,
                            .account = fmt::format("ip:2001:db8:{:x}:{:x}::/64", i >> 16, i & 0xffff)};
    once(*world.limiter, stranger, charge);
  }
  CHECK(world.shows("cairn_ratelimit_identities{kind=\"caller\"} 500"));
  CHECK(world.shows("cairn_ratelimit_identities{kind=\"address\"} 4500"));
  for (std::uint32_t i = 0; i < 500; ++i)
    check_refused(once(*world.limiter, user(std::to_string(i)), charge), Refusal::primary);
}

TEST_CASE("memory limiter: a full table keeps requests under way, and loses none of them") {
  World world(small_table(64));
  const Charge charge = read_of(world.policy);
  std::vector<Admission> held;
  for (std::uint32_t i = 0; i < 200; ++i)
    held.push_back(world.limiter->admit(user(std::to_string(i)), charge));
  CHECK(world.shows("cairn_ratelimit_identities{kind=\"caller\"} 64"));
  world.clock.advance_ms(7'200'000);
  for (std::uint32_t i = 200; i < 400; ++i) once(*world.limiter, user(std::to_string(i)), charge);
  CHECK(world.limiter->describe(user("3")).find_path("secondary.concurrent.used")->as_int() == 1);
  held.clear();
  CHECK(world.limiter->describe(user("3")).find_path("secondary.concurrent.used")->as_int() == 0);
  CHECK(world.shows("cairn_ratelimit_double_release_total 0"));
}

TEST_CASE("memory limiter: one identity on many endpoints, with room for them and without") {
  Policy policy = small_table(1);
  policy.secondary.points_rest = 10;
  World world(policy);
  const auto on_endpoints = [&](std::string_view who, std::uint32_t count) {
    int got = 0;
    for (int round = 0; round < 11; ++round)
      for (std::uint32_t endpoint = 1; endpoint <= count; ++endpoint)
        got += once(*world.limiter, user(who), read_of(policy, "core", endpoint * 64)).admitted();
    return got;
  };
  CHECK(on_endpoints("a", 100) == 1'000);
  // The table is full: others share a record, in which endpoints share what room there is.
  const int shared = on_endpoints("b", 100);
  CHECK(shared >= 10);
  CHECK(shared <= 40);
  CHECK(world.limiter->describe(user("b")).bool_or("shares_record"));
  // More endpoints than there is room for: stricter, never freer.
  world.clock.advance_ms(180'000);
  const int crowded = on_endpoints("a", 2'000);
  CHECK(crowded >= 10);
  CHECK(crowded <= 4'800);
}

TEST_CASE("memory limiter: many resources of one identity keep their windows apart") {
  World world(small_table(1'000));
  const auto count = static_cast<std::uint32_t>(world.policy.resources.size());
  for (std::uint32_t round = 1; round <= 5; ++round)
    for (std::uint16_t i = 0; i < count; ++i)
      if (world.policy.limit_of(user("a"), i))
        check_window(once(*world.limiter, user("a"), {.resource = i, .endpoint = 1u + i * 64u}),
                     *world.policy.limit_of(user("a"), i), round);
}

TEST_CASE("memory limiter: counts, bans and content survive a restart") {
  Policy policy = contract::with_user_limit(100);
  policy.ban = {.enabled = true, .strikes = 3, .window_s = 600, .first_s = 900, .longest_s = 900};
  World before(policy, 1);
  const Charge charge = read_of(policy);
  CHECK(admitted(*before.limiter, user("a"), charge, 40) == 40);
  CHECK(admitted(*before.limiter, user("a"), read_of(policy, "search", 9), 7) == 7);
  CHECK(admitted(*before.limiter, user("c"), contract::content_of(policy), 30) == 30);
  admitted(*before.limiter, address(1), charge, 66);  // 60, and banned
  const Decision was = once(*before.limiter, user("a"), charge);
  const std::string bytes = before.limiter->save();

  World after(policy, 2);
  REQUIRE(after.limiter->restore(bytes).ok());
  const Decision is = once(*after.limiter, user("a"), charge);
  check_window(is, 100, 42);
  CHECK(is.window->reset_s == was.window->reset_s);
  check_window(once(*after.limiter, user("a"), read_of(policy, "search", 9)), 30, 8);
  check_refused(once(*after.limiter, address(1), charge), Refusal::banned);
  CHECK(admitted(*after.limiter, user("c"), contract::content_of(policy), 80) == 50);
  CHECK(once(*after.limiter, user("new"), charge).window->used == 1);

  World late(policy, 3);
  late.clock.advance_ms(3'601'000);
  REQUIRE(late.limiter->restore(bytes).ok());
  check_window(once(*late.limiter, user("a"), charge), 100, 1);

  World early(policy, 4);
  early.clock.advance_ms(-86'400'000);  // a clock that was set back makes nobody wait a day
  REQUIRE(early.limiter->restore(bytes).ok());
  const Decision cut = once(*early.limiter, user("a"), charge);
  check_window(cut, 100, 42);
  CHECK(cut.window->reset_s <= early.clock.unix_ms() / 1'000 + 3'600);
}

TEST_CASE("memory limiter: shared records survive a restart too") {
  World before(small_table(2), 1);
  const Charge charge = read_of(before.policy);
  for (std::uint32_t i = 0; i < 3; ++i) admitted(*before.limiter, address(i), charge, 60);
  World after(small_table(2), 2);
  REQUIRE(after.limiter->restore(before.limiter->save()).ok());
  for (std::uint32_t i = 0; i < 3; ++i)
    check_refused(once(*after.limiter, address(i), charge), Refusal::primary);
}

TEST_CASE("memory limiter: damaged bytes are refused and change nothing") {
  World world(contract::with_user_limit(10));
  const Charge charge = read_of(world.policy);
  CHECK(admitted(*world.limiter, user("a"), charge, 4) == 4);
  const std::string good = world.limiter->save();
  const auto refused = [&](const std::string& bytes) {
    const Status status = world.limiter->restore(bytes);
    return !status.ok() && status.error().kind == ErrorKind::corrupt;
  };
  for (std::size_t size = 0; size < good.size(); ++size) CHECK(refused(good.substr(0, size)));
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    CHECK(refused(bad));
  }
  CHECK(refused(good + "x"));
  check_window(once(*world.limiter, user("a"), charge), 10, 5);
}

TEST_CASE("memory limiter: an operator sees the secondary counters too") {
  Policy policy = contract::with_user_limit(100);
  policy.ban.enabled = true;
  World world(policy);
  Json nobody = world.limiter->describe(user("a"));
  CHECK_FALSE(nobody.bool_or("known", true));
  Admission held = world.limiter->admit(user("a"), contract::content_of(policy));
  once(*world.limiter, user("a"), contract::graphql_of(policy), 1'500);
  const Json seen = world.limiter->describe(user("a"));
  CHECK(seen.string_or("account") == "user:a");
  CHECK(seen.string_or("kind") == "user");
  CHECK(seen.bool_or("known"));
  const auto number = [&](std::string_view path) { return seen.find_path(path)->as_int(); };
  CHECK(number("windows.core.used") == 1);
  CHECK(number("windows.core.remaining") == 99);
  CHECK(number("windows.lfs.limit") == 3'000);
  CHECK(number("secondary.concurrent.used") == 1);
  CHECK(number("secondary.cpu_ms_per_minute.total.used") == 1'500);
  CHECK(number("secondary.cpu_ms_per_minute.graphql.limit") == 60'000);
  CHECK(number("secondary.content_per_minute.used") == 1);
  CHECK(number("secondary.content_per_hour.used") == 1);
  const Json* points = seen.find_path("secondary.points_per_minute.used");
  REQUIRE(points != nullptr);
  CHECK(points->as_object().size() == 2);
  CHECK(seen.dump().find("banned") == std::string::npos);
}

TEST_CASE("memory limiter: CPU time that is shown is at the limit when requests are refused") {
  Policy policy = contract::with_user_limit(100);
  policy.secondary.cpu_ms_total = 150;
  World world(policy);
  const auto shown = [&] {
    return world.limiter->describe(user("a"))
        .find_path("secondary.cpu_ms_per_minute.total.used")
        ->as_int();
  };
  const auto take = [&](std::int64_t cpu_us) {
    Admission admission = world.limiter->admit(user("a"), read_of(policy));
    const bool admitted = admission.decision().admitted();
    admission.finish(cpu_us * 1'000);
    return admitted;
  };
  CHECK(take(149'999));
  CHECK(shown() == 149);
  CHECK(take(1));
  CHECK(shown() == 150);
  CHECK_FALSE(take(0));
}

TEST_CASE("memory limiter: refusals are numbered, so that logs can be thinned") {
  World world(contract::with_user_limit(0));
  const Charge charge = read_of(world.policy);
  for (std::uint32_t i = 1; i <= 150; ++i)
    CHECK(once(*world.limiter, user("a"), charge).nth_refusal == i);
  CHECK(once(*world.limiter, user("b"), charge).nth_refusal == 1);
  world.clock.advance_ms(3'600'000);
  CHECK(once(*world.limiter, user("a"), charge).nth_refusal == 1);
}

TEST_CASE("memory limiter: metrics may be read after its end") {
  World world(contract::with_user_limit(5));
  once(*world.limiter, user("a"), read_of(world.policy));
  CHECK(world.shows("cairn_ratelimit_identities{kind=\"caller\"} 1"));
  world.limiter = nullptr;  // the registry lives longer
  CHECK_FALSE(world.shows("cairn_ratelimit_identities{kind=\"caller\"} 1"));
}

TEST_CASE("memory limiter: object storage with a plan has all limits, of its own") {
  Policy policy = contract::with_user_limit(100);
  policy.objects = 3;
  policy.secondary.concurrent = 2;
  World world(policy);
  Charge object = read_of(policy);
  object.surface = Surface::objects;
  Admission one = world.limiter->admit(user("a"), object);
  Admission two = world.limiter->admit(user("a"), object);
  check_window(two.decision(), 3, 2);
  check_refused(once(*world.limiter, user("a"), object), Refusal::concurrent);
  CHECK(once(*world.limiter, user("a"), read_of(policy)).admitted());  // the others' counter
  one.finish(0);
  CHECK(once(*world.limiter, user("a"), object).admitted());
  check_refused(once(*world.limiter, user("a"), object), Refusal::primary);
  CHECK(world.policy.resources[once(*world.limiter, user("a"), object).window->resource].name ==
        "objects");
}

TEST_CASE("memory limiter: an exempt account of the policy, and counters that do not wrap") {
  Policy policy = contract::with_user_limit(10);
  policy.identity.exempt = {"user:root"};
  World world(policy);
  Charge dear = read_of(policy);
  dear.cost = 0xffff'ffff;
  dear.points = 0xffff'ffff;
  for (int i = 0; i < 5; ++i) {
    const Decision decision = once(*world.limiter, user("root"), dear, 2'000'000'000);
    CHECK(decision.admitted());
    CHECK(decision.shadowed);
    CHECK(decision.window->used == 0xffff'ffff);
    CHECK(decision.window->remaining == 0);
  }
}

TEST_CASE("memory limiter: policies change under fire") {
  Policy lavish = contract::with_user_limit(std::uint32_t{4'000'000'000});
  lavish.secondary.points_rest = std::nullopt;
  World world(lavish);
  const Charge charge = read_of(world.policy);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> decided{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      while (!stop) {
        if (once(*world.limiter, user(std::to_string(t)), charge).admitted()) ++decided;
      }
    });
  for (std::uint32_t i = 0; i < 300 || decided < 1'000; ++i) {
    Policy next = world.policy;
    next.minute_s = 1 + i % 60;
    next.resources.resize(next.resources.size() - i % 3);  // charges of the old one stay usable
    world.limiter->set_policy(std::make_shared<const Policy>(next));
    (void)world.limiter->save();
    (void)world.limiter->windows(user("1"));
  }
  stop = true;
  threads.clear();
  std::uint64_t used = 0;
  for (int t = 0; t < 4; ++t) used += world.limiter->windows(user(std::to_string(t))).front().used;
  CHECK(used == decided);  // none was lost
}

}  // namespace
}  // namespace cairn::ratelimit
