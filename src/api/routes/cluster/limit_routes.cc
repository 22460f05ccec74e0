// SPDX-License-Identifier: Apache-2.0
// Windows and policies to JSON.
#include "api/routes/cluster/limit_routes.h"

#include "api/forms/error_json.h"
#include "api/pages.h"
#include "api/routes/cluster/limit_identity.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

using ratelimit::Identity;
using ratelimit::Limiter;
using ratelimit::Policy;
using ratelimit::WindowState;

Json window_json(const WindowState& window) {
  return Json::object({{"limit", window.limit},
                       {"used", window.used},
                       {"remaining", window.remaining},
                       {"reset", window.reset_s}});
}

/// The same record that the headers of every reply are made from.
Result<Reply> rate_limit(Call& call, Limiter& limiter) {
  const auto policy = limiter.policy();
  if (!policy->enabled)
    return Reply::json(Json::object({{"message", "Rate limiting is not enabled."}}), 404);
  Json resources = Json::object();
  Json rate;
  for (const WindowState& window : limiter.windows(call.caller().counted_as())) {
    const std::string& name = policy->resources[window.resource].name;
    resources.set(name, window_json(window));
    if (name == "core") rate = window_json(window);
  }
  Json out = Json::object({{"resources", std::move(resources)}});
  if (!rate.is_null()) out.set("rate", std::move(rate));
  return Reply::json(std::move(out));
}

Result<Reply> describe(Call& call, Limiter& limiter, const auth::Keys& keys) {
  CAIRN_TRY(const Identity identity,
            known_identity(call.path("identity"), keys, *limiter.policy()));
  return Reply::json(limiter.describe(identity));
}

Result<Reply> reset(Call& call, Limiter& limiter, const auth::Keys& keys) {
  CAIRN_TRY(const Identity identity,
            known_identity(call.path("identity"), keys, *limiter.policy()));
  bool found = limiter.reset(identity.account);
  for (const auto& rule : limiter.policy()->rules)
    if (rule.per == ratelimit::RulePer::identity)
      found = limiter.reset(ratelimit::rule_account(rule.name, identity.account)) || found;
  return Reply::json(
      Json::object({{"acknowledged", true}, {"account", identity.account}, {"found", found}}));
}

}  // namespace

void add_limit_routes(Router& router, ServiceRef<Limiter> limiter,
                      ServiceRef<const auth::Keys> keys) {
  router.add({.method = "GET",
              .path = "/rate_limit",
              .operation = "rate_limit.get",
              .no_primary = true,
              .public_data = true,
              .summary = "What is left of the caller's limits; costs nothing of them.",
              .media_type = "application/json; charset=utf-8"},  // whatever a client accepts
             [limiter](Call& call) { return rate_limit(call, *limiter); });
  router.add({.method = "GET",
              .path = "/docs/reference/rate-limits",
              .operation = "docs.rate_limits",
              .open = true,
              .resource = "",
              .summary = "The rules that refusals link to, as Markdown."},
             [](Call&) -> Result<Reply> { return Reply::plain(std::string(rate_limits_page)); });
  const std::vector<std::string> administrators = {"manage_security"};
  router.add({.method = "GET",
              .path = "/_cairn/limits",
              .operation = "cairn.get_limits",
              .cluster = administrators,
              .summary = "The policy that is in use, in the shape of the configuration."},
             [limiter](Call&) -> Result<Reply> {
               return Reply::json(
                   Json::object({{"rate_limit", ratelimit::policy_json(*limiter->policy())}}));
             });
  router.add({.method = "GET",
              .path = "/_cairn/limits/{identity}",
              .operation = "cairn.get_identity_limits",
              .cluster = administrators,
              .summary = "What an identity has used, the secondary limits included."},
             [limiter, keys](Call& call) { return describe(call, *limiter, *keys); });
  router.add({.method = "DELETE",
              .path = "/_cairn/limits/{identity}",
              .operation = "cairn.reset_limits",
              .cluster = administrators,
              .summary = "Forgets what was counted of an identity."},
             [limiter, keys](Call& call) { return reset(call, *limiter, *keys); });
}

}  // namespace cairn::api
