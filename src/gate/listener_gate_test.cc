// SPDX-License-Identifier: Apache-2.0
#include "gate/listener_gate.h"

#include <doctest/doctest.h>

#include <thread>

#include "base/encode.h"
#include "gate/fake_limiter.h"
#include "os/clock.h"
#include "os/files/files.h"
#include "os/random.h"
#include "ratelimit/memory/memory_limiter.h"
#include "store/memory_store.h"

namespace cairn::gate::listener_gate_test {
namespace {

using ratelimit::IdentityKind;
using ratelimit::Refusal;

const std::vector<Route> table = {
    {.method = "GET", .path = "/{index}/_doc/{id}", .operation = "get", .index_privilege = "read"},
    {.method = "POST",
     .path = "/{index}/_search",
     .operation = "search",
     .index_privilege = "read",
     .filters_indices = true,
     .resource = "search",
     .reads = true},
    {.method = "POST", .path = "/_connector", .operation = "connector.post", .content = true},
    {.method = "GET", .path = "/_health/live", .operation = "health", .open = true, .resource = ""},
    {.method = "GET",
     .path = "/rate_limit",
     .operation = "limits",
     .no_primary = true,
     .public_data = true},
    {.method = "POST",
     .path = "/graphql",
     .operation = "graphql",
     .surface = Surface::code_hosting,
     .resource = "graphql",
     .graphql = true,
     .public_data = true},
    {.method = "GET", .path = "/_metrics", .operation = "metrics", .resource = ""},
    {.method = "POST",
     .path = "/lfs/verify",
     .operation = "verify",
     .surface = Surface::large_files,
     .resource = "lfs",
     .paid = [](const net::RequestHead& head) { return head.headers.has("x-paid"); }},
    {.method = "POST",
     .path = "/search/{index}/_search",
     .operation = "search_page",
     .index_privilege = "read",
     .resource = "search",
     .reads = true,
     .search_page = true},
};
enum Row : std::size_t {
  get,
  search,
  content,
  health,
  limits,
  graphql,
  metrics_row,
  verify,
  page,
  unknown = 99
};

struct Fixture {
  explicit Fixture(ratelimit::Policy policy = ratelimit::default_policy())
      : limiter(std::move(policy)),
        gate(*keys, *audit,
             {.limiter = &limiter,
              .search_page_key = "page",
              .index_facts = {
                  .is_public = [](auto name) { return name == "open"; },
                  .any = [] { return true; },
                  .stream_of =
                      [](auto name) { return std::string(name == ".ds-mine-1" ? "mine" : ""); }},
              .clock = clock,
              .metrics = metrics}),
        listener_gate(gate, table) {}

