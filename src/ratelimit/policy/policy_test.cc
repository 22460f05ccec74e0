// SPDX-License-Identifier: Apache-2.0
// The specification's table of primary limits row by row, and the configuration there and back.
#include "ratelimit/policy/policy.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

namespace cairn::ratelimit {
namespace {

Identity of(IdentityKind kind, Facts facts = {}) {
  return {.kind = kind, .account = "x:1", .facts = facts};
}
Limit core_limit(const Policy& policy, const Identity& identity) {
  return policy.limit_of(identity, *policy.resource("core"));
}

Result<Policy> parse(std::string_view json, bool with_fixtures = false) {
  const auto parsed = parse_json(json);
  REQUIRE(parsed.ok());
  return parse_policy(parsed.value(), with_fixtures);
}
Policy good(std::string_view json, bool with_fixtures = false) {
  auto policy = parse(json, with_fixtures);
  if (!policy.ok()) FAIL(policy.error().message);
  return std::move(policy).value();
}
std::string fault(std::string_view json, bool with_fixtures = false) {
  const auto policy = parse(json, with_fixtures);
  REQUIRE_FALSE(policy.ok());
  CHECK(policy.error().kind == ErrorKind::invalid_argument);
  CHECK(policy.error().code == "illegal_argument_exception");
  return policy.error().message;
}

TEST_CASE("policy: the twelve rows of the primary limits") {
  using Kind = IdentityKind;
  const Facts member_of_owner{.enterprise_member = true, .app_owner_enterprise = true};
  const Facts member_of_approver{.enterprise_member = true, .app_approved = true};
  struct Row {
    std::string_view row;
    Identity identity;
    std::uint32_t limit;
  };
  const std::vector<Row> rows = {
      {"unauthenticated", of(Kind::address), 60},
      {"user, personal token", of(Kind::user), 5'000},
      {"user, by an app", of(Kind::app_user), 5'000},
      {"user, by an OAuth app", of(Kind::oauth_user), 5'000},
      {"app owned by an enterprise, member", of(Kind::app_user, member_of_owner), 15'000},
      {"OAuth app owned by an enterprise, member", of(Kind::oauth_user, member_of_owner), 15'000},
      {"OAuth app approved, member", of(Kind::oauth_user, member_of_approver), 15'000},
      {"app approved, member: ownership counts", of(Kind::app_user, member_of_approver), 5'000},
      {"app owned, no member", of(Kind::app_user, {.app_owner_enterprise = true}), 5'000},
      {"member, ordinary app", of(Kind::app_user, {.enterprise_member = true}), 5'000},
      {"installation, base", of(Kind::installation), 5'000},
      {"installation, enterprise", of(Kind::installation, {.resource_enterprise = true}), 15'000},
      {"installation, repositories", of(Kind::installation, {.repositories = 21}), 6'050},
      {"installation, users", of(Kind::installation, {.organization = true, .users = 21}), 6'050},
      {"installation, ceiling", of(Kind::installation, {.repositories = 900, .users = 9}), 12'500},
      {"OAuth app", of(Kind::oauth_app), 5'000},
      {"OAuth app of an enterprise", of(Kind::oauth_app, {.app_owner_enterprise = true}), 15'000},
      {"workflow", of(Kind::workflow), 1'000},
      {"workflow, enterprise", of(Kind::workflow, {.resource_enterprise = true}), 15'000},
  };
  const Policy policy = default_policy();
  for (const Row& row : rows) {
    CAPTURE(row.row);
    CHECK(core_limit(policy, row.identity) == Limit(row.limit));
  }
  CHECK(core_limit(policy, of(Kind::service)) == std::nullopt);
}

TEST_CASE("policy: the formula of installations, both readings, and at the ends of the numbers") {
  struct Row {
    std::uint64_t repositories, users;
    std::uint32_t all, excess;
  };
  constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  const std::vector<Row> rows = {
      {20, 20, 5'000, 5'000},    {21, 20, 6'050, 5'050},    {20, 21, 6'050, 5'050},
      {21, 21, 7'100, 5'100},    {50, 20, 7'500, 6'500},    {50, 50, 10'000, 8'000},
      {150, 1, 12'500, 11'500},  {200, 20, 12'500, 12'500}, {200, 200, 12'500, 12'500},
      {0, 0, 5'000, 5'000},      {huge, 0, 12'500, 12'500}, {huge, huge, 12'500, 12'500},
      {0, huge, 12'500, 12'500},
  };
  Policy policy = default_policy();
  for (const bool excess : {false, true}) {
    policy.plans.installation.count_excess_only = excess;
    for (const Row& row : rows) {
      CAPTURE(row.repositories);
      CAPTURE(row.users);
      CAPTURE(excess);
      const Identity identity = of(
          IdentityKind::installation,
          {.organization = true, .repositories = row.repositories, .users = row.users});
      CHECK(core_limit(policy, identity) == Limit(excess ? row.excess : row.all));
    }
  }
  policy.plans.installation.count_excess_only = false;
  // Spec: users raise the limit of an installation on an organization, and of no other.
  const Facts personal{.repositories = 20, .users = 500};
  CHECK(core_limit(policy, of(IdentityKind::installation, personal)) == Limit(5'000));
  policy.plans.installation.ceiling = 100;
  CHECK(core_limit(policy, of(IdentityKind::installation)) == Limit(100));
}

TEST_CASE("policy: every resource has its window and its two limits") {
  struct Row {
    std::string_view name;
    std::uint32_t window_s;
    Limit caller, stranger;
    bool shown = true;
  };
  const std::vector<Row> rows = {
      {"core", 3'600, 5'000, 60},
      {"search", 60, 30, 10},
      {"code_search", 60, 10, 10},
      {"graphql", 3'600, 5'000, 0},
      {"integration_manifest", 3'600, 5'000, 60},
      {"source_import", 60, 100, 10},
      {"dependency_snapshots", 60, 100, 10},
      {"dependency_sbom", 60, 100, 10},
      {"code_scanning_upload", 3'600, 1'000, 60},
      {"code_scanning_autofix", 60, 10, 10},
      {"actions_runner_registration", 3'600, 10'000, 60},
      {"scim", 3'600, 15'000, 60},
      {"audit_log", 3'600, 1'750, 60},
      {"audit_log_streaming", 3'600, 15, 15},
      {"lfs", 60, 3'000, 300, false},
      {"objects", 3'600, std::nullopt, std::nullopt},
  };
  const Policy policy = default_policy();
  REQUIRE(policy.resources.size() == rows.size());
  for (std::uint16_t i = 0; i < rows.size(); ++i) {
    CAPTURE(rows[i].name);
    CHECK(policy.resource(rows[i].name) == i);
    CHECK(policy.resources[i].window_s == rows[i].window_s);
    CHECK(policy.resources[i].shown == rows[i].shown);
    CHECK(policy.limit_of(of(IdentityKind::user), i) == rows[i].caller);
    CHECK(policy.limit_of(of(IdentityKind::address), i) == rows[i].stranger);
    CHECK(policy.limit_of(of(IdentityKind::service), i) == std::nullopt);
  }
  CHECK(policy.resource("nothing") == std::nullopt);
  CHECK(policy.limit_of(of(IdentityKind::user), 99) == std::nullopt);
  const std::uint16_t graphql = *policy.resource("graphql");
  const Facts enterprise{.enterprise_member = true, .app_owner_enterprise = true};
  CHECK(policy.limit_of(of(IdentityKind::app_user, enterprise), graphql) == Limit(10'000));
  const Facts resource{.resource_enterprise = true};
  CHECK(policy.limit_of(of(IdentityKind::installation, resource), graphql) == Limit(10'000));
  CHECK(policy.limit_of(of(IdentityKind::workflow), graphql) == Limit(1'000));
  CHECK(policy.limit_of(of(IdentityKind::workflow, resource), graphql) == Limit(15'000));
}

TEST_CASE("policy: secondary limits, points and statuses are the published ones") {
  const Policy policy = default_policy();
  CHECK(policy.secondary == Secondary{});
  CHECK(policy.secondary.concurrent == Limit(100));
  CHECK(policy.secondary.points_rest == Limit(900));
  CHECK(policy.secondary.points_graphql == Limit(2'000));
  CHECK(policy.secondary.cpu_ms_total == Limit(90'000));
  CHECK(policy.secondary.cpu_ms_graphql == Limit(60'000));
  CHECK(policy.secondary.content_per_minute == Limit(80));
  CHECK(policy.secondary.content_per_hour == Limit(500));
  CHECK(policy.points.read == 1);
  CHECK(policy.points.write == 5);
  const auto status = [&](Surface surface) {
    return policy.statuses[static_cast<std::size_t>(surface)];
  };
  CHECK(status(Surface::platform) == Statuses{429, 429});
  CHECK(status(Surface::code_hosting) == Statuses{403, 403});
  CHECK(status(Surface::large_files) == Statuses{429, 429});
  CHECK(status(Surface::objects) == Statuses{503, 503});
}

TEST_CASE("policy: a service is limited once it has a plan") {
  Policy policy = default_policy();
  const Identity service = of(IdentityKind::service);
  policy.plans.service = 100;
  CHECK(core_limit(policy, service) == Limit(100));
  CHECK(policy.limit_of(service, *policy.resource("search")) == std::nullopt);
  policy.resources[*policy.resource("search")].service = 7;
  CHECK(policy.limit_of(service, *policy.resource("search")) == Limit(7));
}

TEST_CASE("policy: an exempt account, by name or by itself") {
  Policy policy = default_policy();
  policy.identity.exempt = {"user:root"};
  CHECK(policy.exempts({.kind = IdentityKind::user, .account = "user:root"}));
  CHECK_FALSE(policy.exempts({.kind = IdentityKind::user, .account = "user:roo"}));
  CHECK(policy.exempts({.kind = IdentityKind::user, .account = "user:a", .exempt = true}));
}

TEST_CASE("configuration: every member is read") {
  const Policy policy = good(R"({
    "enabled": false, "shadow": true, "refund_not_modified": false,
    "status": {"primary": 429, "platform": {"primary": 403, "secondary": 429}, "s3": 429},
    "plans": {"unauthenticated": 1, "user": 2, "enterprise_user": 3, "oauth_app": 4,
              "oauth_app_enterprise": 5, "workflow": 6, "workflow_enterprise": 7, "service": 8,
              "installation": {"base": 9, "enterprise": 10, "per_repo": 11, "repo_threshold": 12,
                               "per_user": 13, "user_threshold": 14, "ceiling": 15,
                               "count": "excess"}},
    "graphql_plans": {"user": null}, "objects": 16,
    "resources": {"search": {"authenticated": 17, "unauthenticated": 0},
                  "graphql": {"authenticated": 18},
                  "mine": {"window": 120, "authenticated": 19}},
    "secondary": {"concurrent": 20, "points_per_minute": {"rest": 21, "graphql": 22},
                  "cpu_ms_per_minute": {"total": 23, "graphql": 24}, "content_per_minute": 25,
                  "content_per_hour": 26, "heavy_per_minute": 27, "heavy_cpu_ms": 28},
    "points": {"read": 29, "write": 30, "graphql_query": 31, "graphql_mutation": 32,
               "routes": [{"match": "POST /_search", "points": 33, "content": true,
                           "resource": "mine", "content_per_minute": 34}]},
    "identity": {"trusted_proxies": ["10.0.0.0/8", "::1"], "ipv6_prefix": 56,
                 "exempt": ["user:root"]},
    "store": {"kind": "redis", "urls": ["redis://127.0.0.1:6379/0"], "timeout_ms": 35,
              "on_store_error": "closed", "nodes": 36},
    "ban": {"enabled": true, "strikes": 37, "window_s": 38, "first_s": 39, "longest_s": 40},
    "max_identities": 41})");
  CHECK_FALSE(policy.enabled);
  CHECK(policy.shadow);
  CHECK_FALSE(policy.refund_not_modified);
  CHECK(policy.statuses[0] == Statuses{403, 429});
  CHECK(policy.statuses[1] == Statuses{429, 403});
  CHECK(policy.statuses[2] == Statuses{429, 429});
  CHECK(policy.statuses[3] == Statuses{429, 429});
  const Plans plans{.unauthenticated = 1,
                    .user = 2,
                    .enterprise_user = 3,
                    .oauth_app = 4,
                    .oauth_app_enterprise = 5,
                    .workflow = 6,
                    .workflow_enterprise = 7,
                    .service = 8,
                    .installation = {.base = 9,
                                     .enterprise = 10,
                                     .per_repository = 11,
                                     .repository_threshold = 12,
                                     .per_user = 13,
                                     .user_threshold = 14,
                                     .ceiling = 15,
                                     .count_excess_only = true}};
  CHECK(policy.plans == plans);
  CHECK(policy.graphql_plans.user == std::nullopt);
  CHECK(policy.objects == Limit(16));
  const auto limits = [&](std::string_view resource) {
    const std::uint16_t index = *policy.resource(resource);
    return std::pair(policy.limit_of(of(IdentityKind::user), index),
                     policy.limit_of(of(IdentityKind::address), index));
  };
  CHECK(limits("search") == std::pair(Limit(17), Limit(0)));
  CHECK(limits("graphql") == std::pair(Limit(18), Limit(0)));
  CHECK(limits("mine") == std::pair(Limit(19), Limit()));
  CHECK(limits("objects") == std::pair(Limit(16), Limit(16)));
  CHECK(policy.resources.back().window_s == 120);
  const Secondary secondary{20, 21, 22, 23, 24, 25, 26, 27, 28};
  CHECK(policy.secondary == secondary);
  CHECK(policy.points.read == 29);
  CHECK(policy.points.graphql_mutation == 32);
  const RouteRule rule{.match = "POST /_search",
                       .points = 33,
                       .content = true,
                       .resource = "mine",
                       .content_per_minute = 34};
  CHECK(policy.points.routes == std::vector{rule});
  CHECK(policy.identity == Addresses{{"10.0.0.0/8", "::1"}, 56, {"user:root"}});
  const SharedState store{
      SharedState::Kind::redis, SharedState::OnError::closed, {"redis://127.0.0.1:6379/0"}, 35, 36};
  CHECK(policy.store == store);
  CHECK(policy.ban == Ban{true, 37, 38, 39, 40});
  CHECK(policy.max_identities == 41);
}

TEST_CASE("configuration: shorter hours and minutes shorten every window") {
  const Policy policy = good(R"({"time": {"hour_s": 60, "minute_s": 2},
      "resources": {"scim": {"window": "minute"}, "audit_log": {"window": 60},
                    "own": {"window": 61}}})");
  const auto window = [&](std::string_view name) {
    return policy.resources[*policy.resource(name)].window_s;
  };
  CHECK(window("core") == 60);
  CHECK(window("search") == 2);
  CHECK(window("lfs") == 2);
  CHECK(window("objects") == 60);
  CHECK(window("scim") == 2);
  CHECK(window("audit_log") == 2);
  CHECK(window("own") == 61);
}

TEST_CASE("configuration: written out, it reads back to the same") {
  const std::vector<std::string_view> sections = {
      "{}", "null",
      R"({"time": {"hour_s": 7, "minute_s": 3}, "resources": {"own": {"window": 9, "service": 4}},
          "plans": {"service": 5, "user": null}, "objects": 3, "status": {"secondary": 429},
          "points": {"routes": [{"match": "* /a/{b}/*", "content": false}, {"match": "/x"}]}})",
      R"({"resources": {"core": {"authenticated": 5, "unauthenticated": null}},
          "ban": {"enabled": true}, "store": {"kind": "redis", "urls": "redis://h:1"}})"};
  for (const std::string_view section : sections) {
    CAPTURE(section);
    const Policy policy = good(section);
    const Json written = policy_json(policy);
    const auto again = parse_policy(written, false);
    if (!again.ok()) FAIL(again.error().message);
    CHECK(policy_json(again.value()).dump() == written.dump());
    CHECK(again.value().plans == policy.plans);
    CHECK(again.value().graphql_plans == policy.graphql_plans);
    CHECK(again.value().resources == policy.resources);
    CHECK(again.value().secondary == policy.secondary);
    CHECK(again.value().points == policy.points);
    CHECK(again.value().statuses == policy.statuses);
    CHECK(again.value().store == policy.store);
    CHECK(again.value().ban == policy.ban);
    CHECK(again.value().objects == policy.objects);
  }
}

TEST_CASE("configuration: secrets are not written out") {
  const Policy policy = good(R"({"store": {"kind": "redis", "urls": ["redis://:hunter2@h:1/2"]},
      "tokens": {"TOPSECRET": {"kind": "user", "user": "a"}},
      "oauth_apps": {"app": {"secret": "hunter3"}}})",
                             true);
  const std::string text = policy_json(policy).dump();
  for (const std::string_view secret : {"hunter2", "hunter3", "TOPSECRET"})
    CHECK(text.find(secret) == std::string::npos);
  CHECK(text.find("redis://h:1/2") != std::string::npos);
}

TEST_CASE("configuration: a fault names its path, what fits, and the nearest name") {
  struct Row {
    std::string_view json, part;
  };
  const std::vector<Row> rows = {
      {R"({"plan": {}})", "[rate_limit.plan] is no setting; did you mean [plans]?"},
      {R"({"plans": {"usr": 1}})", "[rate_limit.plans.usr] is no setting; did you mean [user]?"},
      {R"({"plans": {"user": -1}})", "[rate_limit.plans.user] must be an integer from 0"},
      {R"({"plans": {"user": "many"}})", "or null for no limit, not [\"many\"]"},
      {R"({"plans": {"user": 4294967296}})", "[rate_limit.plans.user]"},
      {R"({"plans": []})", "[rate_limit.plans] must be an object"},
      {R"({"plans": {"installation": {"count": "some"}}})", "one of [all, excess]"},
      {R"({"time": {"hour_s": 0}})", "[rate_limit.time.hour_s]"},
      {R"({"enabled": 1})", "[rate_limit.enabled] must be true or false"},
      {R"({"resources": {"serach": {"authenticated": 3}}})", "did you mean [search]?"},
      {R"({"resources": {"no good": {"window": 5}}})", "[rate_limit.resources.no good]"},
      {R"({"resources": {"objects": {}}})", "[rate_limit.objects]"},
      {R"({"resources": {"search": {"window": 0}}})", "[rate_limit.resources.search.window]"},
      {R"({"status": {"platform": 200}})", "403, 429 or 503"},
      {R"({"status": {"s3": {"third": 503}}})", "[primary, secondary]"},
      {R"({"secondary": {"content_per_hour": 65536}})", "from 0 to 65535"},
      {R"({"points": {"routes": {}}})", "[rate_limit.points.routes]"},
      {R"({"points": {"routes": [{"points": 1}]}})", "[rate_limit.points.routes[0].match]"},
      {R"({"points": {"routes": [{"match": "GET x"}]}})", "as in [POST /_search]"},
      {R"({"points": {"routes": [{"match": "/x", "resource": "y"}]}})", "routes[0].resource"},
      {R"({"identity": {"trusted_proxies": ["10.0.0.0/33"]}})", "trusted_proxies"},
      {R"({"identity": {"exempt": ["root"]}})", "[rate_limit.identity.exempt]"},
      {R"({"identity": {"ipv6_prefix": 129}})", "[rate_limit.identity.ipv6_prefix]"},
      {R"({"store": {"kind": "redis"}})", "[rate_limit.store.urls]"},
      {R"({"max_identities": 0})", "[rate_limit.max_identities]"},
      {R"({"tokens": {}})", "--test-identities"},
      {R"({"oauth_apps": {}})", "--test-identities"},
      {"[]", "[rate_limit] must be an object"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.json);
    const std::string message = fault(row.json);
    CAPTURE(message);
    CHECK(message.find(row.part) != std::string::npos);
  }
  CHECK(fault(R"({"tokens": {"T": {"kind": "king"}}})", true).find("[rate_limit.tokens.T]") == 0);
  CHECK(fault(R"({"oauth_apps": {"a": {}}})", true).find("needs a [secret]") != std::string::npos);
}

TEST_CASE("configuration: fixtures name the facts, or say enterprise") {
  const Policy policy = good(R"({
    "tokens": {
      "PLAIN": {"kind": "user", "user": "alice"},
      "ENT": {"kind": "user", "user": "alice", "enterprise": true},
      "OAUTH": {"kind": "oauth_user", "user": "bob", "enterprise_member": true,
                "app_approved": true},
      "INST": {"kind": "installation", "id": 7, "repos": 21, "users": 5},
      "ORG": {"kind": "installation", "id": 9, "users": 30},
      "OWN": {"kind": "installation", "id": 10, "users": 30, "organization": false},
      "BIG": {"kind": "installation", "id": "8", "enterprise": true},
      "WF": {"kind": "workflow", "repo": 9, "enterprise": true},
      "NAMELESS": {"kind": "user"}},
    "oauth_apps": {"app1": {"secret": "s", "enterprise": true}}})",
                             true);
  struct Row {
    std::string_view name, account;
    std::uint32_t limit;
  };
  const std::vector<Row> rows = {{"PLAIN", "user:alice", 5'000},      {"ENT", "user:alice", 15'000},
                                 {"OAUTH", "user:bob", 15'000},       {"INST", "inst:7", 6'050},
                                 {"ORG", "inst:9", 6'500},
                                 {"OWN", "inst:10", 5'000},
                                 {"BIG", "inst:8", 15'000},           {"WF", "wf:9", 15'000},
                                 {"NAMELESS", "user:NAMELESS", 5'000}};
  REQUIRE(policy.tokens.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(rows[i].name);
    CHECK(policy.tokens[i].name == rows[i].name);
    CHECK(policy.tokens[i].identity.account == rows[i].account);
    CHECK(core_limit(policy, policy.tokens[i].identity) == Limit(rows[i].limit));
  }
  REQUIRE(policy.oauth_apps.size() == 1);
  CHECK(policy.oauth_apps[0].client_id == "app1");
  CHECK(policy.oauth_apps[0].secret == "s");
  CHECK(policy.oauth_apps[0].enterprise);
}

}  // namespace
}  // namespace cairn::ratelimit
