// SPDX-License-Identifier: Apache-2.0
// What every limiter must decide, as a table of cases. The tests of each one run the whole table.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ratelimit/limiter.h"

namespace cairn::ratelimit::contract {

/// One limiter with nothing counted yet, and the only clock that it knows.
struct Bench {
  std::unique_ptr<Limiter> limiter;
  std::function<void(std::int64_t ms)> advance_ms;
  std::function<std::int64_t()> unix_ms;
};
using MakeBench = std::function<Bench(Policy)>;

struct Case {
  std::string_view name;
  void (*run)(const MakeBench&);
};

inline Identity user(std::string_view name) {
  return {.kind = IdentityKind::user, .account = "user:" + std::string(name)};
}
inline Identity stranger() { return {.kind = IdentityKind::address, .account = "ip:192.0.2.1"}; }

/// The default limits, with `primary` an hour for users.
inline Policy with_user_limit(Limit primary) {
  Policy policy = default_policy();
  policy.plans.user = primary;
  return policy;
}
inline Charge read_of(const Policy& policy, std::string_view resource = "core",
                      std::uint32_t endpoint = 1) {
  const auto index = policy.resource(resource);
  REQUIRE(index.has_value());
  return {.resource = *index, .endpoint = endpoint};
}
inline Charge write_of(const Policy& policy, std::uint32_t endpoint = 2) {
  Charge charge = read_of(policy, "core", endpoint);
  charge.points = 5;
  return charge;
}
inline Charge content_of(const Policy& policy, std::uint32_t endpoint = 3) {
  Charge charge = write_of(policy, endpoint);
  charge.content = true;
  return charge;
}
inline Charge graphql_of(const Policy& policy) {
  Charge charge = read_of(policy, "graphql", 4);
  charge.graphql = true;
  return charge;
}

/// One request that is over at once and took `cpu_ms`.
inline Decision once(Limiter& limiter, const Identity& who, const Charge& charge,
                     std::int64_t cpu_ms = 0) {
  Admission admission = limiter.admit(who, charge);
  Decision decision = admission.decision();
  admission.finish(cpu_ms * 1'000'000);
  return decision;
}
/// How many of `tries` requests were admitted.
inline int admitted(Limiter& limiter, const Identity& who, const Charge& charge, int tries) {
  int count = 0;
  for (int i = 0; i < tries; ++i) count += once(limiter, who, charge).admitted() ? 1 : 0;
  return count;
}
inline void check_window(const Decision& decision, std::uint32_t limit, std::uint32_t used) {
  REQUIRE(decision.window.has_value());
  CHECK(decision.window->limit == limit);
  CHECK(decision.window->used == used);
  CHECK(decision.window->remaining == (used < limit ? limit - used : 0));
}
inline void check_refused(const Decision& decision, Refusal why) {
  CHECK(name_of(decision.refusal) == name_of(why));
  CHECK(decision.retry_after_s >= 1);
  if (is_secondary(why) && why != Refusal::banned && decision.window)
    CHECK(decision.window->remaining > 0);
}

inline void primary_window(const MakeBench& make) {
  const Policy policy = with_user_limit(3);
  const Bench bench = make(policy);
  const Charge charge = read_of(policy);
  bench.advance_ms(1);  // off the whole second
  const std::int64_t reset = (bench.unix_ms() + 999) / 1000 + 3'600;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    const Decision decision = once(*bench.limiter, user("a"), charge);
    CHECK(decision.admitted());
    check_window(decision, 3, i);
    CHECK(decision.window->reset_s == reset);
    CHECK(decision.window->resource == charge.resource);
    bench.advance_ms(1'000);
  }
  for (int i = 0; i < 3; ++i) {  // refusals are not counted
    const Decision refused = once(*bench.limiter, user("a"), charge);
    check_refused(refused, Refusal::primary);
    check_window(refused, 3, 3);
    CHECK(refused.retry_after_s == reset - bench.unix_ms() / 1000);
  }
  CHECK(once(*bench.limiter, user("b"), charge).admitted());  // nobody else is
  bench.advance_ms(reset * 1000 - bench.unix_ms() - 1);
  check_refused(once(*bench.limiter, user("a"), charge), Refusal::primary);
  bench.advance_ms(1);  // a client that wakes at the reset is inside the new window
  const Decision fresh = once(*bench.limiter, user("a"), charge);
  CHECK(fresh.admitted());
  check_window(fresh, 3, 1);
  CHECK(fresh.window->reset_s == reset + 3'600);
}

inline void resources_apart(const MakeBench& make) {
  const Policy policy = with_user_limit(2);
  const Bench bench = make(policy);
  const Charge search = read_of(policy, "search", 9);
  CHECK(admitted(*bench.limiter, user("a"), read_of(policy), 3) == 2);
  CHECK(admitted(*bench.limiter, user("a"), search, 31) == 30);
  bench.advance_ms(61'000);  // a minute's resource, an hour's
  CHECK(admitted(*bench.limiter, user("a"), search, 31) == 30);
  CHECK(admitted(*bench.limiter, user("a"), read_of(policy), 1) == 0);
  CHECK(admitted(*bench.limiter, stranger(), search, 11) == 10);
}

inline void one_counter_two_plans(const MakeBench& make) {
  Policy policy = with_user_limit(2);
  policy.plans.enterprise_user = 5;
  const Bench bench = make(policy);
  Identity wide = user("a");
  wide.kind = IdentityKind::oauth_user;
  wide.facts = {.enterprise_member = true, .app_owner_enterprise = true};
  REQUIRE(policy.limit_of(wide, *policy.resource("core")) == Limit(5));
  CHECK(admitted(*bench.limiter, user("a"), read_of(policy), 3) == 2);
  CHECK(admitted(*bench.limiter, wide, read_of(policy), 9) == 3);
  const Decision narrow = once(*bench.limiter, user("a"), read_of(policy));
  check_refused(narrow, Refusal::primary);
  check_window(narrow, 2, 5);
}

inline void costs_and_odd_limits(const MakeBench& make) {
  Policy policy = with_user_limit(10);
  policy.plans.oauth_app = 0;
  policy.plans.unauthenticated = std::nullopt;
  const Bench bench = make(policy);
  Charge dear = read_of(policy);
  dear.cost = 7;
  CHECK(once(*bench.limiter, user("a"), dear).admitted());
  check_refused(once(*bench.limiter, user("a"), dear), Refusal::primary);
  CHECK(admitted(*bench.limiter, user("a"), read_of(policy), 5) == 3);  // what is left fits
  const Identity app{.kind = IdentityKind::oauth_app, .account = "app:x"};
  const Decision never = once(*bench.limiter, app, read_of(policy));
  check_refused(never, Refusal::primary);
  check_window(never, 0, 0);
  const Decision free = once(*bench.limiter, stranger(), read_of(policy));
  CHECK(free.admitted());
  CHECK_FALSE(free.window.has_value());
}

inline void refunds(const MakeBench& make) {
  const Policy policy = with_user_limit(2);
  const Bench bench = make(policy);
  const Charge charge = read_of(policy);
  for (int i = 0; i < 5; ++i) {
    Admission admission = bench.limiter->admit(user("a"), charge);
    REQUIRE(admission.decision().admitted());
    admission.refund();
    check_window(admission.decision(), 2, 0);
    admission.refund();
    check_window(admission.decision(), 2, 0);
  }
  CHECK(once(*bench.limiter, user("a"), charge).admitted());
  Admission late = bench.limiter->admit(user("a"), charge);
  bench.advance_ms(3'700'000);
  CHECK(once(*bench.limiter, user("a"), charge).admitted());
  late.refund();  // of a window that is over
  late.finish(0);
  const Decision last = once(*bench.limiter, user("a"), charge);
  check_window(last, 2, 2);
  check_refused(once(*bench.limiter, user("a"), charge), Refusal::primary);
}

inline void points(const MakeBench& make) {
  const Policy policy = with_user_limit(5'000);
  const Bench bench = make(policy);
  CHECK(admitted(*bench.limiter, user("a"), write_of(policy, 7), 181) == 180);
  const Decision refused = once(*bench.limiter, user("a"), write_of(policy, 7));
  check_refused(refused, Refusal::points);
  check_window(refused, 5'000, 180);
  CHECK(refused.retry_after_s <= 120);
  CHECK(once(*bench.limiter, user("a"), write_of(policy, 8)).admitted());  // another endpoint
  CHECK(once(*bench.limiter, user("b"), write_of(policy, 7)).admitted());  // somebody else
  bench.advance_ms(std::int64_t{refused.retry_after_s} * 1'000);
  CHECK(once(*bench.limiter, user("a"), write_of(policy, 7)).admitted());  // as promised
  bench.advance_ms(120'000);
  CHECK(admitted(*bench.limiter, user("a"), write_of(policy, 7), 181) == 180);
}

inline void points_of_graphql(const MakeBench& make) {
  const Policy policy = with_user_limit(std::nullopt);
  const Bench bench = make(policy);
  Charge mutation = graphql_of(policy);
  mutation.points = 5;
  CHECK(admitted(*bench.limiter, user("a"), mutation, 410) == 400);
}

inline void concurrent(const MakeBench& make) {
  const Policy policy = with_user_limit(1'000);
  const Bench bench = make(policy);
  std::vector<Admission> held;
  for (std::uint32_t i = 0; i < 100; ++i) {
    Charge charge = i % 2 == 0 ? read_of(policy, "core", 10 + i) : graphql_of(policy);
    charge.surface = i % 3 == 0 ? Surface::code_hosting : Surface::platform;
    held.push_back(bench.limiter->admit(user("a"), charge));
    REQUIRE(held.back().decision().admitted());
  }
  const Decision refused = once(*bench.limiter, user("a"), read_of(policy));
  check_refused(refused, Refusal::concurrent);
  CHECK(refused.retry_after_s == 1);
  check_window(refused, 1'000, 50);
  CHECK(once(*bench.limiter, user("b"), read_of(policy)).admitted());
  Charge status = read_of(policy);
  status.no_primary = true;
  CHECK(once(*bench.limiter, user("a"), status).admitted());
  held.back().finish(0);
  held.back().finish(0);  // again: nothing
  Admission next = bench.limiter->admit(user("a"), read_of(policy));
  CHECK(next.decision().admitted());
  check_refused(once(*bench.limiter, user("a"), read_of(policy)), Refusal::concurrent);
  held.clear();
  CHECK(admitted(*bench.limiter, user("a"), read_of(policy), 3) == 3);
}

inline void cpu_time(const MakeBench& make) {
  const Policy policy = with_user_limit(1'000);
  const Bench bench = make(policy);
  CHECK(once(*bench.limiter, user("a"), graphql_of(policy), 59'000).admitted());
  CHECK(once(*bench.limiter, user("a"), graphql_of(policy), 2'000).admitted());
  check_refused(once(*bench.limiter, user("a"), graphql_of(policy)), Refusal::cpu);
  CHECK(once(*bench.limiter, user("a"), read_of(policy), 30'000).admitted());
  const Decision refused = once(*bench.limiter, user("a"), read_of(policy));
  check_refused(refused, Refusal::cpu);
  CHECK(once(*bench.limiter, user("b"), read_of(policy)).admitted());
  bench.advance_ms(121'000);
  CHECK(once(*bench.limiter, user("a"), graphql_of(policy)).admitted());
}

inline void content(const MakeBench& make) {
  const Policy policy = with_user_limit(5'000);
  const Bench bench = make(policy);
  const Charge charge = content_of(policy);
  CHECK(admitted(*bench.limiter, user("a"), charge, 85) == 80);
  const Decision minute = once(*bench.limiter, user("a"), content_of(policy, 33));
  check_refused(minute, Refusal::content_minute);  // whatever the endpoint
  CHECK(once(*bench.limiter, user("a"), write_of(policy)).admitted());
  int total = 80;
  for (int i = 0; i < 10; ++i) {
    bench.advance_ms(121'000);
    total += admitted(*bench.limiter, user("a"), charge, 80);
  }
  CHECK(total == 500);
  check_refused(once(*bench.limiter, user("a"), charge), Refusal::content_hour);
  bench.advance_ms(7'300'000);
  CHECK(admitted(*bench.limiter, user("a"), charge, 85) == 80);
}

inline void content_of_an_endpoint(const MakeBench& make) {
  const Policy policy = with_user_limit(5'000);
  const Bench bench = make(policy);
  Charge charge = content_of(policy);
  charge.content_per_minute = 3;
  CHECK(admitted(*bench.limiter, user("a"), charge, 5) == 3);
  check_refused(once(*bench.limiter, user("a"), charge), Refusal::content_minute);
  CHECK(once(*bench.limiter, user("a"), content_of(policy, 31)).admitted());
  Charge hourly = content_of(policy, 32);
  hourly.content_per_hour = 2;
  CHECK(admitted(*bench.limiter, user("a"), hourly, 5) == 2);
  check_refused(once(*bench.limiter, user("a"), hourly), Refusal::content_hour);
}

inline void heavy_requests(const MakeBench& make) {
  Policy policy = with_user_limit(5'000);
  policy.secondary.heavy_per_minute = 3;
  const Bench bench = make(policy);
  for (int i = 0; i < 3; ++i) {
    CHECK(once(*bench.limiter, user("a"), read_of(policy), 1'000).admitted());
    CHECK(once(*bench.limiter, user("a"), read_of(policy), 10).admitted() == (i < 2));
  }
  check_refused(once(*bench.limiter, user("a"), read_of(policy)), Refusal::compute);
  bench.advance_ms(121'000);
  CHECK(once(*bench.limiter, user("a"), read_of(policy)).admitted());
}

inline void heavy_requests_by_default(const MakeBench& make) {
  const Policy policy = with_user_limit(5'000);
  const Bench bench = make(policy);
  // 60 requests of a second each are within the limit of CPU time, and too many of their kind.
  for (int i = 0; i < 60; ++i)
    CHECK(once(*bench.limiter, user("a"), read_of(policy), 1'000).admitted());
  once(*bench.limiter, user("b"), read_of(policy), 999);
  check_refused(once(*bench.limiter, user("a"), read_of(policy)), Refusal::compute);
  for (int i = 0; i < 80; ++i)
    CHECK(once(*bench.limiter, user("b"), read_of(policy), 999).admitted());
  bench.advance_ms(121'000);
  CHECK(once(*bench.limiter, user("a"), read_of(policy)).admitted());
}

inline void rate_limit_route(const MakeBench& make) {
  const Policy policy = with_user_limit(2);
  const Bench bench = make(policy);
  Charge status = read_of(policy, "core", 99);
  status.no_primary = true;
  const Decision first = once(*bench.limiter, user("a"), status);
  CHECK(first.admitted());
  check_window(first, 2, 0);
  CHECK(admitted(*bench.limiter, user("a"), read_of(policy), 3) == 2);
  CHECK(admitted(*bench.limiter, user("a"), status, 899) == 899);
  const Decision spent = once(*bench.limiter, user("a"), status);
  CHECK_FALSE(spent.admitted());  // 900 points of its endpoint are gone
  CHECK(spent.retry_after_s >= 1);
}

inline void primary_before_secondary(const MakeBench& make) {
  Policy policy = with_user_limit(2);
  policy.secondary.points_rest = 2;
  const Bench bench = make(policy);
  CHECK(admitted(*bench.limiter, user("a"), read_of(policy), 2) == 2);
  check_refused(once(*bench.limiter, user("a"), read_of(policy)), Refusal::primary);
}

inline void exempt_and_shadow(const MakeBench& make) {
  Policy policy = with_user_limit(2);
  const Bench bench = make(policy);
  Identity operator_ = user("admin");
  operator_.exempt = true;
  for (std::uint32_t i = 1; i <= 4; ++i) {
    const Decision decision = once(*bench.limiter, operator_, read_of(policy));
    CHECK(decision.admitted());
    CHECK(decision.shadowed == (i > 2));
    CHECK((decision.shadow == Refusal::none) == (i <= 2));
    CHECK(decision.nth_refusal == (i > 2 ? static_cast<std::uint32_t>(i - 2) : 0));
    check_window(decision, 2, i);
  }
  policy.shadow = true;
  bench.limiter->set_policy(std::make_shared<const Policy>(policy));
  for (int i = 0; i < 4; ++i) {
    const Decision decision = once(*bench.limiter, user("a"), read_of(policy));
    CHECK(decision.admitted());
    CHECK(decision.shadowed == (i >= 2));
    CHECK((decision.shadow == Refusal::none) == (i < 2));
    CHECK((decision.nth_refusal > 0) == (i >= 2));
  }
  policy.shadow = false;
  bench.limiter->set_policy(std::make_shared<const Policy>(policy));
  check_refused(once(*bench.limiter, user("a"), read_of(policy)), Refusal::primary);
}

inline void off_and_elsewhere(const MakeBench& make) {
  Policy policy = with_user_limit(1);
  const Bench bench = make(policy);
  Charge object = read_of(policy);
  object.surface = Surface::objects;
  CHECK(admitted(*bench.limiter, user("a"), object, 1'000) == 1'000);
  policy.objects = 3;  // a plan of its own, and then the other limits
  bench.limiter->set_policy(std::make_shared<const Policy>(policy));
  CHECK(admitted(*bench.limiter, user("a"), object, 5) == 3);
  CHECK(once(*bench.limiter, user("a"), read_of(policy)).admitted());
  const Identity service{.kind = IdentityKind::service, .account = "service:shop"};
  CHECK(admitted(*bench.limiter, service, read_of(policy, "search", 5), 1'000) == 1'000);
  policy.enabled = false;
  bench.limiter->set_policy(std::make_shared<const Policy>(policy));
  const Decision off = once(*bench.limiter, user("a"), read_of(policy));
  CHECK(admitted(*bench.limiter, user("a"), read_of(policy), 10) == 10);
  CHECK_FALSE(off.window.has_value());
}

inline void policy_changes(const MakeBench& make) {
  Policy policy = with_user_limit(5);
  const Bench bench = make(policy);
  CHECK(admitted(*bench.limiter, user("a"), read_of(policy), 4) == 4);
  policy.plans.user = 2;
  bench.limiter->set_policy(std::make_shared<const Policy>(policy));
  const Decision lowered = once(*bench.limiter, user("a"), read_of(policy));
  check_refused(lowered, Refusal::primary);
  check_window(lowered, 2, 4);
  policy.plans.user = 6;
  bench.limiter->set_policy(std::make_shared<const Policy>(policy));
  CHECK(admitted(*bench.limiter, user("a"), read_of(policy), 4) == 2);
}

inline void bans(const MakeBench& make) {
  Policy policy = with_user_limit(1);
  policy.ban = {.enabled = true, .strikes = 5, .window_s = 600, .first_s = 100, .longest_s = 150};
  const Bench bench = make(policy);
  CHECK(once(*bench.limiter, user("a"), read_of(policy)).admitted());
  for (const std::uint32_t length : {100u, 150u}) {  // doubled, and cut to the longest
    for (int i = 0; i < 6; ++i) once(*bench.limiter, user("a"), read_of(policy));
    const Decision banned = once(*bench.limiter, user("a"), read_of(policy));
    check_refused(banned, Refusal::banned);
    CHECK(banned.retry_after_s <= length);
    CHECK(banned.retry_after_s + 5 >= length);
    CHECK(once(*bench.limiter, user("b" + std::to_string(length)), read_of(policy)).admitted());
    bench.advance_ms(std::int64_t{length} * 1'000);
    check_refused(once(*bench.limiter, user("a"), read_of(policy)), Refusal::primary);
  }
}

inline void resets(const MakeBench& make) {
  Policy policy = with_user_limit(2);
  policy.secondary.concurrent = 2;
  policy.secondary.points_rest = 3;
  const Bench bench = make(policy);
  const Charge charge = read_of(policy);
  CHECK_FALSE(bench.limiter->reset("user:a"));
  Admission held = bench.limiter->admit(user("a"), charge);
  CHECK(admitted(*bench.limiter, user("a"), charge, 2) == 1);
  check_refused(once(*bench.limiter, user("a"), charge), Refusal::primary);
  CHECK(bench.limiter->reset("user:a"));
  Admission second = bench.limiter->admit(user("a"), charge);
  CHECK(second.decision().admitted());
  check_window(second.decision(), 2, 1);
  check_refused(once(*bench.limiter, user("a"), charge), Refusal::concurrent);
}

inline void windows(const MakeBench& make) {
  const Policy policy = with_user_limit(5);
  const Bench bench = make(policy);
  const std::int64_t now = (bench.unix_ms() + 999) / 1000;
  CHECK(admitted(*bench.limiter, user("a"), read_of(policy), 2) == 2);
  CHECK(admitted(*bench.limiter, user("a"), read_of(policy, "search", 5), 1) == 1);
  const std::vector<WindowState> all = bench.limiter->windows(user("a"));
  std::size_t at = 0;
  for (std::uint16_t i = 0; i < policy.resources.size(); ++i) {
    const Resource& resource = policy.resources[i];
    const Limit limit = policy.limit_of(user("a"), i);
    if (!resource.shown || !limit) continue;
    CAPTURE(resource.name);
    REQUIRE(at < all.size());
    const WindowState& window = all[at++];
    const std::uint32_t used = resource.name == "core" ? 2 : resource.name == "search" ? 1 : 0;
    CHECK(window.resource == i);
    CHECK(window.limit == *limit);
    CHECK(window.used == used);
    CHECK(window.remaining == (*limit > used ? *limit - used : 0));
    CHECK(window.reset_s == now + resource.window_s);
  }
  CHECK(at == all.size());
  CHECK(bench.limiter->describe(user("a")).is_object());
  bench.advance_ms(3'600'000);
  CHECK(bench.limiter->windows(user("a")).front().used == 0);
  CHECK(bench.limiter->windows(user("nobody")).front().used == 0);
}

/// A question leaves no trace, and is answered as the request would be.
inline void tested(const MakeBench& make) {
  const Policy policy = with_user_limit(2);
  const Bench bench = make(policy);
  const Charge charge = read_of(policy);
  for (int i = 0; i < 3; ++i) {
    const Decision decision = bench.limiter->test(user("a"), charge);
    CHECK(decision.admitted());
    check_window(decision, 2, 0);
  }
  CHECK(admitted(*bench.limiter, user("a"), charge, 3) == 2);
  for (int i = 0; i < 3; ++i) {
    const Decision refused = bench.limiter->test(user("a"), charge);
    check_refused(refused, Refusal::primary);
    check_window(refused, 2, 2);
    CHECK(refused.window->window_s == 3'600);
    CHECK(refused.window->wait_s == refused.retry_after_s);
    CHECK(refused.nth_refusal == 0);
  }
  Charge lenient = charge;
  lenient.shadow = true;
  const Decision shadowed = bench.limiter->test(user("a"), lenient);
  CHECK(shadowed.admitted());
  CHECK(shadowed.shadowed);
  CHECK(name_of(shadowed.shadow) == name_of(Refusal::primary));
  Charge many = read_of(policy, "core", 8);
  many.cost = 0;
  many.points = 900;
  CHECK(bench.limiter->test(user("b"), many).admitted());
  CHECK(once(*bench.limiter, user("b"), many).admitted());
  check_refused(bench.limiter->test(user("b"), many), Refusal::points);
}

/// Requests of one route are let through; others of the same account are not.
inline void shadow_of_a_charge(const MakeBench& make) {
  const Policy policy = with_user_limit(1);
  const Bench bench = make(policy);
  Charge lenient = read_of(policy);
  lenient.shadow = true;
  CHECK_FALSE(once(*bench.limiter, user("a"), lenient).shadowed);
  for (std::uint32_t i = 1; i <= 3; ++i) {
    const Decision decision = once(*bench.limiter, user("a"), lenient);
    CHECK(decision.admitted());
    CHECK(decision.shadowed);
    CHECK(decision.nth_refusal == i);
    check_window(decision, 1, i + 1);
  }
  check_refused(once(*bench.limiter, user("a"), read_of(policy)), Refusal::primary);
}

/// What rules ask: the window alone, for services too, and given back as a whole.
inline void window_alone(const MakeBench& make) {
  Policy policy = default_policy();
  policy.resources.push_back({.name = rule_resource("few"),
                              .window_s = 60,
                              .authenticated = 3,
                              .unauthenticated = 3,
                              .shown = false,
                              .of_rule = true});
  policy.secondary.concurrent = 1;
  policy.ban = {.enabled = true, .strikes = 1, .window_s = 600, .first_s = 900};
  const Bench bench = make(policy);
  Charge charge = read_of(policy, "rule:few");
  charge.points = 0;
  charge.window_only = true;
  std::vector<Admission> held;
  for (std::uint32_t i = 1; i <= 3; ++i) {
    held.push_back(bench.limiter->admit(user("few"), charge));
    CHECK(held.back().decision().admitted());  // whatever is under way
    check_window(held.back().decision(), 3, i);
  }
  for (int i = 0; i < 4; ++i) {  // no strikes
    const Decision refused = once(*bench.limiter, user("few"), charge);
    check_refused(refused, Refusal::primary);
    CHECK(refused.window->window_s == 60);
  }
  held.back().refund();
  held.clear();
  CHECK(admitted(*bench.limiter, user("few"), charge, 3) == 1);
  Identity service{.kind = IdentityKind::service, .account = "service:shop"};
  CHECK(admitted(*bench.limiter, service, charge, 5) == 3);
  const Json described = bench.limiter->describe(user("few"));
  CHECK(described.find_path("windows")->find("rule:few") == nullptr);
}

inline const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"primary: a window opens with the first request and closes at its reset", primary_window},
      {"primary: resources are counted apart", resources_apart},
      {"primary: two plans of one user share one counter", one_counter_two_plans},
      {"primary: costs above 1, limit 0, no limit", costs_and_odd_limits},
      {"primary: a refund counts while its window runs, once", refunds},
      {"points: 900 a minute to one endpoint", points},
      {"points: 2,000 a minute to GraphQL", points_of_graphql},
      {"concurrent: 100 at once over all surfaces", concurrent},
      {"cpu: 90 s a minute, 60 s of them GraphQL", cpu_time},
      {"content: 80 a minute, 500 an hour", content},
      {"content: an endpoint with limits of its own", content_of_an_endpoint},
      {"compute: heavy requests a minute", heavy_requests},
      {"compute: there is a limit where nobody set one", heavy_requests_by_default},
      {"rate_limit: free of the primary limit, not of points", rate_limit_route},
      {"order: primary is named before secondary", primary_before_secondary},
      {"exempt and shadow: counted, never refused", exempt_and_shadow},
      {"off, object storage, services: unlimited", off_and_elsewhere},
      {"policy: a new limit holds at once for what is used", policy_changes},
      {"ban: for those who keep on, longer each time", bans},
      {"reset: forgets what was counted, not what is under way", resets},
      {"test: decides, and counts nothing", tested},
      {"shadow: of one route alone", shadow_of_a_charge},
      {"rules: a window by itself", window_alone},
      {"windows: every shown resource, untouched where it is over", windows},
  };
  return all;
}

/// Runs every case. Call from a TEST_CASE.
inline void run_all(const MakeBench& make) {
  for (const Case& each : cases()) {
    CAPTURE(each.name);
    each.run(make);
  }
}

}  // namespace cairn::ratelimit::contract
