// SPDX-License-Identifier: Apache-2.0
#include "ratelimit/rule_counts.h"

#include <doctest/doctest.h>

#include "os/clock.h"
#include "os/metrics.h"
#include "os/random.h"
#include "ratelimit/memory/memory_limiter.h"

namespace cairn::ratelimit::rule_counts_test {
namespace {

Policy policy_of(std::string_view rules) {
  const auto json = parse_json(R"({"rules":)" + std::string(rules) + "}");
  REQUIRE(json.ok());
  auto policy = parse_policy(*json, false);
  if (!policy.ok()) FAIL(policy.error().message);
  return *policy;
}

struct Fixture {
  explicit Fixture(std::string_view rules)
      : policy(std::make_shared<const Policy>(policy_of(rules))),
        random(os::seeded_random(3)),
        limiter(memory_limiter(policy, clock, *random, metrics)) {
    for (const LimitRule& rule : policy->rules) all.push_back(&rule);
  }
  RuleCounts count(const RuleRequest& request) { return {*limiter, policy, all, request}; }
  bool admits(const RuleRequest& request) { return count(request).refused() == nullptr; }

  os::FakeClock clock{1'700'000'000'000};
  os::Metrics metrics;
  std::shared_ptr<const Policy> policy;
  std::unique_ptr<os::Random> random;
  std::unique_ptr<Limiter> limiter;
  std::vector<const LimitRule*> all = {};
};

Identity user(std::string name) {
  return {.kind = IdentityKind::user, .account = "user:" + std::move(name)};
}

auto field(std::string_view name, std::string_view value) {
  return [=](std::string_view asked) -> std::optional<std::string_view> {
    return asked == name ? std::optional(value) : std::nullopt;
  };
}

TEST_CASE("rules: for one identity, each apart, or all together") {
  Fixture fixture(R"([{"name":"ann","identity":"user:ann","limit":2},
                      {"name":"users","identity":"user:*","limit":3},
                      {"name":"all","limit":6,"per":"all"}])");
  const Identity ann = user("ann"), bob = user("bob"), cid = user("cid");
  CHECK(fixture.admits({.identity = ann}));
  const RuleCounts second = fixture.count({.identity = ann});
  REQUIRE(second.counts().size() == 3);
  CHECK(second.counts()[0].window.remaining == 0);
  CHECK(second.counts()[1].window.used == 2);
  CHECK(second.counts()[2].window.limit == 6);
  const RuleCounts third = fixture.count({.identity = ann});
  REQUIRE(third.refused() != nullptr);
  CHECK(third.refused()->rule->name == "ann");
  CHECK(third.refused()->retry_after_s == 3'600);
  for (int i = 0; i < 3; ++i) CHECK(fixture.admits({.identity = bob}));
  CHECK_FALSE(fixture.admits({.identity = bob}));
  CHECK(fixture.admits({.identity = cid}));  // the sixth of all: refusals counted nothing
  CHECK_FALSE(fixture.admits({.identity = cid}));
  fixture.clock.advance_ms(3'600'000);
  CHECK(fixture.admits({.identity = ann}));
}

TEST_CASE("rules: a refusal, and undo(), take back what was counted") {
  Fixture fixture(R"([{"name":"many","limit":2},{"name":"few","limit":1,"per":"all"}])");
  const Identity ann = user("ann"), bob = user("bob");
  CHECK(fixture.admits({.identity = ann}));
  for (int i = 0; i < 5; ++i) CHECK_FALSE(fixture.admits({.identity = bob}));
  RuleCounts held = [&] {
    fixture.clock.advance_ms(3'600'000);
    return fixture.count({.identity = bob});
  }();
  CHECK(held.refused() == nullptr);
  CHECK(held.counts()[0].window.used == 1);
  held.undo();
  const RuleCounts again = fixture.count({.identity = bob});
  CHECK(again.refused() == nullptr);
  CHECK(again.counts()[0].window.used == 1);
}

TEST_CASE("rules: by the address that a request comes from, whoever asks") {
  Fixture fixture(R"([{"name":"page","per":"address","limit":2,"window":"minute"}])");
  const Identity site{.kind = IdentityKind::service, .account = "service:site"}, ann = user("ann");
  const auto from = [](std::string address) { return [=] { return address; }; };
  CHECK(fixture.admits({.identity = site, .address = from("ip:192.0.2.1")}));
  CHECK(fixture.admits({.identity = ann, .address = from("ip:192.0.2.1")}));
  const RuleCounts third = fixture.count({.identity = site, .address = from("ip:192.0.2.1")});
  REQUIRE(third.refused() != nullptr);
  CHECK(third.refused()->retry_after_s == 60);
  CHECK(fixture.admits({.identity = site, .address = from("ip:192.0.2.2")}));
  // What has no address, as a question of another program, is not counted by it.
  for (int i = 0; i < 3; ++i) CHECK(fixture.admits({.identity = site}));
}

TEST_CASE("rules: by the indices that a path names") {
  Fixture fixture(
      R"([{"name":"books","index":"books*","per":"index","limit":2,"window":"minute"}])");
  const Identity ann = user("ann"), bob = user("bob");
  const auto admits = [&](const Identity& who, std::vector<std::string_view> indices) {
    return fixture.admits({.identity = who, .indices = std::move(indices)});
  };
  CHECK(admits(ann, {"books"}));
  CHECK(admits(bob, {"books", "films"}));  // whoever asks
  CHECK_FALSE(admits(ann, {"films", "books"}));
  CHECK(admits(ann, {"books-1"}));  // another index
  for (int i = 0; i < 5; ++i) CHECK(admits(ann, {"films"}));
  for (int i = 0; i < 5; ++i) CHECK(admits(ann, {}));
  // Expressions that may name such an index share one count.
  CHECK(admits(ann, {"boo*"}));
  CHECK(admits(ann, {"_all"}));
  CHECK_FALSE(admits(ann, {"b?oks"}));
  CHECK_FALSE(admits(ann, {"*"}));
  CHECK(admits(ann, {"films*"}));
  // Two of a name in one request count once; what takes away counts nothing.
  CHECK(admits(ann, {"books-2", "books-2", "-books"}));
  CHECK(admits(ann, {"books-2"}));
  CHECK_FALSE(admits(ann, {"books-2"}));
}

TEST_CASE("rules: by a header field and its value") {
  Fixture fixture(
      R"([{"name":"tenants","header":"X-Tenant","value":"t-*","per":"header","limit":1}])");
  const Identity ann = user("ann"), bob = user("bob");
  const auto admits = [&](const Identity& who, std::string_view value) {
    return fixture.admits({.identity = who, .header = field("x-tenant", value)});
  };
  CHECK(admits(ann, "t-1"));
  CHECK_FALSE(admits(bob, "t-1"));
  CHECK(admits(bob, "t-2"));
  CHECK(admits(bob, "other"));
  CHECK(admits(bob, "other"));
  CHECK(fixture.admits({.identity = ann}));
  CHECK(fixture.admits({.identity = ann, .header = field("x-other", "t-1")}));
}

TEST_CASE("rules: bytes are counted in KiB, also where their number comes later") {
  Fixture fixture(R"([{"name":"up","weight":"bytes","limit":"10kb"}])");
  const Identity ann = user("ann"), bob = user("bob");
  CHECK(fixture.admits({.identity = ann, .body_bytes = 4'000}));
  CHECK(fixture.admits({.identity = ann, .body_bytes = 6'144}));
  CHECK_FALSE(fixture.admits({.identity = ann, .body_bytes = 1}));
  CHECK(fixture.admits({.identity = ann, .body_bytes = 0}));
  RuleCounts unknown = fixture.count({.identity = bob, .body_bytes = std::nullopt});
  CHECK(unknown.refused() == nullptr);
  CHECK(unknown.awaits_body());
  unknown.took_body(1'000'000);  // was read: it counts, beyond the limit too
  unknown.took_body(1'000'000);
  const RuleCounts next = fixture.count({.identity = bob, .body_bytes = 1});
  REQUIRE(next.refused() != nullptr);
  CHECK(next.refused()->window.used == 977);
  const Identity huge = user("huge");
  CHECK_FALSE(fixture.admits({.identity = huge, .body_bytes = UINT64_MAX}));
}

TEST_CASE("rules: searches of one request") {
  Fixture fixture(R"([{"name":"s","weight":"searches","limit":10},{"name":"r","limit":3}])");
  const Identity ann = user("ann");
  RuleCounts first = fixture.count({.identity = ann});
  CHECK(first.weigh_searches(1));
  CHECK(first.weigh_searches(8));  // 7 more
  REQUIRE(first.counts().size() == 2);
  CHECK(first.counts()[0].window.used == 8);
  CHECK(first.counts()[1].window.used == 1);
  RuleCounts second = fixture.count({.identity = ann});
  CHECK_FALSE(second.weigh_searches(3));
  REQUIRE(second.refused() != nullptr);
  CHECK(second.refused()->rule->name == "s");
  const RuleCounts third = fixture.count({.identity = ann});
  CHECK(third.counts()[0].window.used == 10);  // the refused ones are not counted, the request is
}

TEST_CASE("rules: shadow mode and exempt callers are counted beyond the limit") {
  Fixture fixture(R"([{"name":"s","limit":1,"shadow":true},{"name":"r","limit":2}])");
  const Identity ann = user("ann");
  CHECK(fixture.admits({.identity = ann}));
  const RuleCounts second = fixture.count({.identity = ann});
  CHECK(second.refused() == nullptr);
  CHECK(second.counts()[0].shadowed);
  CHECK(second.counts()[0].window.used == 2);
  CHECK(second.counts()[0].nth_refusal == 1);
  CHECK_FALSE(fixture.admits({.identity = ann}));
  Identity exempt = user("root");
  exempt.exempt = true;
  for (int i = 0; i < 5; ++i) CHECK(fixture.admits({.identity = exempt}));
}

TEST_CASE("rules: a question says what they would say, and counts nothing") {
  Fixture fixture(R"([{"name":"r","limit":1}])");
  const Identity ann = user("ann");
  const auto ask = [&] {
    return RuleCounts::test(*fixture.limiter, *fixture.policy, fixture.all, {.identity = ann});
  };
  for (int i = 0; i < 3; ++i) CHECK(ask().at(0).second.admitted());
  CHECK(fixture.admits({.identity = ann}));
  CHECK_FALSE(ask().at(0).second.admitted());
  CHECK(ask().at(0).first.window.remaining == 0);
}

TEST_CASE("rules: what is wrong is named with its place") {
  const auto fault = [](const std::string& section) {
    const auto policy = parse_policy(*parse_json(section), false);
    return policy.ok() ? std::string("none") : policy.error().message;
  };
  const std::vector<std::pair<std::string, std::string>> rows = {
      {R"({"rules":7})", "[rate_limit.rules] must be a list"},
      {R"({"rules":[{"limit":1}]})", "[rate_limit.rules[0].name] must be given"},
      {R"({"rules":[{"name":"A b","limit":1}]})", "rules[0].name]"},
      {R"({"rules":[{"name":"a"}]})", "rules[0].limit] must be given"},
      {R"({"rules":[{"name":"a","limit":null}]})", "rules[0].limit] must be a count"},
      {R"({"rules":[{"name":"a","limit":"5kb"}]})", "rules[0].limit]"},
      {R"({"rules":[{"name":"a","limit":"x","weight":"bytes"}]})", "must be a size in bytes"},
      {R"({"rules":[{"name":"a","limit":"8tb","weight":"bytes"}]})", "must be a size in bytes"},
      {R"({"rules":[{"name":"a","limit":1,"per":"tenant"}]})", "rules[0].per] must be one of"},
      {R"({"rules":[{"name":"a","limit":1,"per":"header"}]})", "rules[0].header] must be given"},
      {R"({"rules":[{"name":"a","limit":1,"value":"x"}]})", "rules[0].header] must be given"},
      {R"({"rules":[{"name":"a","limit":1,"header":"a b"}]})", "rules[0].header]"},
      {R"({"rules":[{"name":"a","limit":1,"match":"_search"}]})", "rules[0].match]"},
      {R"({"rules":[{"name":"a","limit":1,"match":[]}]})", "rules[0].match]"},
      {R"({"rules":[{"name":"a","limit":1,"window":0}]})", "rules[0].window]"},
      {R"({"rules":[{"name":"a","limit":1,"shadw":true}]})", "did you mean [shadow]"},
      {R"({"rules":[{"name":"a","limit":1},{"name":"a","limit":1}]})", "[a] comes twice"},
      {R"({"identities":{"ann":{}}})", "[rate_limit.identities.ann] must be an account"},
      {R"({"identities":{"user:ann":{"serch":1}}})", "did you mean [search]"},
      {R"({"identities":{"user:ann":{"search":-1}}})", "[rate_limit.identities.user:ann.search]"},
  };
  for (const auto& [section, want] : rows) {
    CAPTURE(section);
    CHECK(fault(section).find(want) != std::string::npos);
    CAPTURE(fault(section));
  }
}

TEST_CASE("rules: what is shown reads back to the same") {
  const std::string section =
      R"({"rules":[{"name":"a","match":["POST /_msearch","* /x/*"],"identity":"user:*","index":"b*",
        "header":"x-t","value":"v*","per":"header","weight":"bytes","limit":"5mb","window":"minute",
        "shadow":true},{"name":"b","limit":3,"window":7}],
        "identities":{"user:ann":{"core":20000,"search":null},"ip:192.0.2.1":{"core":0}},
        "points":{"routes":[{"match":"GET /","shadow":true}]}})";
  const auto policy = parse_policy(*parse_json(section), false);
  REQUIRE(policy.ok());
  const auto again = parse_policy(policy_json(*policy), false);
  if (!again.ok()) FAIL(again.error().message);
  CHECK(again->rules == policy->rules);
  CHECK(again->identities == policy->identities);
  CHECK(again->points == policy->points);
  CHECK(again->resources == policy->resources);
  CHECK(policy->rules[0].limit == 5'120);
}

TEST_CASE("identities: limits of their own, in place of the plan") {
  const auto policy =
      parse_policy(*parse_json(R"({"identities":{"user:ann":{"core":20000,"search":null},
                      "service:shop":{"core":7}}})"),
                   false);
  REQUIRE(policy.ok());
  const auto of = [&](const Identity& who, std::string_view resource) {
    return policy->limit_of(who, *policy->resource(resource));
  };
  CHECK(of(user("ann"), "core") == Limit(20'000));
  CHECK(of(user("ann"), "search") == Limit());
  CHECK(of(user("ann"), "lfs") == Limit(3'000));
  CHECK(of(user("bob"), "core") == Limit(5'000));
  const Identity shop{.kind = IdentityKind::service, .account = "service:shop"};
  CHECK(of(shop, "core") == Limit(7));
  CHECK(of(shop, "search") == Limit());
}

}  // namespace
}  // namespace cairn::ratelimit::rule_counts_test
