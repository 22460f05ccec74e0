// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/limit_watch_routes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/forms/error_json.h"
#include "api/routes/cluster/limit_explanation.h"
#include "api/routes/cluster/limit_identity.h"
#include "api/routes/cluster/limit_use.h"
#include "base/strings.h"
#include "gate/address.h"
#include "os/clock.h"

namespace cairn::api {
namespace {

using ratelimit::Identity;
using ratelimit::Limiter;
using ratelimit::Policy;

constexpr std::int64_t size_max = 1'000;
constexpr std::size_t fields_max = 16;
constexpr std::uint64_t body_bytes_max = 1ull << 40;

Result<std::size_t> size_of(Call& call) {
  CAIRN_TRY(const std::int64_t size, call.integer("size", 20));
  if (size < 1 || size > size_max)
    return illegal_argument("[size] must be from 1 to " + std::to_string(size_max));
  return static_cast<std::size_t>(size);
}

Result<Reply> top(Call& call, Limiter& limiter) {
  CAIRN_TRY(const std::size_t size, size_of(call));
  const auto policy = limiter.policy();
  const std::string name = call.query("resource").value_or("core");
  const auto resource = policy->resource(name);
  if (!resource || policy->resources[*resource].of_rule)
    return illegal_argument("[resource] must be one of the policy (cairn limits policy), and [" +
                            name + "] is none");
  return Reply::json(Json::object(
      {{"resource", name}, {"identities", busiest_identities(limiter, *resource, size)}}));
}

Result<Reply> limited(Call& call, Limiter& limiter) {
  CAIRN_TRY(const std::size_t size, size_of(call));
  return Reply::json(Json::object({{"identities", limited_identities(limiter, size)}}));
}

Result<Reply> rules(Call& call, Limiter& limiter) {
  const auto policy = limiter.policy();
  Json described = ratelimit::policy_json(*policy);
  Json* const list = described.find("rules");
  for (Json& rule : list->as_array()) {
    const auto said = call.decisions_of_rule(rule.string_or("name"));
    rule.set("admitted", said.admitted);
    rule.set("refused", said.refused);
    rule.set("would_be_refused", said.would_be_refused);
  }
  return Reply::json(Json::object({{"rules", std::move(*list)}}));
}

/// "x-tenant:acme" as a field; names in lower case.
Result<std::vector<std::pair<std::string, std::string>>> fields_of(Call& call) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& text : call.list("header")) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0 || out.size() == fields_max)
      return illegal_argument("[header] must be a list of at most " + std::to_string(fields_max) +
                              " fields, as in [x-tenant:acme], and is [" + text + "]");
    out.emplace_back(lower_ascii(text.substr(0, colon)),
                     std::string(trim(std::string_view(text).substr(colon + 1))));
  }
  return out;
}

using SentFields = std::vector<std::pair<std::string, std::string>>;

/// The request that is asked about, as one of its listener's.
struct ExplainedRequest {
  std::string method = {}, path = {};
  SentFields fields = {};
  std::uint64_t body_bytes = 0;
  bool of_objects = false;
};

Result<ExplainedRequest> explained_request_of(Call& call) {
  ExplainedRequest out{.method = call.query("method").value_or("GET"),
                       .path = call.query("path").value_or("")};
  if (out.path.empty() || out.path.front() != '/')
    return illegal_argument(
        "[identity] says who asks, as user:alice, and [path] for what, as "
        "/books/_search");
  CAIRN_TRY(const std::int64_t bytes, call.integer("body_bytes", 0));
  if (bytes < 0 || static_cast<std::uint64_t>(bytes) > body_bytes_max)
    return illegal_argument("[body_bytes] must be from 0 to " + std::to_string(body_bytes_max));
  out.body_bytes = static_cast<std::uint64_t>(bytes);
  CAIRN_TRY(out.fields, fields_of(call));
  const std::string listener = call.query("listener").value_or("api");
  if (listener != "api" && listener != "objects")
    return illegal_argument("[listener] must be api or objects, and is [" + listener + "]");
  out.of_objects = listener == "objects";
  return out;
}

Result<CountedByObjects> counted_by_listener(Call& call, const ExplainedRequest& asked,
                                             const CountByObjects& by_objects) {
  if (!asked.of_objects) {
    CAIRN_TRY(Call::Counted counted,
              call.counted(asked.method, asked.path.substr(0, asked.path.find('?'))));
    return CountedByObjects{.counted = std::move(counted)};
  }
  if (!by_objects) return illegal_argument("[listener] is objects, and there is no such listener");
  net::RequestHead head{
      .method = asked.method, .target = asked.path, .headers = {}, .peer_address = {}};
  for (const auto& [name, value] : asked.fields) head.headers.add(name, value);
  if (!head.headers.has("host")) head.headers.add("Host", "localhost");
  return by_objects(head);
}

Json explained_request_json(const ExplainedRequest& asked, const CountedByObjects& said) {
  const Call::Counted& counted = said.counted;
  Json out = Json::object({{"method", asked.method}, {"path", asked.path}});
  if (counted.route != nullptr) {
    out.set("route", counted.route->method + " " + counted.route->path);
    out.set("operation", counted.route->operation);
    // Whether one has is known only where a request comes, and taken then.
    if (counted.route->paid) out.set("may_be_paid_for", true);
  }
  if (asked.of_objects && !counted.indices.empty()) out.set("bucket", counted.indices.front());
  if (!said.not_understood.empty()) out.set("not_understood", said.not_understood);
  return out;
}

