// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/limit_use.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "os/clock.h"

namespace cairn::api {
namespace {

using ratelimit::BusyAccounts;
using ratelimit::Identity;
using ratelimit::Limiter;
using ratelimit::WindowState;

constexpr std::size_t looked_at_min = 100;  // more than are shown: what was noted is older
constexpr std::size_t asked_max = 1'000;    // of the limiter, which may be far away
constexpr std::size_t in_brief = 10;

/// What `who` used of one resource; nothing where it has no limit there.
std::optional<WindowState> window_of(Limiter& limiter, const Identity& who,
                                     std::uint16_t resource) {
  return limiter.test(who, {.resource = resource, .cost = 0, .points = 0, .window_only = true})
      .window;
}

ratelimit::Charge charge_of(const BusyAccounts::Refused& of) {
  return {.surface = of.objects ? ratelimit::Surface::objects : ratelimit::Surface::platform,
          .resource = of.resource,
          .endpoint = of.endpoint,
          .cost = of.cost,
          .points = of.points,
          .content = of.content,
          .graphql = of.graphql,
          .no_primary = of.no_primary};
}

/// Still: the request that was refused would be refused now.
bool is_limited(Limiter& limiter, const BusyAccounts::Refused& of, std::int64_t now_s,
                std::int64_t& until_s) {
  until_s = of.until_unix_s;
  if (!of.rule.empty()) return now_s < of.until_unix_s;
  const ratelimit::Decision now = limiter.test(of.identity, charge_of(of));
  if (now.admitted() && !now.shadowed) return false;
  if (!now.admitted()) until_s = now_s + now.retry_after_s;
  return true;
}

}  // namespace

// What was noted is where to look; the numbers are those of this moment.
Json busiest_identities(Limiter& limiter, std::uint16_t resource, std::size_t size) {
  const std::uint32_t window_s = limiter.policy()->resources[resource].window_s;
  std::vector<std::pair<WindowState, Identity>> rows;
  for (auto& noted : limiter.busy().top(resource, std::max(2 * size, looked_at_min), window_s)) {
    const auto window = window_of(limiter, noted.identity, resource);
    if (window && window->used > 0) rows.emplace_back(*window, std::move(noted.identity));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first.used > b.first.used; });
  if (rows.size() > size) rows.resize(size);
  Json identities = Json::array();
  for (const auto& [window, who] : rows)
    identities.push(Json::object({{"identity", who.account},
                                  {"kind", name_of(who.kind)},
                                  {"limit", window.limit},
                                  {"used", window.used},
                                  {"remaining", window.remaining},
                                  {"reset", window.reset_s}}));
  return identities;
}

Json limited_identities(Limiter& limiter, std::size_t size) {
  const std::int64_t now_s = os::system_clock().unix_ms() / 1'000;
  Json identities = Json::array();
  std::size_t asked = 0;
  for (const auto& each : limiter.busy().refused()) {
    if (identities.as_array().size() == size || ++asked > asked_max) break;
    std::int64_t until_s = 0;
    if (!is_limited(limiter, each, now_s, until_s)) continue;
    Json one = Json::object({{"identity", each.identity.account},
                             {"kind", name_of(each.identity.kind)},
                             {"limit", each.limit},
                             {"operation", each.operation}});
    if (!each.rule.empty()) one.set("rule", each.rule);
    one.set("refused", !each.shadowed);
    one.set("times", each.times);
    one.set("last", each.at_unix_s);
    if (!each.shadowed) one.set("until", until_s);
    identities.push(std::move(one));
  }
  return identities;
}

Json limit_use(Limiter& limiter) {
  const auto policy = limiter.policy();
  Json top = Json::array();
  for (std::size_t i = 0; i < policy->resources.size(); ++i) {
    if (policy->resources[i].of_rule) continue;
    Json identities = busiest_identities(limiter, static_cast<std::uint16_t>(i), in_brief);
    if (identities.as_array().empty()) continue;
    top.push(Json::object(
        {{"resource", policy->resources[i].name}, {"identities", std::move(identities)}}));
  }
  return Json::object(
      {{"top", std::move(top)}, {"limited", limited_identities(limiter, in_brief)}});
}

}  // namespace cairn::api
