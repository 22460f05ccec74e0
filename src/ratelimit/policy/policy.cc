// SPDX-License-Identifier: Apache-2.0
// The published limits, and which of them an identity has.
#include "ratelimit/policy/policy.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace cairn::ratelimit {
namespace {

constexpr std::string_view objects_name = "objects";
constexpr std::string_view graphql_name = "graphql";

// more than the threshold: `each` for every one of them, or for those beyond it
std::uint64_t extra(std::uint64_t count, std::uint32_t threshold, std::uint32_t each,
                    bool excess_only) {
  if (count <= threshold) return 0;
  const std::uint64_t counted = excess_only ? count - threshold : count;
  // Enough for any ceiling, and the product stays within 64 bits.
  return std::min<std::uint64_t>(counted, std::numeric_limits<std::uint32_t>::max()) * each;
}

std::uint32_t limit_of_installation(const Plans::Installation& plan, const Facts& facts) {
  if (facts.resource_enterprise) return plan.enterprise;
  const std::uint64_t users = facts.organization ? facts.users : 0;
  const std::uint64_t of_repositories = extra(facts.repositories, plan.repository_threshold,
                                              plan.per_repository, plan.count_excess_only);
  const std::uint64_t of_users =
      extra(users, plan.user_threshold, plan.per_user, plan.count_excess_only);
  const std::uint64_t room = plan.ceiling > plan.base ? plan.ceiling - plan.base : 0;
  const std::uint64_t added =
      std::min(std::min(of_repositories, room) + std::min(of_users, room), room);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.base, plan.ceiling) + added);
}

// Spec: the app is owned by an enterprise-cloud organization, or, for OAuth apps, approved by one;
// and the user is a member.
bool enterprise_user(const Identity& identity) {
  const Facts& facts = identity.facts;
  const bool approved = identity.kind == IdentityKind::oauth_user && facts.app_approved;
  return facts.enterprise_member && (facts.app_owner_enterprise || approved);
}

Limit limit_of_plan(const Plans& plans, const Identity& identity) {
  const Facts& facts = identity.facts;
  switch (identity.kind) {
    case IdentityKind::address:
      return plans.unauthenticated;
    case IdentityKind::user:
    case IdentityKind::oauth_user:
    case IdentityKind::app_user:
      return enterprise_user(identity) ? plans.enterprise_user : plans.user;
    case IdentityKind::installation:
      return limit_of_installation(plans.installation, facts);
    case IdentityKind::oauth_app:
      return facts.app_owner_enterprise ? plans.oauth_app_enterprise : plans.oauth_app;
    case IdentityKind::workflow:
      return facts.resource_enterprise ? plans.workflow_enterprise : plans.workflow;
    case IdentityKind::service:
      return plans.service;
  }
  return plans.unauthenticated;
}

// Where no source names a limit for strangers, it is that of `core`, or of `search` by the minute,
// if the one for known callers is not smaller.
Resource hourly(std::string_view name, std::uint32_t limit) {
  return {.name = std::string(name),
          .window_s = 3'600,
          .authenticated = limit,
          .unauthenticated = std::min(limit, 60u)};
}
Resource by_minute(std::string_view name, std::uint32_t limit) {
  return {.name = std::string(name),
          .window_s = 60,
          .authenticated = limit,
          .unauthenticated = std::min(limit, 10u)};
}

std::vector<Resource> default_resources() {
  std::vector<Resource> all = {
      {.name = "core", .by_plan = true},
      by_minute("search", 30),
      by_minute("code_search", 10),
      {.name = "graphql", .by_plan = true},
      hourly("integration_manifest", 5'000),
      by_minute("source_import", 100),
      by_minute("dependency_snapshots", 100),
      by_minute("dependency_sbom", 100),
      hourly("code_scanning_upload", 1'000),
      by_minute("code_scanning_autofix", 10),
      hourly("actions_runner_registration", 10'000),
      hourly("scim", 15'000),
      hourly("audit_log", 1'750),
      hourly("audit_log_streaming", 15),
  };
  all.push_back({.name = "lfs",
                 .window_s = 60,
                 .authenticated = 3'000,
                 .unauthenticated = 300,
                 .shown = false});
  all.push_back({.name = std::string(objects_name)});  // its limit is Policy::objects
  return all;
}

}  // namespace

std::string_view name_of(Surface surface) {
  constexpr std::array<std::string_view, surface_count> names = {"platform", "code_hosting",
                                                                 "large_files", "objects"};
  const auto at = static_cast<std::size_t>(surface);
  return at < names.size() ? names[at] : names[0];
}

std::optional<std::uint16_t> Policy::resource(std::string_view name) const {
  for (std::size_t i = 0; i < resources.size(); ++i)
    if (resources[i].name == name) return static_cast<std::uint16_t>(i);
  return std::nullopt;
}

Limit Policy::limit_of(const Identity& who, std::uint16_t index) const {
  if (index >= resources.size()) return std::nullopt;
  const Resource& of = resources[index];
  if (!identities.empty()) [[unlikely]]
    if (const Limit* const own = own_limit(who.account, index)) return *own;
  if (of.of_rule) return of.authenticated;
  const bool service = who.kind == IdentityKind::service;
  if (service && !plans.service) return std::nullopt;
  if (of.by_plan) {
    // A service has one plan; both of its buckets take it where GraphQL has none for it.
    if (of.name != graphql_name || (service && !graphql_plans.service))
      return limit_of_plan(plans, who);
    return limit_of_plan(graphql_plans, who);
  }
  if (of.name == objects_name) return objects;
  if (service) return of.service;
  return who.authenticated() ? of.authenticated : of.unauthenticated;
}

const Limit* Policy::own_limit(std::string_view account, std::uint16_t index) const {
  const auto found = identities.find(account);
  if (found == identities.end()) return nullptr;
  for (const OwnLimit& each : found->second)
    if (each.resource == index) return &each.limit;
  return nullptr;
}

bool Policy::exempts(const Identity& who) const {
  return who.exempt || std::find(identity.exempt.begin(), identity.exempt.end(), who.account) !=
                           identity.exempt.end();
}

Policy default_policy() {
  Policy policy;
  policy.resources = default_resources();
  Plans& graphql = policy.graphql_plans;
  graphql.unauthenticated = 0;
  graphql.enterprise_user = 10'000;
  graphql.oauth_app_enterprise = 10'000;
  graphql.installation.enterprise = 10'000;
  policy.statuses[static_cast<std::size_t>(Surface::code_hosting)] = {403, 403};
  policy.statuses[static_cast<std::size_t>(Surface::objects)] = {503, 503};
  return policy;
}

}  // namespace cairn::ratelimit
