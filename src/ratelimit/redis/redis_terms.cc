// SPDX-License-Identifier: Apache-2.0
// What holds for a request, and how the script is told; and the decision that charges nothing.
#include "ratelimit/redis/redis_state.h"

namespace cairn::ratelimit {

RedisTerms terms_of(const Policy& policy, const Identity& identity, const Charge& charge) {
  RedisTerms out;
  if (charge.surface == Surface::objects && !policy.objects) return out;
  out.primary = policy.limit_of(identity, charge.resource);
  if (charge.resource < policy.resources.size())
    out.window_s = policy.resources[charge.resource].window_s;
  if (identity.kind == IdentityKind::service && !policy.plans.service) return out;
  const Secondary& secondary = policy.secondary;
  if (charge.window_only) return out;
  if (!charge.no_primary) out.concurrent = secondary.concurrent;
  out.points = charge.graphql ? secondary.points_graphql : secondary.points_rest;
  out.cpu = secondary.cpu_ms_total;
  if (charge.graphql) out.graphql_cpu = secondary.cpu_ms_graphql;
  if (charge.content) {
    out.content_minute = secondary.content_per_minute;
    out.content_hour = secondary.content_per_hour;
    out.own_minute = charge.content_per_minute;
    out.own_hour = charge.content_per_hour;
  }
  out.heavy = secondary.heavy_per_minute;
  return out;
}

std::vector<std::string> arguments_of(const RedisAsk& ask, const RedisPending& pending,
                                      const std::string& node) {
  std::vector<std::string> out(static_cast<std::size_t>(DecideArgument::count));
  const auto set = [&out](DecideArgument which, std::int64_t value) {
    out[static_cast<std::size_t>(which)] = std::to_string(value);
  };
  const auto set_limit = [&set](DecideArgument which, const Limit& value) {
    set(which, value ? std::int64_t{*value} : -1);
  };
  using To = DecideArgument;
  const Charge& charge = ask.charge;
  const RedisTerms& terms = ask.terms;
  out[static_cast<std::size_t>(To::node)] = node;
  set(To::force, ask.force ? 1 : 0);
  set(To::no_primary, charge.no_primary ? 1 : 0);
  set_limit(To::limit, terms.primary);
  set(To::cost, charge.cost);
  set(To::window_s, terms.window_s);
  set(To::under_way, pending.under_way);
  set_limit(To::concurrent, terms.concurrent);
  set(To::points, charge.points);
  set_limit(To::points_cap, terms.points);
  set(To::cpu_ms, pending.cpu_ms);
  set_limit(To::cpu_cap, terms.cpu);
  set(To::graphql_ms, pending.graphql_ms);
  set_limit(To::graphql_cap, terms.graphql_cpu);
  set(To::content, charge.content ? 1 : 0);
  set_limit(To::content_minute, terms.content_minute);
  set_limit(To::content_hour, terms.content_hour);
  set_limit(To::own_minute, terms.own_minute);
  set_limit(To::own_hour, terms.own_hour);
  set(To::heavy, pending.heavy);
  set_limit(To::heavy_cap, terms.heavy);
  set(To::minute_ms, std::int64_t{ask.policy.minute_s} * 1'000);
  set(To::hour_ms, std::int64_t{ask.policy.hour_s} * 1'000);
  set(To::ban, ask.policy.ban.enabled && !charge.window_only ? 1 : 0);
  set(To::test, ask.test ? 1 : 0);
  return out;
}

// While Redis is away: what this node would show, and the secondary limits that it keeps by itself.
Decision RedisLimiter::Impl::test(const RedisAsk& ask, const RedisPending& as_it_is) {
  RedisStore& store = *stores[ask.account->store];
  if (!store.away()) {
    const auto reply = store.run(scripts.decide, keys_of(*ask.account, ask.policy, ask.charge),
                                 arguments_of(ask, as_it_is, node), ask.policy.store.timeout_ms);
    MutexLock lock(ask.shard->mutex);
    if (reply.ok() && reply->size() == 6) return from_reply(ask, *reply);
  }
  Charge secondary = ask.charge;
  secondary.no_primary = true;
  Decision out = local->test(ask.identity, secondary);
  out.window.reset();
  if (!ask.terms.primary) return out;
  MutexLock lock(ask.shard->mutex);
  out.window = apart_window(ask.policy, ask.charge.resource, *ask.terms.primary,
                            ask.account->find(ask.charge.resource));
  const bool over = !ask.charge.no_primary && out.window->remaining < ask.charge.cost;
  if (over && ask.force) out.shadowed = true, out.shadow = Refusal::primary;
  if (over && !ask.force) {
    out.refusal = Refusal::primary;
    out.retry_after_s = seconds_up(out.window->reset_s * 1'000 - now_ms());
  }
  return out;
}

Decision RedisLimiter::test(const Identity& identity, const Charge& given) {
  const std::shared_ptr<const Policy> policy = impl_->current();
  if (!policy->enabled || policy->resources.empty()) return {};
  const Charge charge = impl_->current_charge(given, *policy);
  RedisAsk ask{.policy = *policy,
               .identity = identity,
               .charge = charge,
               .terms = terms_of(*policy, identity, charge),
               .force = policy->shadow || charge.shadow || policy->exempts(identity),
               .test = true};
  if (!ask.terms.any()) return {};
  ask.shard = &impl_->accounts.shard_of(identity.account);
  ask.account = &impl_->pinned(*ask.shard, identity.account);
  RedisPending as_it_is;
  {
    MutexLock lock(ask.shard->mutex);
    as_it_is.under_way = ask.account->under_way + (ask.terms.concurrent ? 1 : 0);
  }
  Decision out = impl_->test(ask, as_it_is);
  if (out.window) impl_->add_times(*out.window, *policy);
  if (is_secondary(out.refusal) && out.window && out.window->remaining == 0) out.window.reset();
  MutexLock lock(ask.shard->mutex);
  --ask.account->pins;
  return out;
}

}  // namespace cairn::ratelimit
