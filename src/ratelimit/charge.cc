// SPDX-License-Identifier: Apache-2.0
// What one route costs: the table of routes, and what the policy says differently.
#include <algorithm>
#include <string>

#include "base/hash.h"
#include "base/strings.h"
#include "ratelimit/limiter.h"

namespace cairn::ratelimit {
namespace {

bool is_variable(std::string_view segment) {
  return segment.size() >= 2 && segment.front() == '{' && segment.back() == '}';
}

// A name in braces fits any one segment; * as the last one fits everything below.
bool path_fits(std::string_view pattern, std::string_view path) {
  const std::vector<std::string_view> want = split(pattern, '/');
  const std::vector<std::string_view> have = split(path, '/');
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (want[i] == "*" && i + 1 == want.size()) return i < have.size();
    if (i >= have.size()) return false;
    if (!is_variable(want[i]) && want[i] != have[i]) return false;
  }
  return want.size() == have.size();
}

bool route_fits(std::string_view match, const RouteFacts& route) {
  const std::size_t space = match.find(' ');
  if (space == std::string_view::npos) return path_fits(match, route.path);
  const std::string_view method = match.substr(0, space);
  if (method != "*" && !equals_ignore_case(method, route.method)) return false;
  return path_fits(trim(match.substr(space)), route.path);
}

const RouteRule* rule_for(const RouteFacts& route, const Points& points) {
  for (const RouteRule& rule : points.routes)
    if (route_fits(rule.match, route)) return &rule;
  return nullptr;
}

bool safe_method(std::string_view method) {
  return equals_ignore_case(method, "GET") || equals_ignore_case(method, "HEAD") ||
         equals_ignore_case(method, "OPTIONS");
}

std::uint32_t points_of(const RouteFacts& route, const Points& points) {
  // No REST endpoint: 900 points a minute would be far below the 3,000 requests it has of its own.
  if (route.surface == Surface::large_files) return 0;
  if (route.graphql) return points.graphql_query;  // a mutation is known by its body only
  return route.reads || safe_method(route.method) ? points.read : points.write;
}

std::uint32_t endpoint_of(const RouteFacts& route) {
  const std::uint64_t hash = fast_hash(route.method + " " + route.path);
  const auto folded = static_cast<std::uint32_t>(hash ^ (hash >> 32));
  return folded == 0 ? 1 : folded;
}

Status check_match(const std::string& path, const std::string& match,
                   const std::vector<RouteFacts>& routes) {
  const auto is_for = [&](const RouteFacts& route) { return route_fits(match, route); };
  if (std::any_of(routes.begin(), routes.end(), is_for)) return ok_status();
  std::vector<std::string> names;
  for (const RouteFacts& route : routes) names.push_back(route.method + " " + route.path);
  std::string text = "[rate_limit." + path +
                     ".match] must fit a route of this server (cairn routes lists them), and [" +
                     match + "] fits none";
  if (const auto near = nearest(match, names)) text += "; did you mean [" + *near + "]?";
  return Error{ErrorKind::invalid_argument, "illegal_argument_exception", std::move(text)};
}

}  // namespace

Status check_rules(const Policy& policy, const std::vector<RouteFacts>& routes) {
  for (std::size_t i = 0; i < policy.points.routes.size(); ++i)
    CAIRN_CHECK(check_match("points.routes[" + std::to_string(i) + "]",
                            policy.points.routes[i].match, routes));
  for (std::size_t i = 0; i < policy.rules.size(); ++i)
    if (!policy.rules[i].checks)
      for (const std::string& match : policy.rules[i].match)
      CAIRN_CHECK(check_match("rules[" + std::to_string(i) + "]", match, routes));
  return ok_status();
}

std::vector<const LimitRule*> rules_for(const RouteFacts& route, const Policy& policy) {
  std::vector<const LimitRule*> out;
  for (const LimitRule& rule : policy.rules) {
    const auto fits = [&](const std::string& match) { return route_fits(match, route); };
    if (rule.checks != route.check) continue;
    if (rule.match.empty() || std::any_of(rule.match.begin(), rule.match.end(), fits))
      out.push_back(&rule);
  }
  return out;
}

Result<Charge> charge_of(const RouteFacts& route, const Policy& policy) {
  const RouteRule* rule = rule_for(route, policy.points);
  std::string_view name = rule != nullptr && rule->resource ? *rule->resource : route.resource;
  if (route.surface == Surface::objects) name = "objects";  // a plan of its own
  const auto resource = policy.resource(name);
  if (!resource)
    return Error{ErrorKind::invalid_argument, "illegal_argument_exception",
                 "route [" + route.method + " " + route.path + "] counts against [" +
                     std::string(name) + "], which is no resource of the rate-limit policy"};
  Charge charge{.surface = route.surface,
                .resource = *resource,
                .endpoint = endpoint_of(route),
                .points = points_of(route, policy.points),
                .content = route.content,
                .graphql = route.graphql,
                .no_primary = route.no_primary};
  if (rule == nullptr) return charge;
  charge.shadow = rule->shadow;
  if (rule->points) charge.points = *rule->points;
  if (rule->content) charge.content = *rule->content;
  charge.content_per_minute = rule->content_per_minute;
  charge.content_per_hour = rule->content_per_hour;
  if (rule->content_per_minute || rule->content_per_hour) charge.content = true;
  return charge;
}

}  // namespace cairn::ratelimit
