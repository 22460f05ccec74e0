// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/limit_check_routes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/routes/cluster/limit_identity.h"
#include "base/strings.h"
#include "gate/refusal.h"

namespace cairn::api {
namespace {

using ratelimit::Decision;
using ratelimit::Identity;
using ratelimit::Limiter;
using ratelimit::Policy;

constexpr std::size_t checks_max = 100;  // with shared state each is a question to it
constexpr std::int64_t cost_max = 1'000'000;
constexpr std::int64_t cpu_ms_max = 3'600'000;
constexpr std::size_t endpoint_bytes_max = 256;
constexpr std::string_view usual_endpoint = "CHECK";

/// One question: who, and what it costs.
struct Check {
  Identity identity = {};
  std::string resource = "core";
  std::string endpoint = std::string(usual_endpoint);
  std::int64_t cost = 1;    // units of the primary limit
  std::int64_t points = 1;  // of the secondary one, by endpoint
  std::int64_t cpu_ms = 0;  // that the request took, where it is told afterwards
  bool content = false;
};

Error out_of_range(std::string_view name, std::int64_t most) {
  return illegal_argument("[" + std::string(name) + "] must be from 0 to " + std::to_string(most));
}

Status check_ranges(const Check& check) {
  if (check.cost < 0 || check.cost > cost_max) return out_of_range("cost", cost_max);
  if (check.points < 0 || check.points > cost_max) return out_of_range("points", cost_max);
  if (check.cpu_ms < 0 || check.cpu_ms > cpu_ms_max) return out_of_range("cpu_ms", cpu_ms_max);
  if (check.endpoint.empty() || check.endpoint.size() > endpoint_bytes_max)
    return illegal_argument("[endpoint] must have from 1 to " + std::to_string(endpoint_bytes_max) +
                            " bytes");
  return ok_status();
}

/// "user:alice", or as the metadata of a key has it: {"kind": "installation", "id": 17, …}.
Result<Identity> identity_in(const Json& given, const Policy& policy) {
  if (given.is_string()) return identity_of_account(given.as_string(), policy);
  CAIRN_TRY(Identity identity, ratelimit::parse_identity(given, ""));
  identity.exempt = policy.exempts(identity);
  return identity;
}

Result<Check> read_check(const Json& body, const Policy& policy) {
  Fields fields(body, "limit_check");
  Check out;
  const Json* identity = fields.any("identity");
  if (identity == nullptr) return illegal_argument("Required [identity]");
  CAIRN_TRY(out.identity, identity_in(*identity, policy));
  CAIRN_TRY(out.resource, fields.string_or("resource", out.resource));
  CAIRN_TRY(out.endpoint, fields.string_or("endpoint", out.endpoint));
  CAIRN_TRY(out.cost, fields.integer_or("cost", out.cost));
  CAIRN_TRY(out.points, fields.integer_or("points", out.points));
  CAIRN_TRY(out.cpu_ms, fields.integer_or("cpu_ms", out.cpu_ms));
  CAIRN_TRY(out.content, fields.boolean_or("content", out.content));
  CAIRN_CHECK(fields.finish());
  CAIRN_CHECK(check_ranges(out));
  return out;
}

Result<ratelimit::Charge> charge_for(const Check& check, const Policy& policy) {
  // "POST /orders" is an endpoint of the application: its points are counted apart from others.
  const std::size_t space = check.endpoint.find(' ');
  const std::string path =
      space == std::string::npos ? std::string() : check.endpoint.substr(space + 1);
  CAIRN_TRY(ratelimit::Charge charge,
            ratelimit::charge_of({.method = check.endpoint.substr(0, space),
                                  .path = path,
                                  .resource = check.resource,
                                  .content = check.content},
                                 policy));
  charge.cost = static_cast<std::uint32_t>(check.cost);
  charge.points = static_cast<std::uint32_t>(check.points);
  return charge;
}

/// A decision with what the application's own reply should have.
struct Answer {
  bool admitted = true;
  Decision decision = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string message = {};
  std::string documentation_url = {};
};

void add_headers(const Policy& policy, Answer& answer) {
  const Decision& decision = answer.decision;
  auto& out = answer.headers;
  if (decision.window) {
    out.emplace_back("x-ratelimit-limit", std::to_string(decision.window->limit));
    out.emplace_back("x-ratelimit-remaining", std::to_string(decision.window->remaining));
    out.emplace_back("x-ratelimit-used", std::to_string(decision.window->used));
    out.emplace_back("x-ratelimit-reset", std::to_string(decision.window->reset_s));
    out.emplace_back("x-ratelimit-resource", policy.resources[decision.window->resource].name);
  }
  if (!decision.admitted())
    out.emplace_back("retry-after", std::to_string(std::max(decision.retry_after_s, 1u)));
}

Answer decide(const Check& check, const ratelimit::Charge& charge, const Policy& policy,
              Limiter& limiter) {
  Answer out;
  if (!policy.enabled) return out;
  ratelimit::Admission admission = limiter.admit(check.identity, charge);
  out.decision = admission.decision();
  out.admitted = out.decision.admitted();
  admission.finish(out.admitted ? check.cpu_ms * 1'000'000 : 0);
  add_headers(policy, out);
  if (out.admitted) return out;
  const Error error = gate::refusal_error(out.decision, check.identity, 429);
  out.message = error.message;
  for (const auto& [name, text] : error.details)
    if (name == "_documentation_url") out.documentation_url = text;
  return out;
}

Json json_of(const Answer& answer, const Check& check) {
  Json headers = Json::object();
  for (const auto& [name, value] : answer.headers) headers.set(name, value);
  Json out = Json::object({{"admitted", answer.admitted},
                           {"identity", check.identity.account},
                           {"headers", std::move(headers)}});
  if (answer.admitted) return out;
  out.set("refusal", ratelimit::name_of(answer.decision.refusal));
  out.set("retry_after", std::max(answer.decision.retry_after_s, 1u));
  out.set("message", answer.message);
  out.set("documentation_url", answer.documentation_url);
  return out;
}

/// All are read before the first is counted: a request with a fault counts nothing.
Result<Reply> check_all(const Json& list, const Policy& policy, Limiter& limiter) {
  if (!list.is_array() || list.as_array().size() > checks_max)
    return illegal_argument("[checks] must be an array of at most " + std::to_string(checks_max) +
                            " checks");
  std::vector<std::pair<Check, ratelimit::Charge>> all;
  for (const Json& one : list.as_array()) {
    if (!one.is_object()) return illegal_argument("[checks] must be an array of objects");
    CAIRN_TRY(Check check, read_check(one, policy));
    CAIRN_TRY(const ratelimit::Charge charge, charge_for(check, policy));
    all.emplace_back(std::move(check), charge);
  }
  Json results = Json::array();
  for (const auto& [check, charge] : all)
    results.push(json_of(decide(check, charge, policy, limiter), check));
  return Reply::json(Json::object({{"results", std::move(results)}}));
}

Result<Reply> check(Call& call, Limiter& limiter) {
  CAIRN_TRY(const Json body, call.body());
  const auto policy = limiter.policy();
  if (const Json* list = body.find("checks")) {
    if (body.as_object().size() > 1)
      return illegal_argument("[checks] stands alone: each of them has an identity of its own");
    return check_all(*list, *policy, limiter);
  }
  CAIRN_TRY(const Check one, read_check(body, *policy));
  CAIRN_TRY(const ratelimit::Charge charge, charge_for(one, *policy));
  return Reply::json(json_of(decide(one, charge, *policy, limiter), one));
}

/// What a proxy sends of the request that it holds back; a header field that is not there leaves
/// what is usual.
Result<Check> check_of_headers(const net::Headers& headers, const Policy& policy) {
  const auto field = [&](std::string_view name) -> std::optional<std::string> {
    const auto value = headers.find(name);
    if (!value || trim(*value).empty()) return std::nullopt;
    return std::string(trim(*value));
  };
  const auto number = [&](std::string_view name, std::int64_t& into) -> Status {
    const auto text = field(name);
    if (!text) return ok_status();
    const auto value = parse_number<std::int64_t>(*text);
    if (!value) return illegal_argument("[" + std::string(name) + "] is no number: " + *text);
    into = *value;
    return ok_status();
  };
  Check out;
  const auto identity = field("x-limit-identity");
  if (!identity)
    return illegal_argument("the header field [x-limit-identity] says who asks, as ip:192.0.2.1");
  CAIRN_TRY(out.identity, identity_of_account(*identity, policy));
  out.resource = field("x-limit-resource").value_or(out.resource);
  out.endpoint = field("x-limit-endpoint").value_or(out.endpoint);
  CAIRN_CHECK(number("x-limit-cost", out.cost));
  CAIRN_CHECK(number("x-limit-points", out.points));
  CAIRN_CHECK(check_ranges(out));
  return out;
}

Result<Reply> authorize(Call& call, Limiter& limiter) {
  CAIRN_TRY(const std::int64_t denied, call.integer("denied", 429));
  if (denied != 429 && denied != 403)
    return illegal_argument("[denied] must be 429, or 403 for nginx, which knows no other");
  const auto policy = limiter.policy();
  CAIRN_TRY(const Check one, check_of_headers(call.exchange().head.headers, *policy));
  CAIRN_TRY(const ratelimit::Charge charge, charge_for(one, *policy));
  const Answer answer = decide(one, charge, *policy, limiter);
  Reply reply = answer.admitted
                    ? Reply::json(Json::object({{"admitted", true}}))
                    : Reply::json(Json::object({{"message", answer.message},
                                                {"documentation_url", answer.documentation_url}}),
                                  static_cast<int>(denied));
  for (const auto& [name, value] : answer.headers) reply.headers.set(name, value);
  return reply;
}

}  // namespace

void add_limit_check_routes(Router& router, ServiceRef<Limiter> limiter) {
  const std::vector<std::string> who = {"check_limits"};
  router.add({.method = "POST",
              .path = "/_cairn/limits/_check",
              .operation = "cairn.check_limits",
              .cluster = who,
              .resource = "",
              .reads = true,
              .summary = "Counts a request of another program, and says whether it may pass.",
              .body_required = true},
             [limiter](Call& call) { return check(call, *limiter); });
  router.add(
      {.method = "GET",
       .path = "/_cairn/limits/_auth",
       .operation = "cairn.authorize_limits",
       .cluster = who,
       .resource = "",
       .query = {{"denied", "integer", "The status of a refusal: 429, or 403 for nginx."}},
       .summary = "The same by header fields, for proxies: 200, or the status of a refusal."},
      [limiter](Call& call) { return authorize(call, *limiter); });
}

}  // namespace cairn::api