  std::string key(std::string user, std::string identity = R"({"kind":"user"})") {
    auth::Key record;
    record.id = "k" + std::to_string(++count);
    record.username = std::move(user);
    record.created_by = "someone";
    record.role_descriptors =
        parse_json(R"({"r":{"indices":[{"names":["mine"],"privileges":["all"]}]}})").value();
    if (!identity.empty())
      record.metadata = parse_json(R"({"_cairn":{"identity":)" + identity + "}}").value();
    REQUIRE(keys->install(record, "secret", os::Deadline::never()).ok());
    return auth::encoded_key(record.id, "secret");
  }
  RequestScope enter(std::size_t row, std::string_view authorization = {},
                     std::string method = "GET", bool mutation = false) {
    net::RequestHead head;
    head.method = std::move(method);
    head.target = "/x";
    head.peer_address = "192.0.2.7";
    if (!authorization.empty()) head.headers.add("Authorization", authorization);
    const Weigh weigh = [] { return Weight{.mutation = true}; };
    return listener_gate.enter(head, row, mutation ? &weigh : nullptr);
  }
  const FakeLimiter::Asked& last() {
    REQUIRE_FALSE(limiter.asked.empty());
    return limiter.asked.back();
  }

  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(5);
  std::unique_ptr<auth::Keys> keys =
      std::move(auth::Keys::open(*store, clock, *random, {}, os::Deadline::never()).value());
  std::unique_ptr<AuditLog> audit =
      std::move(AuditLog::open(os::system_files(), clock, {}).value());
  os::Metrics metrics;
  FakeLimiter limiter;
  Gate gate;
  ListenerGate listener_gate;
  int count = 0;
};

std::string text_of(const net::Headers& headers, std::string_view name) {
  return std::string(headers.find(name).value_or("-"));
}

net::HeadLines fields_of(const RequestScope& scope) {
  net::HeadLines lines;
  scope.put_headers(lines);
  return lines;
}

/// "limit remaining used reset resource retry-after"
std::string headers_of(const RequestScope& scope) {
  net::Headers headers;
  fields_of(scope).add_to(headers);
  std::string out;
  for (const auto* name : {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-used",
                           "x-ratelimit-reset", "x-ratelimit-resource", "retry-after"})
    out += (out.empty() ? "" : " ") + text_of(headers, name);
  return out;
}

}  // namespace

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

TEST_CASE("scope: the five headers come from one record, and are absent without a limit") {
  Fixture fixture;
  const std::string key = "ApiKey " + fixture.key("alice");
  CHECK(headers_of(fixture.enter(search, key)) == "5000 4900 100 1700003600 search -");
  CHECK(headers_of(fixture.enter(search, "ApiKey nonsense")) == "5000 4900 100 1700003600 core -");
  fixture.limiter.decide = [](const auto&) { return ratelimit::Decision{}; };
  CHECK(headers_of(fixture.enter(search, key)) == "- - - - - -");
}

TEST_CASE("scope: refusals in the words, statuses and headers that clients look for") {
  using ratelimit::Identity;
  Fixture fixture;
  const std::string key = "ApiKey " + fixture.key("alice");
  const std::string inst = "ApiKey " + fixture.key("a", R"({"kind":"installation","id":17})");
  const std::string odd = "ApiKey " + fixture.key("a<b>\r\nc");
  const struct {
    std::size_t row;
    std::string authorization;
    Refusal refusal;
    const char *status, *message, *headers;
  } rows[] = {
      {search, "", Refusal::primary, "429", "API rate limit exceeded for 192.0.2.7. (But here's",
       "60 0 60 1700003600 search -"},
      {search, key, Refusal::primary, "429", "API rate limit exceeded for user ID alice.",
       "60 0 60 1700003600 search -"},
      {search, inst, Refusal::primary, "429", "API rate limit exceeded for installation ID 17.",
       "60 0 60 1700003600 search -"},
      {graphql, key, Refusal::primary, "403", "API rate limit exceeded for user ID alice.",
       "60 0 60 1700003600 graphql -"},
      {search, key, Refusal::points, "429", "You have exceeded a secondary rate limit. Please wait",
       "5000 4900 100 1700003600 search 7"},
      {graphql, key, Refusal::cpu, "403", "You have exceeded a secondary rate limit. Please wait",
       "5000 4900 100 1700003600 graphql 7"},
      {content, key, Refusal::content_hour, "429",
       "You have exceeded a secondary rate limit and have been temporarily blocked from content",
       "5000 4900 100 1700003600 core 7"},
  };
  for (const auto& row : rows) {
    fixture.limiter.decide = [&](const auto&) { return FakeLimiter::refused(row.refusal); };
    const RequestScope scope = fixture.enter(row.row, row.authorization, "POST");
    REQUIRE(scope.refused());
    REQUIRE_FALSE(scope.status().ok());
    const Error& error = scope.status().error();
    CHECK(error.kind == ErrorKind::rate_limited);
    CHECK(error.code == "rate_limit_exceeded_exception");
    CHECK(error.message.starts_with(row.message));
    CHECK(error.details.at(0) == std::pair<std::string, std::string>("_status", row.status));
    CHECK(std::to_string(scope.refused_status()) == row.status);
    const bool secondary = row.refusal != Refusal::primary;
    CHECK(error.details.at(1).second.ends_with("secondary-rate-limits") == secondary);
    CHECK((error.message.find("secondary rate") != std::string::npos) == secondary);
    CHECK(headers_of(scope) == row.headers);
    CHECK(scope.retry_after_s() == 7);
  }
  {  // nobody exceeded anything: the shared state is away
    fixture.limiter.decide = [&](const auto&) { return FakeLimiter::refused(Refusal::no_state); };
    const RequestScope scope = fixture.enter(search, key, "POST");
    REQUIRE(scope.refused());
    const Error& error = scope.status().error();
    CHECK(error.kind == ErrorKind::unavailable);
    CHECK(error.code == "unavailable_exception");
    CHECK(error.message.find("exceeded") == std::string::npos);
    CHECK(error.message.find("rate limit") == std::string::npos);
    CHECK(scope.refused_status() == 503);
    CHECK(headers_of(scope) == "5000 4900 100 1700003600 search 7");
  }
  fixture.limiter.decide = [&](const auto&) { return FakeLimiter::refused(Refusal::primary); };
  const std::string told = fixture.enter(search, odd).status().error().message;
  CHECK(told.find_first_of("<>\r\n") == std::string::npos);
  CHECK(fixture.limiter.live() == 0);
  CHECK(fixture.limiter.released.empty());
}

TEST_CASE("scope: a shortage of the wait is never told as 0") {
  Fixture fixture;
  fixture.limiter.decide = [&](const auto&) { return FakeLimiter::refused(Refusal::points, 0); };
  CHECK(headers_of(fixture.enter(search, "ApiKey " + fixture.key("a"))).ends_with(" 1"));
}

TEST_CASE("scope: a 304 costs an authenticated caller nothing, and the headers say so") {
  Fixture fixture;
  const std::string key = "ApiKey " + fixture.key("alice");
  const auto refunded = [&](std::string_view authorization) {
    RequestScope scope = fixture.enter(limits, authorization);
    net::HeadLines lines = fields_of(scope);
    scope.not_modified(lines);
    scope.not_modified(lines);
    net::Headers headers;
    lines.add_to(headers);
    CHECK(headers.fields().size() == 7);
    return text_of(headers, "x-ratelimit-remaining") + " " + text_of(headers, "x-ratelimit-used");
  };
  CHECK(refunded(key) == "4901 99");
  CHECK(fixture.limiter.refunds == 1);
  CHECK(refunded("") == "4900 100");
  CHECK(refunded("ApiKey nonsense") == "4900 100");
  ratelimit::Policy policy = ratelimit::default_policy();
  policy.refund_not_modified = false;
  fixture.gate.set_policy(std::make_shared<const ratelimit::Policy>(policy));
  CHECK(refunded(key) == "4900 100");
  CHECK(fixture.limiter.refunds == 1);
}

TEST_CASE("scope: released once, however it ends") {
  Fixture fixture;
  const std::string key = "ApiKey " + fixture.key("alice");
  {
    RequestScope scope = fixture.enter(get, key);
    CHECK(fixture.limiter.live() == 1);
    scope.finish();
    CHECK(fixture.limiter.live() == 0);
    scope.finish();
  }
  CHECK(fixture.limiter.released.size() == 1);
  {
    RequestScope scope = fixture.enter(get, key);
    RequestScope moved = std::move(scope);
    scope = fixture.enter(get, key);
    CHECK(fixture.limiter.live() == 2);
    moved = RequestScope();
    CHECK(fixture.limiter.live() == 1);
  }
  CHECK(fixture.limiter.released.size() == 3);
  try {
    const RequestScope scope = fixture.enter(get, key);
    throw std::runtime_error("a handler failed");
  } catch (const std::runtime_error&) {
  }
  CHECK(fixture.limiter.released.size() == 4);
  CHECK(fixture.limiter.live() == 0);
  CHECK(fixture.limiter.released_twice == 0);
  CHECK(fixture.metrics.expose().find("cairn_ratelimit_requests_live{surface=\"platform\"} 0") !=
        std::string::npos);
}

TEST_CASE("scope: many threads, each request released once") {
  Fixture fixture;
  const std::string key = "ApiKey " + fixture.key("alice");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&fixture, &key] {
      for (int i = 0; i < 200; ++i) {
        RequestScope scope = fixture.enter(get, key);
        if (i % 3 == 0) scope.finish();
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(fixture.limiter.released.size() == 800);
  CHECK(fixture.limiter.live() == 0);
  CHECK(fixture.limiter.released_twice == 0);
}

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
