// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/limit_check.h"

#include <optional>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/routes/cluster/limit_identity.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

using ratelimit::Identity;
using ratelimit::Policy;

constexpr std::int64_t cost_max = 1'000'000;
constexpr std::int64_t cpu_ms_max = 3'600'000;
constexpr std::int64_t bytes_max = std::int64_t{1} << 40;
constexpr std::size_t endpoint_bytes_max = 256;
constexpr std::size_t names_max = 16;

Error out_of_range(std::string_view name, std::int64_t most) {
  return illegal_argument("[" + std::string(name) + "] must be from 0 to " + std::to_string(most));
}

Status check_ranges(const LimitCheck& check) {
  if (check.cost < 0 || check.cost > cost_max) return out_of_range("cost", cost_max);
  if (check.points < 0 || check.points > cost_max) return out_of_range("points", cost_max);
  if (check.cpu_ms < 0 || check.cpu_ms > cpu_ms_max) return out_of_range("cpu_ms", cpu_ms_max);
  if (check.bytes < 0 || check.bytes > bytes_max) return out_of_range("bytes", bytes_max);
  if (check.endpoint.empty() || check.endpoint.size() > endpoint_bytes_max)
    return illegal_argument("[endpoint] must have from 1 to " + std::to_string(endpoint_bytes_max) +
                            " bytes");
  if (check.indices.size() > names_max)
    return illegal_argument("[indices] must have at most " + std::to_string(names_max) + " names");
  return ok_status();
}

/// "user:alice", or as the metadata of a key has it: {"kind": "installation", "id": 17, …}.
Result<Identity> identity_in(const Json& given, const Policy& policy) {
  if (given.is_string()) return identity_of_account(given.as_string(), policy);
  CAIRN_TRY(Identity identity, ratelimit::parse_identity(given, ""));
  identity.exempt = policy.exempts(identity);
  return identity;
}

Status read_fields_for_rules(const Json* given, net::Headers& into) {
  if (given == nullptr) return ok_status();
  for (const auto& [name, value] : given->as_object()) {
    if (!value.is_string())
      return illegal_argument("[headers] must be an object of strings, as {\"X-Tenant\": \"a\"}");
    into.set(name, value.as_string());
  }
  return ok_status();
}

ratelimit::RouteFacts facts_of(const LimitCheck& check) {
  return {.method = std::string(check.method()),
          .path = std::string(check.path()),
          .resource = check.resource,
          .content = check.content,
          .check = true};
}

}  // namespace

std::string_view LimitCheck::method() const {
  return std::string_view(endpoint).substr(0, endpoint.find(' '));
}

std::string_view LimitCheck::path() const {
  const std::size_t space = endpoint.find(' ');
  return space == std::string::npos ? std::string_view()
                                    : std::string_view(endpoint).substr(space + 1);
}

ratelimit::RuleRequest LimitCheck::for_rules() const {
  ratelimit::RuleRequest out{.identity = identity};
  out.indices.assign(indices.begin(), indices.end());
  out.header = [this](std::string_view name) { return headers.find(name); };
  if (!identity.authenticated()) out.address = [this] { return identity.account; };
  out.body_bytes = static_cast<std::uint64_t>(bytes);
  return out;
}

Result<LimitCheck> read_limit_check(const Json& body, const Policy& policy) {
  Fields fields(body, "limit_check");
  LimitCheck out;
  const Json* identity = fields.any("identity");
  if (identity == nullptr) return illegal_argument("Required [identity]");
  CAIRN_TRY(out.identity, identity_in(*identity, policy));
  CAIRN_TRY(out.resource, fields.string_or("resource", out.resource));
  CAIRN_TRY(out.endpoint, fields.string_or("endpoint", out.endpoint));
  CAIRN_TRY(out.cost, fields.integer_or("cost", out.cost));
  CAIRN_TRY(out.points, fields.integer_or("points", out.points));
  CAIRN_TRY(out.cpu_ms, fields.integer_or("cpu_ms", out.cpu_ms));
  CAIRN_TRY(out.content, fields.boolean_or("content", out.content));
  CAIRN_TRY(std::optional<std::vector<std::string>> indices, fields.strings("indices"));
  if (indices) out.indices = std::move(*indices);
  CAIRN_TRY(const Json* headers, fields.object("headers"));
  CAIRN_CHECK(read_fields_for_rules(headers, out.headers));
  CAIRN_TRY(out.bytes, fields.integer_or("bytes", out.bytes));
  CAIRN_CHECK(fields.finish());
  CAIRN_CHECK(check_ranges(out));
  return out;
}

Result<LimitCheck> limit_check_of(const net::Headers& fields, const Policy& policy) {
  // A field that is not there leaves what is usual.
  const auto field = [&](std::string_view name) -> std::optional<std::string> {
    const auto value = fields.find(name);
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
  LimitCheck out;
  const auto identity = field("x-limit-identity");
  if (!identity)
    return illegal_argument("the header field [x-limit-identity] says who asks, as ip:192.0.2.1");
  CAIRN_TRY(out.identity, identity_of_account(*identity, policy));
  out.resource = field("x-limit-resource").value_or(out.resource);
  out.endpoint = field("x-limit-endpoint").value_or(out.endpoint);
  CAIRN_CHECK(number("x-limit-cost", out.cost));
  CAIRN_CHECK(number("x-limit-points", out.points));
  CAIRN_CHECK(number("x-limit-bytes", out.bytes));
  if (const auto names = field("x-limit-indices"))
    for (const std::string_view name : split(*names, ',')) out.indices.emplace_back(trim(name));
  if (!policy.rules.empty()) out.headers = fields;
  CAIRN_CHECK(check_ranges(out));
  return out;
}

Result<ratelimit::Charge> charge_for(const LimitCheck& check, const Policy& policy) {
  CAIRN_TRY(ratelimit::Charge charge, ratelimit::charge_of(facts_of(check), policy));
  charge.cost = static_cast<std::uint32_t>(check.cost);
  charge.points = static_cast<std::uint32_t>(check.points);
  return charge;
}

std::vector<const ratelimit::LimitRule*> rules_for(const LimitCheck& check, const Policy& policy) {
  if (policy.rules.empty()) return {};
  return ratelimit::rules_for(facts_of(check), policy);
}

}  // namespace cairn::api
