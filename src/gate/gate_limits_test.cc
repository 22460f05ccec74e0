// SPDX-License-Identifier: Apache-2.0
#include "gate/gate.h"

#include <doctest/doctest.h>

#include "base/encode.h"
#include "gate/listener_gate_rig.h"
#include "ratelimit/memory/memory_limiter.h"

namespace cairn::gate::listener_gate_test {
using ratelimit::Refusal;

TEST_CASE("gate: what an earlier request has paid for takes nothing of the primary limit") {
  Fixture fixture;
  net::RequestHead head;
  head.method = "POST";
  head.target = "/lfs/verify";
  head.headers.add("Authorization", "ApiKey " + fixture.key("alice"));
  { const RequestScope scope = fixture.listener_gate.enter(head, verify); }
  CHECK(fixture.last().charge.cost == 1);
  head.headers.add("X-Paid", "yes");
  {
    const RequestScope scope = fixture.listener_gate.enter(head, verify);
    CHECK(fixture.limiter.live() == 1);  // one of the requests at a time all the same
  }
  CHECK(fixture.last().charge.cost == 0);
  head.headers.set("Authorization", "ApiKey " + to_base64("alice:wrong"));
  { const RequestScope scope = fixture.listener_gate.enter(head, verify); }
  CHECK(fixture.last().charge.cost == 1);
}

TEST_CASE("gate: the exempt administrator leaves the keys made by it what they have") {
  const auto policy = std::make_shared<const ratelimit::Policy>(ratelimit::default_policy());
  Fixture fixture;
  const auto limiter =
      ratelimit::memory_limiter(policy, fixture.clock, *fixture.random, fixture.metrics);
  const Gate gate(*fixture.keys, *fixture.audit,
                  {.limiter = limiter.get(), .metrics = fixture.metrics});
  const ListenerGate listener_gate(gate, table);
  auth::Key admin;
  admin.id = "admin-key";
  admin.username = "admin";
  REQUIRE(fixture.keys->install(admin, "secret", os::Deadline::never()).ok());
  const auto searches = [&](const std::string& key, int count) {
    net::RequestHead head;
    head.method = "POST";
    head.target = "/mine/_search";
    head.headers.add("Authorization", "ApiKey " + key);
    int refused = 0;
    for (int i = 0; i < count; ++i) refused += listener_gate.enter(head, search).refused() ? 1 : 0;
    return refused;
  };
  CHECK(searches(auth::encoded_key("admin-key", "secret"), 45) == 0);
  const std::string one = fixture.key("admin", ""), other = fixture.key("admin", "");
  CHECK(searches(one, 30) == 0);
  CHECK(searches(one, 1) == 1);
  CHECK(searches(other, 30) == 0);
}

TEST_CASE("gate: without a limiter nothing is counted, and everything else is as it was") {
  Fixture fixture;
  Gate gate(*fixture.keys, *fixture.audit, {.metrics = fixture.metrics});
  const ListenerGate listener_gate(gate, table);
  net::RequestHead head;
  head.method = "GET";
  head.target = "/mine/_doc/1";
  RequestScope scope = listener_gate.enter(head, get);
  CHECK(scope.caller().anonymous());
  CHECK_FALSE(gate.pass(table[get], scope.caller(), {{"index", "mine"}}).ok());
  head.headers.add("Authorization", "ApiKey " + fixture.key("alice"));
  scope = listener_gate.enter(head, get);
  CHECK(scope.status().ok());
  CHECK(headers_of(scope) == "- - - - - -");
  gate.set_policy(std::make_shared<const ratelimit::Policy>());
}

TEST_CASE("limit metrics: decisions, refusals by kind, near the limit") {
  Fixture fixture;
  const std::string key = "ApiKey " + fixture.key("alice");
  { const RequestScope scope = fixture.enter(search, key); }
  fixture.limiter.decide = [](const auto&) { return FakeLimiter::admitted(100, 80); };
  { const RequestScope scope = fixture.enter(search, key); }
  fixture.limiter.decide = [](const auto&) { return FakeLimiter::refused(Refusal::points); };
  { const RequestScope scope = fixture.enter(search, key); }
  fixture.limiter.decide = [](const auto&) {
    auto out = FakeLimiter::admitted();
    out.shadowed = true;
    return out;
  };
  { const RequestScope scope = fixture.enter(search, key); }
  const std::string text = fixture.metrics.expose();
  const auto has = [&text](std::string_view line) { return text.find(line) != std::string::npos; };
  CHECK(has(
      R"(cairn_ratelimit_decisions_total{surface="platform",resource="search",result="admitted"} 2)"));
  CHECK(has(R"(resource="search",result="refused"} 1)"));
  CHECK(has(R"(resource="search",result="shadowed"} 1)"));
  CHECK(has(R"(cairn_ratelimit_near_limit_total{surface="platform",resource="search"} 1)"));
  CHECK(has(R"(cairn_ratelimit_refused_total{surface="platform",kind="points"} 1)"));
}

}  // namespace cairn::gate::listener_gate_test
