// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/limit_explanation.h"

#include <algorithm>
#include <string>
#include <utility>

namespace cairn::api {
namespace {

using ratelimit::Charge;
using ratelimit::Decision;
using ratelimit::Identity;
using ratelimit::Limiter;
using ratelimit::Policy;
using ratelimit::Refusal;

/// {used, limit} as Limiter::describe() shows a counter; null where there is none.
const Json* counter(const Json& described, std::string_view path) {
  const Json* const found = described.find_path(path);
  return found != nullptr && found->is_object() ? found : nullptr;
}

Json entry(std::string_view limit, const Json& cap, std::int64_t used, std::int64_t cost) {
  Json out = Json::object({{"limit", limit}, {"cap", cap}, {"used", used}, {"cost", cost}});
  const bool bounded = cap.is_integer();
  if (bounded) out.set("remaining", std::max<std::int64_t>(cap.as_int() - used, 0));
  out.set("admits", !bounded || used + cost <= cap.as_int());
  return out;
}

Json entry_of(std::string_view limit, const Json* counter, std::int64_t cost) {
  if (counter == nullptr) return entry(limit, Json(), 0, cost);
  const Json* const cap = counter->find("limit");
  return entry(limit, cap == nullptr ? Json() : *cap, counter->int_or("used"), cost);
}

/// Where the cap of a resource comes from, in the words of the configuration.
std::string origin_of(const Policy& policy, const Identity& who, std::uint16_t resource) {
  const ratelimit::Resource& of = policy.resources[resource];
  if (const auto own = policy.identities.find(who.account); own != policy.identities.end())
    for (const auto& each : own->second)
      if (each.resource == resource) return "identities." + who.account + "." + of.name;
  if (of.name == "objects") return "objects";
  if (of.by_plan) {
    const std::string plan =
        who.authenticated() ? std::string(name_of(who.kind)) : "unauthenticated";
    return (of.name == "graphql" ? "graphql_plans: " : "plans: ") + plan;
  }
  return "resources." + of.name + (who.authenticated() ? ".authenticated" : ".unauthenticated");
}

Json primary(const Policy& policy, const Identity& who, const Charge& charge,
             const Decision& decision) {
  const auto limit = policy.limit_of(who, charge.resource);
  const auto& window = decision.window;
  Json out = entry("primary", limit ? Json(*limit) : Json(), window ? window->used : 0,
                   charge.no_primary ? 0 : std::int64_t{charge.cost});
  out.set("resource", policy.resources[charge.resource].name);
  out.set("by", "rate_limit." + origin_of(policy, who, charge.resource));
  out.set("window_s", policy.resources[charge.resource].window_s);
  if (window) out.set("reset", window->reset_s);
  if (window) out.set("reset_in_s", window->wait_s);
  if (charge.no_primary) out.set("admits", true);
  return out;
}

Json points(const Json& described, const Charge& charge, const std::string& endpoint) {
  const Json* const all = counter(described, "secondary.points_per_minute");
  const Json* const cap =
      all == nullptr ? nullptr : all->find(charge.graphql ? "limit_graphql" : "limit_rest");
  const Json* const used = all == nullptr ? nullptr : all->find("used");
  Json out = entry("points", cap == nullptr ? Json() : *cap,
                   used == nullptr ? 0 : used->int_or(endpoint), charge.points);
  out.set("endpoint", endpoint);
  return out;
}

void add_secondary(const Policy& policy, const Identity& who, const Charge& charge,
                   const std::string& endpoint, const Json& described, Json& into) {
  const bool objects = charge.surface == ratelimit::Surface::objects;
  const bool service = who.kind == ratelimit::IdentityKind::service && !policy.plans.service;
  if (service || (objects && !policy.objects)) return;
  if (!charge.no_primary)
    into.push(entry_of(
        "concurrent",
        counter(described, objects ? "secondary.concurrent_objects" : "secondary.concurrent"), 1));
  into.push(points(described, charge, endpoint));
  // What it takes is known when it is over: one millisecond at least.
  into.push(entry_of("cpu", counter(described, "secondary.cpu_ms_per_minute.total"), 1));
  if (charge.graphql)
    into.push(entry_of("cpu", counter(described, "secondary.cpu_ms_per_minute.graphql"), 1));
  if (charge.content) {
    into.push(entry_of("content_minute", counter(described, "secondary.content_per_minute"), 1));
    into.push(entry_of("content_hour", counter(described, "secondary.content_per_hour"), 1));
  }
  into.push(entry_of("compute", counter(described, "secondary.heavy_per_minute"), 1));
}

/// Bytes are counted in KiB.
Json rule_entry(const ratelimit::RuleCount& count, const Decision& decision,
                const ratelimit::RuleRequest& request) {
  const ratelimit::LimitRule& rule = *count.rule;
  const bool bytes = rule.weight == ratelimit::RuleWeight::bytes;
  const std::uint64_t body = request.body_bytes.value_or(0);
  const std::uint64_t cost = bytes ? body / 1'024 + (body % 1'024 != 0 ? 1 : 0) : 1;
  Json out = entry("rule", Json(rule.limit), count.window.used, static_cast<std::int64_t>(cost));
  if (bytes) out.set("unit", "kb");
  out.set("rule", rule.name);
  out.set("per", name_of(rule.per));
  out.set("weight", name_of(rule.weight));
  out.set("window_s", rule.window_s);
  out.set("reset", count.window.reset_s);
  out.set("reset_in_s", count.window.wait_s);
  out.set("shadow", rule.shadow);
  out.set("admits", decision.admitted() && !decision.shadowed);
  return out;
}

}  // namespace