/// The account of the address that the request would come from; empty where nobody said.
Result<std::string> address_of(Call& call, const Identity& who, const ratelimit::Policy& policy) {
  const auto given = call.query("address");
  if (!given) return who.authenticated() ? std::string() : who.account;
  const auto address = gate::parse_address(*given);
  if (!address)
    return illegal_argument("[address] must be an address, as 192.0.2.1, and is [" + *given + "]");
  return gate::AddressRules(policy.identity).account_of(*address);
}

Result<Reply> explain_request(Call& call, Limiter& limiter, const auth::Keys& keys,
                              const CountByObjects& by_objects) {
  const std::string account = call.query("identity").value_or("");
  if (account.empty())
    return illegal_argument(
        "[identity] says who asks, as user:alice, and [path] for what, as "
        "/books/_search");
  CAIRN_TRY(const ExplainedRequest asked, explained_request_of(call));
  CAIRN_TRY(const CountedByObjects said, counted_by_listener(call, asked, by_objects));
  const Call::Counted& counted = said.counted;
  const auto policy = counted.policy != nullptr ? counted.policy : limiter.policy();
  // An access key says whose it is, and nothing of what an API key's metadata knows of them.
  CAIRN_TRY(const Identity who, asked.of_objects ? identity_of_account(account, *policy)
                                                 : known_identity(account, keys, *policy));
  if (!said.not_understood.empty() && who.authenticated())
    return illegal_argument(
        "the object storage does not understand this request, and counts it as "
        "its address' (identity=ip:...): " +
        said.not_understood);
  Json out = Json::object({{"identity", who.account},
                           {"kind", name_of(who.kind)},
                           {"exempt", who.exempt},
                           {"request", explained_request_json(asked, said)},
                           {"limited", counted.policy != nullptr && policy->enabled}});
  if (counted.policy == nullptr || !policy->enabled) {
    if (!said.why_uncounted.empty()) out.set("why", said.why_uncounted);
    out.set("admitted", true);
    return Reply::json(std::move(out));
  }
  ratelimit::RuleRequest request{.identity = who, .body_bytes = asked.body_bytes};
  for (const std::string& index : counted.indices) request.indices.push_back(index);
  request.header = [&asked](std::string_view name) -> std::optional<std::string_view> {
    for (const auto& [field, value] : asked.fields)
      if (field == name) return std::string_view(value);
    return std::nullopt;
  };
  CAIRN_TRY(const std::string from, address_of(call, who, *policy));
  request.address = [&from] { return from; };
  const Json explained = explain_limits(limiter, counted, request);
  for (const auto& [name, value] : explained.as_object()) out.set(name, value);
  return Reply::json(std::move(out));
}

}  // namespace

void add_limit_watch_routes(Router& router, ServiceRef<Limiter> limiter,
                            ServiceRef<const auth::Keys> keys, CountByObjects by_objects) {
  const std::vector<std::string> who = {"manage_security"};
  router.add({.method = "GET",
              .path = "/_cairn/limits/_top",
              .operation = "cairn.top_limits",
              .cluster = who,
              .computes = true,
              .query = {{"resource", "string", "Whose window is looked at: core."},
                        {"size", "integer", "How many identities at most: 20."}},
              .summary = "The identities that used most of a resource in this window."},
             [limiter](Call& call) { return top(call, *limiter); });
  router.add({.method = "GET",
              .path = "/_cairn/limits/_limited",
              .operation = "cairn.limited_identities",
              .cluster = who,
              .computes = true,
              .query = {{"size", "integer", "How many identities at most: 20."}},
              .summary = "The identities that a limit refuses now, or would without shadow mode."},
             [limiter](Call& call) { return limited(call, *limiter); });
  router.add({.method = "GET",
              .path = "/_cairn/limits/_rules",
              .operation = "cairn.limit_rules",
              .cluster = who,
              .summary = "The operator's own rules, and what they have said since the start."},
             [limiter](Call& call) { return rules(call, *limiter); });
  router.add(
      {.method = "GET",
       .path = "/_cairn/limits/_explain",
       .operation = "cairn.explain_limits",
       .cluster = who,
       .query = {{"identity", "string", "Who asks: user:alice."},
                 {"method", "string", "GET where it is absent."},
                 {"path", "string", "/books/_search, or /bucket/key?uploads of the objects."},
                 {"listener", "string", "api, or objects: the object storage's. api."},
                 {"header", "list", "Fields of the request: x-tenant:acme."},
                 {"address", "string", "Where it comes from, for rules that count by that: 192.0.2.1."},
                 {"body_bytes", "integer", "Length of the body, for rules that weigh bytes."}},
       .summary = "Why a request would be admitted or refused; counts nothing."},
      [limiter, keys, by_objects = std::move(by_objects)](Call& call) {
        return explain_request(call, *limiter, *keys, by_objects);
      });
}

}  // namespace cairn::api
