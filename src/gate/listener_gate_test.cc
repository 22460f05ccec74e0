// SPDX-License-Identifier: Apache-2.0
#include "gate/listener_gate.h"

#include <doctest/doctest.h>

#include "base/encode.h"
#include "gate/listener_gate_rig.h"

namespace cairn::gate::listener_gate_test {
using ratelimit::IdentityKind;
using ratelimit::Refusal;

TEST_CASE("listener_gate: a use is noted of a key that verifies, from the address that counts") {
  ratelimit::Policy policy = ratelimit::default_policy();
  policy.identity.trusted_proxies = {"192.0.2.7/32"};
  Fixture fixture(policy);
  const std::string key = fixture.key("alice");
  const auth::LastUse& last = *fixture.keys->get("k1")->last_use;
  CHECK(last.get().at_ms == 0);
  (void)fixture.enter(get, "ApiKey " + auth::encoded_key("k1", "wrong"));
  (void)fixture.enter(get);
  CHECK(last.get().at_ms == 0);
  (void)fixture.enter(get, "ApiKey " + key);
  CHECK(last.get().at_ms == fixture.clock.unix_ms());
  CHECK(last.get().address == "192.0.2.7");
  fixture.clock.advance_ms(5);
  net::RequestHead head;
  head.method = "GET";
  head.target = "/x";
  head.peer_address = "192.0.2.7";
  head.headers.add("Authorization", "ApiKey " + key);
  head.headers.add("X-Forwarded-For", "198.51.100.1, 2001:db8::5");
  (void)fixture.listener_gate.enter(head, get);
  CHECK(last.get().at_ms == fixture.clock.unix_ms());
  CHECK(last.get().address == "2001:db8::5");
  fixture.clock.advance_ms(5);
  head.peer_address.clear();
  (void)fixture.listener_gate.enter(head, health);  // which asks for no credentials
  CHECK(last.get().address == "2001:db8::5");
  (void)fixture.listener_gate.enter(head, get);
  CHECK(last.get().at_ms == fixture.clock.unix_ms());
  CHECK(last.get().address.empty());
}

TEST_CASE("listener_gate: one question a request, about the account that the credentials prove") {
  Fixture fixture;
  const std::string alice = fixture.key("alice");
  const std::string app = fixture.key("alice", R"({"kind":"oauth_app","id":"abc"})");
  const std::string inst = fixture.key("alice", R"({"kind":"installation","id":17})");
  const struct {
    std::string authorization;
    std::string account;
    std::string resource;
    ErrorKind error;  // internal: none
  } rows[] = {
      {"", "ip:192.0.2.7", "search", ErrorKind::internal},
      {"ApiKey " + alice, "user:alice", "search", ErrorKind::internal},
      {"Bearer " + alice, "user:alice", "search", ErrorKind::internal},
      {"token " + alice, "user:alice", "search", ErrorKind::internal},
      {"Basic " + to_base64("git:" + alice), "user:alice", "search", ErrorKind::internal},
      {"ApiKey " + inst, "inst:17", "search", ErrorKind::internal},
      {"ApiKey " + app, "app:abc", "search", ErrorKind::internal},
      // Whoever they name, these prove nothing.
      {"ApiKey " + auth::encoded_key("k1", "wrong"), "ip:192.0.2.7", "core",
       ErrorKind::unauthenticated},
      {"Basic " + to_base64("alice:wrong"), "ip:192.0.2.7", "core", ErrorKind::unauthenticated},
      {"token made-up", "ip:192.0.2.7", "core", ErrorKind::unauthenticated},
      {"Negotiate abc", "ip:192.0.2.7", "core", ErrorKind::unauthenticated},
  };
  std::size_t asked = 0;
  for (const auto& row : rows) {
    const RequestScope scope = fixture.enter(search, row.authorization, "POST");
    REQUIRE_MESSAGE(fixture.limiter.asked.size() == ++asked, row.authorization);
    CHECK_MESSAGE(fixture.last().identity.account == row.account, row.authorization);
    const auto& policy = *fixture.limiter.policy();
    CHECK(policy.resources[fixture.last().charge.resource].name == row.resource);
    CHECK(fixture.last().charge.points == 1);
    CHECK(scope.status().ok() == (row.error == ErrorKind::internal));
    if (!scope.status().ok()) CHECK(scope.status().error().kind == row.error);
  }
}

TEST_CASE(
    "listener_gate: a key's account is announced before the key is verified, and keeps a note") {
  Fixture fixture;
  const std::string ann = "ApiKey " + fixture.key("ann");
  const std::string wrong = "ApiKey " + auth::encoded_key("k1", "wrong");
  (void)fixture.enter(get, ann);
  CHECK(fixture.limiter.announced == std::vector<std::string>{"user:ann"});
  CHECK(fixture.last().note == &fixture.keys->get("k1")->note);
  (void)fixture.enter(search, ann);
  CHECK(fixture.last().note == &fixture.keys->get("k1")->note);

  (void)fixture.enter(get, wrong);  // a hint costs nobody anything
  CHECK(fixture.limiter.announced.size() == 3);
  CHECK(fixture.last().identity.account == "ip:192.0.2.7");
  CHECK(fixture.last().note == nullptr);

  (void)fixture.enter(get, "ApiKey " + auth::encoded_key("nobody", "secret"));
  (void)fixture.enter(metrics_row, ann);  // asks no limiter
  (void)fixture.enter(get);
  CHECK(fixture.limiter.announced.size() == 3);
  CHECK(fixture.last().note == nullptr);
}

TEST_CASE(
    "listener_gate: rows without a resource ask nobody, but for credentials that do not verify") {
  Fixture fixture;
  CHECK(headers_of(fixture.enter(health)) == "- - - - - -");
  CHECK(headers_of(fixture.enter(health, "ApiKey nonsense")) == "- - - - - -");
  CHECK(fixture.enter(metrics_row, "ApiKey " + fixture.key("alice")).status().ok());
  CHECK_FALSE(fixture.enter(metrics_row).status().ok());
  CHECK(fixture.limiter.asked.empty());
  CHECK_FALSE(fixture.enter(metrics_row, "ApiKey nonsense").status().ok());
  CHECK(fixture.limiter.asked.size() == 1);
}

TEST_CASE("listener_gate: what no row fits is one endpoint; reads and writes differ in points") {
  Fixture fixture;
  const std::string key = "ApiKey " + fixture.key("alice");
  const RequestScope a = fixture.enter(unknown, key, "GET");
  const auto first = fixture.last().charge;
  const RequestScope b = fixture.enter(unknown, key, "DELETE");
  const auto second = fixture.last().charge;
  CHECK(first.endpoint == second.endpoint);
  CHECK(first.points == 1);
  CHECK(second.points == 5);
  CHECK(a.status().ok());
  CHECK(fixture.enter(unknown).status().error().kind == ErrorKind::unauthenticated);
  const RequestScope c = fixture.enter(content, key, "POST");
  CHECK(fixture.last().charge.content);
  CHECK(fixture.last().charge.points == 5);
  CHECK(fixture.last().charge.endpoint != first.endpoint);
  const RequestScope d = fixture.enter(limits, key);
  CHECK(fixture.last().charge.no_primary);
}

TEST_CASE("listener_gate: a mutation costs what the policy says of mutations") {
  ratelimit::Policy policy = ratelimit::default_policy();
  Fixture fixture(policy);
  const std::string key = "ApiKey " + fixture.key("alice");
  const RequestScope query = fixture.enter(graphql, key, "POST");
  CHECK(fixture.last().charge.points == 1);
  CHECK(fixture.last().charge.graphql);
  const RequestScope mutation = fixture.enter(graphql, key, "POST", true);
  CHECK(fixture.last().charge.points == 5);
  // … unless a rule names the route.
  policy.points.routes.push_back({.match = "POST /graphql", .points = 3});
  fixture.gate.set_policy(std::make_shared<const ratelimit::Policy>(policy));
  const RequestScope ruled = fixture.enter(graphql, key, "POST", true);
  CHECK(fixture.last().charge.points == 3);
}

TEST_CASE("listener_gate: what only the body says is asked of callers whose credentials verify") {
  Fixture fixture;
  net::RequestHead head;
  head.method = "POST";
  head.peer_address = "192.0.2.7";
  std::size_t asked = 0;
  const Weigh weigh = [&] {
    ++asked;
    return Weight{.mutation = true, .content = true, .cost = 51};
  };
  head.headers.set("Authorization", "ApiKey " + fixture.key("alice"));
  { const RequestScope scope = fixture.listener_gate.enter(head, graphql, &weigh); }
  CHECK(asked == 1);
  CHECK(fixture.last().charge.cost == 51);
  CHECK(fixture.last().charge.points == 5);
  CHECK(fixture.last().charge.content);
  head.headers.set("Authorization", "ApiKey " + auth::encoded_key("alice", "wrong"));
  CHECK_FALSE(fixture.listener_gate.enter(head, graphql, &weigh).status().ok());
  CHECK(asked == 1);
  CHECK(fixture.last().charge.cost == 1);
}

TEST_CASE("listener_gate: a primary refusal says that nothing remains") {
  Fixture fixture;
  fixture.limiter.decide = [](const auto&) {
    auto refused = FakeLimiter::refused(Refusal::primary, 5);
    refused.window = ratelimit::WindowState{.limit = 10, .used = 8, .remaining = 2, .reset_s = 9};
    return refused;
  };
  const RequestScope scope = fixture.enter(get, "ApiKey " + fixture.key("alice"));
  net::HeadLines lines;
  scope.put_headers(lines);
  CHECK(lines.text().find("x-ratelimit-remaining: 0\r\n") != std::string::npos);
  CHECK(lines.text().find("x-ratelimit-used: 8\r\n") != std::string::npos);
}

TEST_CASE("listener_gate: a new policy holds from the next request on") {
  ratelimit::Policy policy = ratelimit::default_policy();
  Fixture fixture(policy);
  const std::string key = "ApiKey " + fixture.key("alice");
  { const RequestScope scope = fixture.enter(get, key); }
  CHECK(fixture.last().charge.points == 1);
  policy.points.read = 2;
  policy.identity.ipv6_prefix = 48;
  policy.tokens.push_back({.name = "t", .identity = ratelimit::user_identity("bob")});
  CHECK_FALSE(fixture.enter(limits, "token t").status().ok());
  fixture.gate.set_policy(std::make_shared<const ratelimit::Policy>(policy));
  { const RequestScope scope = fixture.enter(get, key); }
  CHECK(fixture.last().charge.points == 2);
  CHECK(fixture.enter(limits, "token t").status().ok());
  CHECK(fixture.last().identity.account == "user:bob");
}

TEST_CASE(
    "listener_gate: a face that verifies credentials itself says whose they are, or nobody's") {
  Fixture fixture;
  net::RequestHead head;
  head.method = "GET";
  head.peer_address = "192.0.2.7";
  using Authentication = ListenerGate::Authentication;
  CHECK(fixture.listener_gate
            .enter_as(Authentication::verified, ratelimit::user_identity("alice"), head, get)
            .status()
            .ok());
  CHECK(fixture.last().identity.account == "user:alice");
  fixture.listener_gate.enter_as(Authentication::refused, {}, head, get);
  CHECK(fixture.last().identity.account == "ip:192.0.2.7");
  fixture.listener_gate.enter_as(Authentication::none, {}, head, get);
  CHECK(fixture.last().identity.account == "ip:192.0.2.7");
  // What Cairn signed for somebody was charged to them where they asked for it.
  const auto asked = fixture.limiter.asked.size();
  auto scope = fixture.listener_gate.enter_as(Authentication::verified, {}, head, get);
  CHECK(scope.status().ok());
  CHECK_FALSE(scope.refused());
  CHECK(headers_of(scope) == "- - - - - -");
  scope.finish();
  CHECK(fixture.limiter.asked.size() == asked);
  CHECK(fixture.limiter.live() == 0);
}

TEST_CASE("listener_gate: tokens and apps of tests are callers without rights") {
  ratelimit::Policy policy = ratelimit::default_policy();
  ratelimit::Identity wf{.kind = IdentityKind::workflow, .account = "wf:9"};
  policy.tokens = {{.name = "one", .identity = ratelimit::user_identity("alice")},
                   {.name = "two", .identity = wf}};
  policy.oauth_apps = {{.client_id = "app1", .secret = "s3cret", .enterprise = true}};
  Fixture fixture(policy);
  const struct {
    std::string authorization, account;
  } rows[] = {{"token one", "user:alice"},
              {"Bearer two", "wf:9"},
              {"Basic " + to_base64("x:one"), "user:alice"},
              {"Basic " + to_base64("app1:s3cret"), "app:app1"}};
  for (const auto& row : rows) {
    const RequestScope scope = fixture.enter(limits, row.authorization);
    REQUIRE_MESSAGE(scope.status().ok(), row.authorization);
    CHECK(fixture.last().identity.account == row.account);
    CHECK_FALSE(scope.caller().anonymous());
    CHECK_FALSE(scope.caller().has_key());
    CHECK(scope.caller().public_only());
    CHECK(scope.caller().counted_as().account == row.account);
    CHECK(fixture.gate.pass(table[limits], scope.caller(), {}).ok());
    CHECK_FALSE(fixture.gate.pass(table[content], scope.caller(), {}).ok());
  }
  CHECK(fixture.last().identity.facts.app_owner_enterprise);
  for (const auto* wrong : {"app1:wrong", "app2:s3cret", "app1:", ":s3cret", "app1:s3cret2"})
    CHECK_FALSE_MESSAGE(fixture.enter(limits, "Basic " + to_base64(wrong)).status().ok(), wrong);
  CHECK_FALSE(fixture.enter(limits, "token One").status().ok());
  CHECK_FALSE(fixture.enter(limits, "token ").status().ok());
}

TEST_CASE("listener_gate: public indices are read by everybody, and nothing else is") {
  Fixture fixture;
  const std::string app = "ApiKey " + fixture.key("alice", R"({"kind":"oauth_app","id":"abc"})");
  const auto kind = [&](std::string_view authorization, std::size_t row, std::string index) {
    const RequestScope scope = fixture.enter(row, authorization, table[row].method);
    Status passed = scope.status().ok() ? fixture.gate.pass(table[row], scope.caller(),
                                                            {{"index", std::move(index)}})
                                        : scope.status();
    if (passed.ok()) return std::string("ok");
    return std::string(name_of(passed.error().kind));
  };
  CHECK(kind("", search, "open") == "ok");
  CHECK(kind("", search, "open,open") == "ok");
  CHECK(kind("", search, "op*") == "ok");  // the handler leaves out what is not public
  CHECK(kind("", search, "mine") == "unauthenticated");
  CHECK(kind("", search, "open,mine") == "unauthenticated");
  CHECK(kind("", search, "-mine") == "unauthenticated");
  CHECK(kind("", search, "open,-mine") == "ok");
  CHECK(kind("", get, "open") == "ok");
  CHECK(kind("", get, "mine") == "unauthenticated");
  CHECK(kind("", content, "open") == "unauthenticated");
  CHECK(kind(app, search, "open") == "ok");
  CHECK(kind(app, search, "mine") == "permission_denied");
  CHECK(kind(app, content, "open") == "permission_denied");
  const std::string key = "ApiKey " + fixture.key("alice");
  CHECK(kind(key, search, "mine") == "ok");
  CHECK(kind(key, search, "open") == "ok");  // what everybody may, who has a key may too
  CHECK(kind(key, search, "open,other") == "permission_denied");
  // Rights on a data stream are rights on its indices.
  CHECK(kind(key, search, ".ds-mine-1") == "ok");
  CHECK(kind(key, search, ".ds-mine-2") == "permission_denied");
  const RequestScope scope = fixture.enter(search);
  CHECK(scope.caller().may_index("read", "open"));
  CHECK_FALSE(scope.caller().may_index("write", "open"));
  CHECK_FALSE(scope.caller().may_index("read", "o*"));
  CHECK_FALSE(scope.caller().may_cluster("monitor"));
}

/// With a key of the id that the gate is told; none without roles.
struct PageFixture : Fixture {
  explicit PageFixture(std::string_view roles, std::string_view identity = "service") {
    if (roles.empty()) return;
    auth::Key record;
    record.id = "page";
    record.username = "owner";
    record.created_by = "someone";
    record.role_descriptors = parse_json(roles).value();
    const std::string id = identity == "service" ? R"(,"id":"page")" : "";
    record.metadata =
        parse_json(R"({"_cairn":{"identity":{"kind":")" + std::string(identity) + "\"" + id + "}}}")
            .value();
    REQUIRE(keys->install(record, "secret", os::Deadline::never()).ok());
  }
  /// Whose request it counts as.
  std::string account(std::size_t row, const std::string& index,
                      std::string_view authorization = {}) const {
    net::RequestHead head;
    head.method = "POST";
    head.target = "/x";
    head.peer_address = "192.0.2.7";
    if (!authorization.empty()) head.headers.add("Authorization", authorization);
    const PathParameters parameters = {{"index", index}};
    return listener_gate.enter(head, row, nullptr, &parameters).caller().counted_as().account;
  }
};

