// SPDX-License-Identifier: Apache-2.0
// The section `rate_limit` of the configuration, read over the published limits.
#include <arpa/inet.h>

#include <algorithm>

#include "base/strings.h"
#include "ratelimit/policy/config_reader.h"
#include "ratelimit/policy/policy.h"
#include "ratelimit/policy/policy_fixtures.h"
#include "ratelimit/policy/rules_parse.h"

namespace cairn::ratelimit {
namespace {

constexpr std::uint32_t hour_s = 3'600;
constexpr std::uint32_t minute_s = 60;
constexpr std::uint32_t longest_time_s = 366 * 86'400;
constexpr std::size_t resources_max = 32;      // on four surfaces: what metrics have places for
constexpr std::uint32_t content_max = 65'535;  // counted in 16 bits
constexpr std::uint32_t identities_max = 16'000'000;  // numbered in 24 bits

Status read_time(ConfigReader& in, Policy& policy) {
  in.number("hour_s", policy.hour_s, 1, 86'400);
  in.number("minute_s", policy.minute_s, 1, 86'400);
  return ok_status();
}

void scale_windows(Policy& policy) {
  for (Resource& each : policy.resources) {
    if (each.window_s == hour_s)
      each.window_s = policy.hour_s;
    else if (each.window_s == minute_s)
      each.window_s = policy.minute_s;
  }
}

void read_status(ConfigReader& in, std::string_view name, Statuses& into) {
  const Json* value = in.take(name);
  if (value == nullptr) return;
  const auto read_one = [&](const Json& from, int& status) {
    const bool fits =
        from.is_integer() && (from.as_int() == 403 || from.as_int() == 429 || from.as_int() == 503);
    if (!fits) return in.fail(name, "403, 429 or 503", &from);
    status = static_cast<int>(from.as_int());
  };
  if (!value->is_object()) {
    read_one(*value, into.primary);
    into.secondary = into.primary;
    return;
  }
  for (const auto& [kind, status] : value->as_object()) {
    if (kind != "primary" && kind != "secondary")
      return in.fail(name, "a status, or one for each of [primary, secondary]", value);
    read_one(status, kind == "primary" ? into.primary : into.secondary);
  }
}

Status read_statuses(ConfigReader& in, Policy& policy) {
  const auto of = [&](Surface surface) -> Statuses& {
    return policy.statuses[static_cast<std::size_t>(surface)];
  };
  Statuses primary = of(Surface::code_hosting);
  Statuses secondary = primary;
  read_status(in, "primary", primary);
  read_status(in, "secondary", secondary);
  of(Surface::code_hosting) = {primary.primary, secondary.secondary};
  read_status(in, "platform", of(Surface::platform));
  read_status(in, "lfs", of(Surface::large_files));
  read_status(in, "s3", of(Surface::objects));
  return ok_status();
}

Status read_installation(ConfigReader& in, Plans::Installation& into) {
  in.number("base", into.base);
  in.number("enterprise", into.enterprise);
  in.number("per_repo", into.per_repository);
  in.number("repo_threshold", into.repository_threshold);
  in.number("per_user", into.per_user);
  in.number("user_threshold", into.user_threshold);
  in.number("ceiling", into.ceiling);
  std::size_t count = into.count_excess_only ? 1 : 0;
  in.choice("count", {"all", "excess"}, count);
  into.count_excess_only = count == 1;
  return ok_status();
}

Status read_plans(ConfigReader& in, Plans& into) {
  in.limit("unauthenticated", into.unauthenticated);
  in.limit("user", into.user);
  in.limit("enterprise_user", into.enterprise_user);
  in.limit("oauth_app", into.oauth_app);
  in.limit("oauth_app_enterprise", into.oauth_app_enterprise);
  in.limit("workflow", into.workflow);
  in.limit("workflow_enterprise", into.workflow_enterprise);
  in.limit("service", into.service);
  in.object("installation",
            [&](ConfigReader& inside) { return read_installation(inside, into.installation); });
  return ok_status();
}

Status read_resource(ConfigReader& in, const Policy& policy, Resource& into) {
  read_window(in, policy, into.window_s);
  const bool own = in.take("authenticated") != nullptr || in.take("unauthenticated") != nullptr;
  if (own && into.by_plan) {  // numbers of its own replace the plans, for both kinds of callers
    into.by_plan = false;
    into.authenticated = policy.plans.user;
    into.unauthenticated = into.name == "graphql" ? policy.graphql_plans.unauthenticated
                                                  : policy.plans.unauthenticated;
  }
  in.limit("authenticated", into.authenticated);
  in.limit("unauthenticated", into.unauthenticated);
  in.limit("service", into.service);
  in.flag("shown", into.shown);
  return ok_status();
}

Status read_resources(ConfigReader& in, Policy& policy) {
  std::vector<std::string> names;
  for (const Resource& each : policy.resources) names.push_back(each.name);
  for (const auto& [name, value] : in.rest()) {
    auto index = policy.resource(name);
    if (name == "objects") {
      in.fail(name, "left out: the limit of object storage is [rate_limit.objects]");
      break;
    }
    if (!index) {
      if (!value->is_object() || value->find("window") == nullptr) {
        std::string must = "a known resource; one of your own needs a [window]";
        if (const auto near = nearest(name, names)) must += "; did you mean [" + *near + "]?";
        in.fail(name, must);
        break;
      }
      if (!is_good_name(name) || policy.resources.size() == resources_max) {
        in.fail(name, "of a-z, 0-9 and _, and one of at most " + std::to_string(resources_max));
        break;
      }
      policy.resources.push_back({.name = name});
      index = static_cast<std::uint16_t>(policy.resources.size() - 1);
    }
    ConfigReader inside(*value, in.path_of(name));
    CAIRN_CHECK(read_resource(inside, policy, policy.resources[*index]));
    CAIRN_CHECK(inside.finish());
  }
  return ok_status();
}

Status read_secondary(ConfigReader& in, Secondary& into) {
  in.limit("concurrent", into.concurrent);
  in.object("points_per_minute", [&](ConfigReader& points) {
    points.limit("rest", into.points_rest);
    points.limit("graphql", into.points_graphql);
    return ok_status();
  });
  in.object("cpu_ms_per_minute", [&](ConfigReader& cpu) {
    cpu.limit("total", into.cpu_ms_total);
    cpu.limit("graphql", into.cpu_ms_graphql);
    return ok_status();
  });
  in.limit("content_per_minute", into.content_per_minute, content_max);
  in.limit("content_per_hour", into.content_per_hour, content_max);
  in.limit("heavy_per_minute", into.heavy_per_minute, content_max);
  in.number("heavy_cpu_ms", into.heavy_cpu_ms, 1);
  return ok_status();
}

Status read_rule(ConfigReader& in, const Policy& policy, RouteRule& into) {
  in.text("match", into.match);
  if (!is_route_match(into.match))
    in.fail("match", "a method (or *), a space and a path, as in [POST /_search]");
  Limit points = into.points;
  in.limit("points", points, 1'000'000);
  into.points = points;
  if (const Json* value = in.take("content")) {
    bool content = false;
    in.flag("content", content);
    if (value->is_bool()) into.content = content;
  }
  std::string resource;
  in.text("resource", resource);
  if (!resource.empty()) {
    if (!policy.resource(resource)) in.fail("resource", "a resource that [resources] has");
    into.resource = resource;
  }
  Limit minute = into.content_per_minute;
  Limit hour = into.content_per_hour;
  in.limit("content_per_minute", minute, content_max);
  in.limit("content_per_hour", hour, content_max);
  into.content_per_minute = minute;
  into.content_per_hour = hour;
  in.flag("shadow", into.shadow);
  return ok_status();
}

Status read_points(ConfigReader& in, Policy& policy) {
  Points& into = policy.points;
  in.number("read", into.read, 0, 1'000'000);
  in.number("write", into.write, 0, 1'000'000);
  in.number("graphql_query", into.graphql_query, 0, 1'000'000);
  in.number("graphql_mutation", into.graphql_mutation, 0, 1'000'000);
  const Json* routes = in.take("routes");
  if (routes == nullptr) return ok_status();
  if (!routes->is_array()) {
    in.fail("routes", "a list of rules", routes);
    return ok_status();
  }
  into.routes.clear();
  for (std::size_t i = 0; i < routes->as_array().size(); ++i) {
    ConfigReader inside(routes->as_array()[i], in.path_of("routes[" + std::to_string(i) + "]"));
    RouteRule rule;
    CAIRN_CHECK(read_rule(inside, policy, rule));
    CAIRN_CHECK(inside.finish());
    into.routes.push_back(std::move(rule));
  }
  return ok_status();
}

bool is_network(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string address = text.substr(0, slash);
  unsigned char bytes[16];
  const bool four = inet_pton(AF_INET, address.c_str(), bytes) == 1;
  if (!four && inet_pton(AF_INET6, address.c_str(), bytes) != 1) return false;
  if (slash == std::string::npos) return true;
  const auto prefix = parse_number<unsigned>(std::string_view(text).substr(slash + 1));
  return prefix && *prefix <= (four ? 32u : 128u);
}

Status read_addresses(ConfigReader& in, Addresses& into) {
  in.texts("trusted_proxies", into.trusted_proxies);
  for (const std::string& each : into.trusted_proxies) {
    const Json was(each);
    if (!is_network(each)) in.fail("trusted_proxies", "networks, as in [10.0.0.0/8]", &was);
  }
  in.number("ipv6_prefix", into.ipv6_prefix, 1, 128);
  in.texts("exempt", into.exempt);
  for (const std::string& each : into.exempt) {
    const Json was(each);
    if (each.find(':') == std::string::npos)
      in.fail("exempt", "accounts with their kind, as in [user:alice] or [ip:192.0.2.1]", &was);
  }
  return ok_status();
}

Status read_store(ConfigReader& in, SharedState& into) {
  auto kind = static_cast<std::size_t>(into.kind);
  in.choice("kind", {"memory", "redis"}, kind);
  into.kind = static_cast<SharedState::Kind>(kind);
  auto on_error = static_cast<std::size_t>(into.on_error);
  in.choice("on_store_error", {"local", "open", "closed"}, on_error);
  into.on_error = static_cast<SharedState::OnError>(on_error);
  in.texts("urls", into.urls);
  in.texts("sentinels", into.sentinels);
  in.object("tls", [&](ConfigReader& tls) {
    tls.text("ca_file", into.tls.ca_file);
    tls.text("certificate_file", into.tls.certificate_file);
    tls.text("key_file", into.tls.key_file);
    tls.text("server_name", into.tls.server_name);
    tls.flag("verify", into.tls.verify);
    return ok_status();
  });
  in.number("timeout_ms", into.timeout_ms, 1, 60'000);
  in.number("nodes", into.nodes, 1, 10'000);
  if (into.kind == SharedState::Kind::redis && into.urls.empty())
    in.fail("urls", "given where [kind] is [redis], as in [redis://127.0.0.1:6379]");
  return ok_status();
}

Status read_ban(ConfigReader& in, Ban& into) {
  in.flag("enabled", into.enabled);
  in.number("strikes", into.strikes, 1, 1'000'000);
  in.number("window_s", into.window_s, 1, longest_time_s);
  in.number("first_s", into.first_s, 1, longest_time_s);
  in.number("longest_s", into.longest_s, 1, longest_time_s);
  return ok_status();
}

Status read_all(ConfigReader& in, bool with_fixtures, Policy& policy) {
  in.flag("enabled", policy.enabled);
  in.flag("shadow", policy.shadow);
  in.flag("refund_not_modified", policy.refund_not_modified);
  in.object("time", [&](ConfigReader& inside) { return read_time(inside, policy); });
  scale_windows(policy);
  in.object("status", [&](ConfigReader& inside) { return read_statuses(inside, policy); });
  in.object("plans", [&](ConfigReader& inside) { return read_plans(inside, policy.plans); });
  in.object("graphql_plans",
            [&](ConfigReader& inside) { return read_plans(inside, policy.graphql_plans); });
  in.limit("objects", policy.objects);
  in.object("resources", [&](ConfigReader& inside) { return read_resources(inside, policy); });
  in.object("secondary",
            [&](ConfigReader& inside) { return read_secondary(inside, policy.secondary); });
  in.object("points", [&](ConfigReader& inside) { return read_points(inside, policy); });
  in.object("identity",
            [&](ConfigReader& inside) { return read_addresses(inside, policy.identity); });
  in.object("store", [&](ConfigReader& inside) { return read_store(inside, policy.store); });
  in.object("ban", [&](ConfigReader& inside) { return read_ban(inside, policy.ban); });
  CAIRN_CHECK(read_rules(in, policy));
  in.object("identities", [&](ConfigReader& inside) { return read_identities(inside, policy); });
  in.number("max_identities", policy.max_identities, 1, identities_max);
  read_fixtures(in, with_fixtures, policy);
  return in.finish();
}

}  // namespace

Result<Policy> parse_policy(const Json& section, bool with_fixtures) {
  Policy policy = default_policy();
  ConfigReader in(section, "rate_limit");
  CAIRN_CHECK(read_all(in, with_fixtures, policy));
  return policy;
}

}  // namespace cairn::ratelimit
