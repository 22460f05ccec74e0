// SPDX-License-Identifier: Apache-2.0
// A policy as the section of the configuration that reads back to it.
#include "ratelimit/policy/policy.h"
#include "ratelimit/policy/rules_parse.h"

namespace cairn::ratelimit {
namespace {

Json shown_limit(const Limit& limit) { return limit ? Json(*limit) : Json(); }

Json texts_json(const std::vector<std::string>& texts) { return Json::array_of(texts); }

Json statuses_json(const Statuses& statuses) {
  if (statuses.primary == statuses.secondary) return Json(statuses.primary);
  return Json::object({{"primary", statuses.primary}, {"secondary", statuses.secondary}});
}

Json status_json(const Policy& policy) {
  const auto of = [&](Surface surface) -> const Statuses& {
    return policy.statuses[static_cast<std::size_t>(surface)];
  };
  return Json::object({{"primary", of(Surface::code_hosting).primary},
                       {"secondary", of(Surface::code_hosting).secondary},
                       {"platform", statuses_json(of(Surface::platform))},
                       {"lfs", statuses_json(of(Surface::large_files))},
                       {"s3", statuses_json(of(Surface::objects))}});
}

Json installation_json(const Plans::Installation& plan) {
  return Json::object({{"base", plan.base},
                       {"enterprise", plan.enterprise},
                       {"per_repo", plan.per_repository},
                       {"repo_threshold", plan.repository_threshold},
                       {"per_user", plan.per_user},
                       {"user_threshold", plan.user_threshold},
                       {"ceiling", plan.ceiling},
                       {"count", plan.count_excess_only ? "excess" : "all"}});
}

Json plans_json(const Plans& plans) {
  return Json::object({{"unauthenticated", shown_limit(plans.unauthenticated)},
                       {"user", shown_limit(plans.user)},
                       {"enterprise_user", shown_limit(plans.enterprise_user)},
                       {"installation", installation_json(plans.installation)},
                       {"oauth_app", shown_limit(plans.oauth_app)},
                       {"oauth_app_enterprise", shown_limit(plans.oauth_app_enterprise)},
                       {"workflow", shown_limit(plans.workflow)},
                       {"workflow_enterprise", shown_limit(plans.workflow_enterprise)},
                       {"service", shown_limit(plans.service)}});
}

Json resources_json(const Policy& policy) {
  Json out = Json::object();
  for (const Resource& each : policy.resources) {
    if (each.name == "objects" || each.of_rule) continue;  // members of their own
    Json one = Json::object({{"window", window_setting(policy, each.window_s)}});
    if (!each.by_plan) {
      one.set("authenticated", shown_limit(each.authenticated));
      one.set("unauthenticated", shown_limit(each.unauthenticated));
    }
    one.set("service", shown_limit(each.service));
    one.set("shown", each.shown);
    out.set(each.name, std::move(one));
  }
  return out;
}

Json secondary_json(const Secondary& from) {
  return Json::object(
      {{"concurrent", shown_limit(from.concurrent)},
       {"points_per_minute", Json::object({{"rest", shown_limit(from.points_rest)},
                                           {"graphql", shown_limit(from.points_graphql)}})},
       {"cpu_ms_per_minute", Json::object({{"total", shown_limit(from.cpu_ms_total)},
                                           {"graphql", shown_limit(from.cpu_ms_graphql)}})},
       {"content_per_minute", shown_limit(from.content_per_minute)},
       {"content_per_hour", shown_limit(from.content_per_hour)},
       {"heavy_per_minute", shown_limit(from.heavy_per_minute)},
       {"heavy_cpu_ms", from.heavy_cpu_ms}});
}

Json route_rule_json(const RouteRule& rule) {
  Json out = Json::object({{"match", rule.match}});
  if (rule.points) out.set("points", *rule.points);
  if (rule.content) out.set("content", *rule.content);
  if (rule.resource) out.set("resource", *rule.resource);
  if (rule.content_per_minute) out.set("content_per_minute", *rule.content_per_minute);
  if (rule.content_per_hour) out.set("content_per_hour", *rule.content_per_hour);
  if (rule.shadow) out.set("shadow", true);
  return out;
}

Json points_json(const Points& points) {
  Json rules = Json::array();
  for (const RouteRule& rule : points.routes) rules.push(route_rule_json(rule));
  return Json::object({{"read", points.read},
                       {"write", points.write},
                       {"graphql_query", points.graphql_query},
                       {"graphql_mutation", points.graphql_mutation},
                       {"routes", std::move(rules)}});
}

// redis://:password@host becomes redis://host.
std::string without_credentials(const std::string& url) {
  const std::size_t host = url.find("://");
  const std::size_t at = url.rfind('@');
  if (host == std::string::npos || at == std::string::npos || at < host) return url;
  return url.substr(0, host + 3) + url.substr(at + 1);
}

Json tls_json(const SharedState::Tls& tls) {
  Json out = Json::object();
  for (const auto& [name, text] :
       {std::pair<std::string_view, const std::string&>{"ca_file", tls.ca_file},
        {"certificate_file", tls.certificate_file},
        {"key_file", tls.key_file},
        {"server_name", tls.server_name}})
    if (!text.empty()) out.set(name, text);
  out.set("verify", tls.verify);
  return out;
}

Json store_json(const SharedState& store) {
  constexpr std::string_view kinds[] = {"memory", "redis"};
  const auto shown_urls = [](const std::vector<std::string>& all) {
    std::vector<std::string> out;
    for (const std::string& url : all) out.push_back(without_credentials(url));
    return texts_json(out);
  };
  constexpr std::string_view answers[] = {"local", "open", "closed"};
  return Json::object({{"kind", kinds[static_cast<std::size_t>(store.kind)]},
                       {"urls", shown_urls(store.urls)},
                       {"sentinels", shown_urls(store.sentinels)},
                       {"tls", tls_json(store.tls)},
                       {"timeout_ms", store.timeout_ms},
                       {"on_store_error", answers[static_cast<std::size_t>(store.on_error)]},
                       {"nodes", store.nodes}});
}

Json ban_json(const Ban& ban) {
  return Json::object({{"enabled", ban.enabled},
                       {"strikes", ban.strikes},
                       {"window_s", ban.window_s},
                       {"first_s", ban.first_s},
                       {"longest_s", ban.longest_s}});
}

}  // namespace

Json policy_json(const Policy& policy) {
  return Json::object(
      {{"enabled", policy.enabled},
       {"shadow", policy.shadow},
       {"refund_not_modified", policy.refund_not_modified},
       {"time", Json::object({{"hour_s", policy.hour_s}, {"minute_s", policy.minute_s}})},
       {"status", status_json(policy)},
       {"plans", plans_json(policy.plans)},
       {"graphql_plans", plans_json(policy.graphql_plans)},
       {"objects", shown_limit(policy.objects)},
       {"resources", resources_json(policy)},
       {"secondary", secondary_json(policy.secondary)},
       {"points", points_json(policy.points)},
       {"identity", Json::object({{"trusted_proxies", texts_json(policy.identity.trusted_proxies)},
                                  {"ipv6_prefix", policy.identity.ipv6_prefix},
                                  {"exempt", texts_json(policy.identity.exempt)}})},
       {"store", store_json(policy.store)},
       {"ban", ban_json(policy.ban)},
       {"rules", rules_json(policy)},
       {"identities", identities_json(policy)},
       {"max_identities", policy.max_identities}});
}

}  // namespace cairn::ratelimit