TEST_CASE("listener_gate: the search page lends its key to strangers, and nothing else does") {
  const std::string stranger = "ip:192.0.2.7";
  PageFixture fixture(R"({"r":{"indices":[{"names":["mine"],"privileges":["read"]}]}})");
  CHECK(fixture.account(page, "mine") == "service:page");
  CHECK(fixture.account(page, "mine,open") == "service:page");  // the open one is for everybody
  CHECK(fixture.account(page, "other") == stranger);
  CHECK(fixture.account(page, "mine,other") == stranger);
  CHECK(fixture.account(page, "mi*") == stranger);
  CHECK(fixture.account(search, "mine") == stranger);  // another row
  CHECK(fixture.account(page, "mine", "ApiKey nonsense") == stranger);
  CHECK(fixture.account(page, "mine", "ApiKey " + fixture.key("alice")) == "user:alice");
  CHECK(PageFixture("").account(page, "mine") == stranger);
}

TEST_CASE("listener_gate: keys that may do more, or that count as a user, are lent to nobody") {
  const std::string stranger = "ip:192.0.2.7";
  const auto lent = [](std::string_view roles, std::string_view kind = "service") {
    return PageFixture(roles, kind).account(page, "mine");
  };
  CHECK(
      lent(
          R"({"r":{"cluster":["monitor"],"indices":[{"names":["mine"],"privileges":["read"]}]}})") ==
      stranger);
  CHECK(lent(R"({"r":{"indices":[{"names":["mine"],"privileges":["read","write"]}]}})") ==
        stranger);
  CHECK(lent(R"({"r":{"indices":[{"names":["mine"],"privileges":["read"]}]}})", "user") ==
        stranger);
  CHECK(
      lent(
          R"({"r":{"indices":[{"names":["mine"],"privileges":["read","view_index_metadata"]}]}})") ==
      "service:page");
}

}  // namespace cairn::gate::listener_gate_test