Json explain_limits(Limiter& limiter, const Call::Counted& counted,
                    const ratelimit::RuleRequest& request) {
  const Policy& policy = *counted.policy;
  const Identity& who = request.identity;
  const Decision decision = limiter.test(who, counted.charge);
  Json limits = Json::array();
  const Json described = limiter.describe(who);
  if (const Json* ban = counter(described, "ban"); ban != nullptr && ban->bool_or("banned"))
    limits.push(
        Json::object({{"limit", "banned"}, {"until", ban->int_or("until")}, {"admits", false}}));
  limits.push(primary(policy, who, counted.charge, decision));
  std::string refusal(decision.admitted() ? "" : name_of(decision.refusal));
  std::string shadow(decision.shadowed ? name_of(decision.shadow) : "");
  std::string refused_by, shadowed_by;  // rules
  Json shadow_rules = Json::array();
  std::uint32_t wait_s = decision.retry_after_s;
  for (const auto& [count, said] :
       ratelimit::RuleCounts::test(limiter, policy, counted.rules, request)) {
    limits.push(rule_entry(count, said, request));
    if (said.shadowed) shadow_rules.push(count.rule->name);
    if (said.shadowed && shadow.empty()) shadow = "rule", shadowed_by = count.rule->name;
    const bool first = refusal.empty() || (refusal != "primary" && refusal != "rule");
    if (said.admitted() || !first) continue;
    refusal = "rule";
    refused_by = count.rule->name;
    wait_s = said.retry_after_s;
  }
  const std::string endpoint = counted.route == nullptr
                                   ? std::string("* /{unknown}")
                                   : counted.route->method + " " + counted.route->path;
  add_secondary(policy, who, counted.charge, endpoint, described, limits);
  Json out = Json::object({{"admitted", refusal.empty()}});
  if (!refusal.empty()) out.set("refusal", refusal);
  if (!refusal.empty()) out.set("retry_after", std::max(wait_s, 1u));
  if (refusal.empty() && !shadow.empty()) out.set("would_be_refused", shadow);
  // What refuses is named there alone; rules that would, but for shadow mode, stand apart.
  const std::string& rule = refusal.empty() ? shadowed_by : refused_by;
  if (!rule.empty()) out.set("rule", rule);
  if (!shadow_rules.as_array().empty()) out.set("shadow_rules", std::move(shadow_rules));
  out.set("limits", std::move(limits));
  return out;
}

}  // namespace cairn::api
