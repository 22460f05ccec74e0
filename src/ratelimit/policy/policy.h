// SPDX-License-Identifier: Apache-2.0
// The whole policy as values: who may make how many requests of which kind. Immutable once in use.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "ratelimit/identity.h"
#include "ratelimit/policy/limit_rule.h"

namespace cairn::ratelimit {

/// A number of requests; nothing: no limit. 0 always refuses.
using Limit = std::optional<std::uint32_t>;

/// The faces that requests come in by. They differ in statuses and in the shape of a refusal.
enum class Surface : std::uint8_t {
  platform,      // the JSON routes of port 9200
  code_hosting,  // routes in the manner of a code-hosting service
  large_files,   // the git-lfs batch routes
  objects,       // port 9000
};
inline constexpr std::size_t surface_count = 4;
std::string_view name_of(Surface surface);

/// Requests an hour of resource `core`, by identity.
struct Plans {
  Limit unauthenticated = 60;
  Limit user = 5'000;
  Limit enterprise_user = 15'000;
  Limit oauth_app = 5'000;
  Limit oauth_app_enterprise = 15'000;
  Limit workflow = 1'000;
  Limit workflow_enterprise = 15'000;
  Limit service = std::nullopt;  // nothing: no limit of any kind, secondary ones neither
  struct Installation {
    std::uint32_t base = 5'000;
    std::uint32_t enterprise = 15'000;
    std::uint32_t per_repository = 50;
    std::uint32_t repository_threshold = 20;
    std::uint32_t per_user = 50;
    std::uint32_t user_threshold = 20;
    std::uint32_t ceiling = 12'500;
    bool count_excess_only = false;  // `count: excess`: only what is beyond the threshold
    bool operator==(const Installation&) const = default;
  } installation = {};
  bool operator==(const Plans&) const = default;
};

/// A bucket of requests of one kind. `core` and `graphql` take their limits from plans.
struct Resource {
  std::string name;
  std::uint32_t window_s = 3'600;
  Limit authenticated = std::nullopt;
  Limit unauthenticated = std::nullopt;
  Limit service = std::nullopt;  // of identities of kind `service`; holds only with a plan for them
  bool by_plan = false;          // core, graphql: the identity's plan instead of the two above
  bool shown = true;             // part of GET /rate_limit; the large-file bucket is not
  bool of_rule = false;          // counts for a LimitRule, whoever asks
  bool operator==(const Resource&) const = default;
};

struct Secondary {
  Limit concurrent = 100;   // requests at once, over all surfaces that refuse
  Limit points_rest = 900;  // per minute and endpoint
  Limit points_graphql = 2'000;
  Limit cpu_ms_total = 90'000;    // per 60 s
  Limit cpu_ms_graphql = 60'000;  // of them
  Limit content_per_minute = 80;
  Limit content_per_hour = 500;
  Limit heavy_per_minute = 60;  // requests that took heavy_cpu_ms or more
  std::uint32_t heavy_cpu_ms = 1'000;
  bool operator==(const Secondary&) const = default;
};

/// Overrides for the routes that `match` fits: "POST /_search", "* /_test/{name}", with * at the
/// end of the path for everything below.
struct RouteRule {
  std::string match;
  std::optional<std::uint32_t> points = {};
  std::optional<bool> content = {};
  std::optional<std::string> resource = {};
  std::optional<std::uint32_t> content_per_minute = {};  // of this endpoint
  std::optional<std::uint32_t> content_per_hour = {};
  bool shadow = false;  // requests of these routes are decided on, logged and shown, never refused
  bool operator==(const RouteRule&) const = default;
};

struct Points {
  std::uint32_t read = 1;  // GET, HEAD, OPTIONS, and POST that only reads
  std::uint32_t write = 5;
  std::uint32_t graphql_query = 1;
  std::uint32_t graphql_mutation = 5;
  std::vector<RouteRule> routes = {};  // the first that fits wins
  bool operator==(const Points&) const = default;
};

struct Statuses {
  int primary = 429;
  int secondary = 429;
  bool operator==(const Statuses&) const = default;
};

struct Ban {
  bool enabled = false;
  std::uint32_t strikes = 1'000;  // refusals within window_s
  std::uint32_t window_s = 600;
  std::uint32_t first_s = 900;  // doubles with each ban
  std::uint32_t longest_s = 86'400;
  bool operator==(const Ban&) const = default;
};

struct SharedState {
  enum class Kind : std::uint8_t { memory, redis } kind = Kind::memory;
  enum class OnError : std::uint8_t { local, open, closed } on_error = OnError::local;
  std::vector<std::string> urls = {};  // redis://host:port/db; rediss:// for TLS
  /// A shared state that has not answered anybody for so long is away. Slower answers are waited
  /// for: who decides without them decides without the others' counts.
  std::uint32_t timeout_ms = 2'000;
  std::uint32_t nodes = 2;  // that share the count: the local share while it is away
  /// Urls of Sentinels. Where there are any, the hosts of `urls` are names of masters.
  std::vector<std::string> sentinels = {};
  struct Tls {
    std::string ca_file = {};           // PEM; empty: the system's authorities
    std::string certificate_file = {};  // PEM, for servers that ask; empty: none is shown
    std::string key_file = {};
    std::string server_name = {};  // whom certificates are for, instead of the host
    bool verify = true;
    bool operator==(const Tls&) const = default;
  } tls = {};
  bool operator==(const SharedState&) const = default;
};

/// How addresses become identities. Networks are "10.0.0.0/8" or "2001:db8::/32".
struct Addresses {
  std::vector<std::string> trusted_proxies = {};
  std::uint32_t ipv6_prefix = 64;
  std::vector<std::string> exempt = {};  // accounts: "user:alice", "ip:192.0.2.1"
  bool operator==(const Addresses&) const = default;
};

/// What one account may do with a resource, in place of its plan.
struct OwnLimit {
  std::uint16_t resource = 0;
  Limit limit = {};
  bool operator==(const OwnLimit&) const = default;
};

/// The name of the resource that a rule counts in.
inline std::string rule_resource(std::string_view rule) { return "rule:" + std::string(rule); }
/// The account that a rule counts under: of an identity, an index, or the value of a field.
inline std::string rule_account(std::string_view rule, std::string_view of) {
  return rule_resource(rule) + ":" + std::string(of);
}

/// What a code-hosting test double takes instead of real tokens; only with --test-identities.
struct TestToken {
  std::string name;  // as in "Authorization: token NAME"
  Identity identity;
};
struct TestOauthApp {
  std::string client_id;
  std::string secret;
  bool enterprise = false;
};

struct Policy {
  bool enabled = true;
  bool shadow = false;              // computes and logs, refuses nothing
  bool refund_not_modified = true;  // an authenticated 304 costs nothing
  std::uint32_t hour_s = 3'600;     // shorter only to make tests quick
  std::uint32_t minute_s = 60;
  Plans plans = {};
  Plans graphql_plans = {};  // as plans, with 10,000 for enterprises, none unauthenticated
  std::vector<Resource> resources = {};
  Secondary secondary = {};
  Points points = {};
  std::array<Statuses, surface_count> statuses = {};
  Limit objects = std::nullopt;  // requests an hour on port 9000, and then the secondary limits
  Addresses identity = {};
  SharedState store = {};
  Ban ban = {};
  std::vector<LimitRule> rules = {};
  std::map<std::string, std::vector<OwnLimit>, std::less<>> identities = {};  // by account
  std::uint32_t max_identities = 1'000'000;
  std::vector<TestToken> tokens = {};
  std::vector<TestOauthApp> oauth_apps = {};

  /// The index of a resource by name; nothing where there is none.
  std::optional<std::uint16_t> resource(std::string_view name) const;
  /// What `who` may do with resource `index` per window; nothing: without limit.
  Limit limit_of(const Identity& who, std::uint16_t index) const;
  /// It says so itself, or identity.exempt names its account. Limiters ask this on their own.
  bool exempts(const Identity& who) const;

 private:
  /// Of identities; null where it says nothing about this account and resource.
  const Limit* own_limit(std::string_view account, std::uint16_t index) const;
};

/// The published limits: what holds where the configuration says nothing.
Policy default_policy();

/// Reads the section `rate_limit` (see docs/reference/rate-limits.md) over the defaults.
/// `with_fixtures` admits `tokens` and `oauth_apps`.
/// Errors: invalid_argument with the path of the member, what it takes, and for an unknown one the
/// nearest that is known.
Result<Policy> parse_policy(const Json& section, bool with_fixtures);

/// The section that parse_policy would read back, complete but for secrets: fixtures are left out,
/// and the credentials in store.urls.
Json policy_json(const Policy& policy);

}  // namespace cairn::ratelimit
