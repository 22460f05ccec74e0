// SPDX-License-Identifier: Apache-2.0
// Decisions while Redis is away: this node's share of what was left, and the local limiter's
// secondary limits.
#include <algorithm>
#include <limits>
#include <utility>

#include "ratelimit/redis/redis_state.h"

namespace cairn::ratelimit {
namespace {

/// This node's part of what is left, rounded up.
std::uint32_t share_of(std::uint32_t limit, std::uint32_t used, std::uint32_t nodes) {
  const std::uint32_t left = used < limit ? limit - used : 0;
  return left / std::max<std::uint32_t>(nodes, 1) +
         (left % std::max<std::uint32_t>(nodes, 1) != 0 ? 1 : 0);
}

/// What the headers say: the limit is the policy's, what is left is this node's share of it, and the
/// shares of the other nodes count as used. So the two always add up, and a refusal has 0 left.
WindowState shown_apart(std::uint16_t resource, std::uint32_t limit, std::uint32_t left,
                        std::int64_t reset_s) {
  return window_state(resource, limit, limit - std::min(left, limit), reset_s);
}

Decision refused(Refusal why, std::int64_t wait_ms, std::optional<WindowState> window) {
  Decision out;
  out.refusal = why;
  out.retry_after_s = seconds_up(wait_ms);
  out.window = window;
  return out;
}

}  // namespace

void RedisLimiter::Impl::charge_local(const std::string& name, std::int64_t cpu_ns, bool graphql) {
  if (cpu_ns <= 0) return;
  const Identity nobody{.kind = IdentityKind::user, .account = name, .exempt = true};
  Charge nothing{.cost = 0, .points = 0, .graphql = graphql, .no_primary = true};
  local->admit(nobody, nothing).finish(cpu_ns);
}

WindowState RedisLimiter::Impl::apart_window(const Policy& of, std::uint16_t resource,
                                             std::uint32_t limit, const NodeWindow* window) const {
  const std::int64_t now = now_ms();
  if (window == nullptr || window->reset_s * 1'000 <= now)
    return shown_apart(resource, limit, share_of(limit, 0, of.store.nodes),
                       (now + 999) / 1'000 + of.resources[resource].window_s);
  const std::uint32_t share = share_of(limit, window->used, of.store.nodes);
  return shown_apart(resource, limit, share - std::min(share, window->apart_used),
                     window->reset_s);
}

Decision RedisLimiter::Impl::without_store(const RedisAsk& ask, std::uint32_t under_way) {
  switch (ask.policy.store.on_error) {
    case SharedState::OnError::open:
      return {};
    case SharedState::OnError::closed:
      if (ask.force) return {};
      return refused(Refusal::no_state, 1'000, std::nullopt);
    case SharedState::OnError::local:
      break;
  }
  return apart_decision(ask, under_way);
}

Decision RedisLimiter::Impl::apart_decision(const RedisAsk& ask, std::uint32_t under_way) {
  MutexLock lock(ask.shard->mutex);
  const Charge& charge = ask.charge;
  const std::int64_t now = now_ms();
  NodeWindow* window = nullptr;
  std::optional<WindowState> shown_window;
  Refusal why = Refusal::none;
  std::int64_t wait_ms = 0;
  std::uint32_t share = 0;
  if (ask.terms.primary) {
    window = &ask.account->window(charge.resource);
    if (window->reset_s * 1'000 <= now) {
      const std::int64_t reset_s = (now + 999) / 1'000 + ask.terms.window_s;
      *window = {.resource = charge.resource, .reset_s = reset_s};
    }
    share = share_of(*ask.terms.primary, window->used, ask.policy.store.nodes);
    if (!charge.no_primary && window->apart_used + std::uint64_t{charge.cost} > share) {
      why = Refusal::primary;
      wait_ms = window->reset_s * 1'000 - now;
    }
    const std::uint32_t left = share - std::min(share, window->apart_used);
    // A primary refusal has nothing left, however little the request wanted more than that.
    shown_window = shown_apart(charge.resource, *ask.terms.primary,
                               why == Refusal::primary ? 0 : left, window->reset_s);
  }
  if (why == Refusal::none && ask.terms.concurrent && under_way > *ask.terms.concurrent)
    why = Refusal::concurrent, wait_ms = 1'000;
  Decision out;
  if (why == Refusal::none || ask.force) {
    Identity who = ask.identity;
    who.exempt = ask.force;
    Charge secondary = charge;  // the primary limit and the requests under way are counted here
    secondary.no_primary = true;
    const Admission inner = local->admit(who, secondary);
    const Decision& second = inner.decision();
    if (!second.admitted()) {
      why = second.refusal;
      wait_ms = std::int64_t{second.retry_after_s} * 1'000;
    }
    if (ask.force && why == Refusal::none) why = second.shadow;
    out.shadowed = ask.force && why != Refusal::none;
    if (out.shadowed) out.shadow = why;
  }
  if (why != Refusal::none && !ask.force) return refused(why, wait_ms, shown_window);
  if (window != nullptr) {
    if (!charge.no_primary && charge.cost > 0) {
      window->apart = true;
      window->apart_used += charge.cost;
      any_apart.store(true, std::memory_order_release);
    }
    out.window = shown_apart(charge.resource, *ask.terms.primary,
                             share - std::min(share, window->apart_used), window->reset_s);
  }
  return out;
}

}  // namespace cairn::ratelimit
