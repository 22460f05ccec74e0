// SPDX-License-Identifier: Apache-2.0
// From a request to its decision: what is known already, then Redis, then without it.
#include "ratelimit/redis/redis_limiter.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/encode.h"
#include "os/deadline.h"
#include "ratelimit/redis/redis_state.h"
#include "ratelimit/units.h"

namespace cairn::ratelimit {
namespace {

constexpr std::int64_t much_cpu_ns = 100 * ms_ns;  // told to Redis without a next decision

// What a ticket holds: the account, these bits, the reset of the window, the shard.
constexpr std::uint64_t bit_concurrent = 1;
constexpr std::uint64_t bit_graphql = 2;
constexpr std::uint64_t bit_apart = 4;
constexpr std::uint64_t bit_charged = 8;
constexpr std::uint64_t bit_cpu = 16;

struct Unpacked {
  NodeAccount* account;
  NodeAccounts::Shard* shard;
  std::uint64_t bits;
  std::uint16_t resource;
  std::uint32_t cost;
  std::int64_t reset_s;
};

Ticket pack(const RedisAsk& ask, const Decision& decision, bool apart) {
  std::uint64_t bits = 0;
  if (ask.terms.concurrent) bits |= bit_concurrent;
  if (ask.charge.graphql) bits |= bit_graphql;
  if (apart) bits |= bit_apart;
  if (decision.window && !ask.charge.no_primary) bits |= bit_charged;
  if (ask.terms.cpu || ask.terms.heavy) bits |= bit_cpu;
  const std::uint64_t numbers =
      std::uint64_t{ask.charge.cost} << 32 | std::uint64_t{ask.charge.resource} << 16 | bits;
  return {reinterpret_cast<std::uintptr_t>(ask.account), numbers,
          static_cast<std::uint64_t>(decision.window ? decision.window->reset_s : 0),
          reinterpret_cast<std::uintptr_t>(ask.shard)};
}

Unpacked unpack(const Ticket& ticket) {
  return {.account = reinterpret_cast<NodeAccount*>(ticket[0]),
          .shard = reinterpret_cast<NodeAccounts::Shard*>(ticket[3]),
          .bits = ticket[1] & 0xFFFF,
          .resource = static_cast<std::uint16_t>(ticket[1] >> 16),
          .cost = static_cast<std::uint32_t>(ticket[1] >> 32),
          .reset_s = static_cast<std::int64_t>(ticket[2])};
}

// Waits that only time ends. Others' requests end sooner than a refusal by their number says.
bool lasts(Refusal refusal) {
  return refusal != Refusal::none && refusal != Refusal::concurrent && refusal != Refusal::no_state;
}

}  // namespace

std::uint32_t seconds_up(std::int64_t ms) {
  return std::max<std::uint32_t>(1, clamp_u32((ms + 999) / 1'000));
}

WindowState window_state(std::uint16_t resource, std::uint32_t limit, std::uint32_t used,
                         std::int64_t reset_s) {
  return {.limit = limit,
          .used = used,
          .remaining = used < limit ? limit - used : 0,
          .reset_s = reset_s,
          .resource = resource};
}

RedisLimiter::Impl::Impl(std::shared_ptr<const Policy> first, const os::Clock& clock_in,
                         os::Random& random, os::Metrics& metrics, std::unique_ptr<Limiter> other,
                         std::vector<RedisAddress> addresses, const RedisWays& ways,
                         const RedisLimiterOptions& options)
    : clock(clock_in),
      scripts(options.time),
      node(to_hex(random.bytes(6))),
      policy(first),
      local(std::move(other)),
      accounts(first->max_identities, addresses.size()),
      offset_ms(clock_in.unix_ms() - clock_in.steady_ns() / ms_ns),
      known_denials(metrics.counter("cairn_ratelimit_known_denials_total",
                                    "Refusals without a call to the shared state.")),
      decided_apart(metrics.counter("cairn_ratelimit_decided_apart_total",
                                    "Decisions while the shared state was away.")),
      merged_windows(metrics.counter("cairn_ratelimit_merged_windows_total",
                                     "Windows merged when the shared state was back.")) {
  for (RedisAddress& address : addresses)
    stores.push_back(std::make_unique<RedisStore>(std::move(address), ways, clock, metrics));
  generations.resize(stores.size());
}

std::string RedisLimiter::Impl::window_key(const std::string& tag, const Policy& of,
                                           std::uint16_t resource) const {
  return tag + ":p:" + of.resources[resource].name;
}

std::vector<std::string> RedisLimiter::Impl::keys_of(const NodeAccount& account, const Policy& of,
                                                     const Charge& charge) const {
  return {window_key(account.tag, of, charge.resource), account.tag + ":s",
          account.tag + ":e:" + std::to_string(charge.endpoint), account.tag + ":n"};
}

WindowState RedisLimiter::Impl::shown(const RedisAsk& ask) const {
  const NodeWindow* const window = ask.account->find(ask.charge.resource);
  const std::int64_t now = now_ms();
  if (window == nullptr || window->reset_s * 1'000 <= now)
    return window_state(ask.charge.resource, *ask.terms.primary, 0,
                        (now + 999) / 1'000 + ask.terms.window_s);
  return window_state(ask.charge.resource, *ask.terms.primary, window->used, window->reset_s);
}

void RedisLimiter::Impl::add_times(WindowState& window, const Policy& of) const {
  if (window.resource < of.resources.size())
    window.window_s = of.resources[window.resource].window_s;
  window.wait_s = seconds_up(window.reset_s * 1'000 - now_ms());
}

std::optional<Decision> RedisLimiter::Impl::known_denial(const RedisAsk& ask) {
  const std::int64_t now = steady_ms();
  const Charge& charge = ask.charge;
  Decision out;
  std::int64_t until = 0;
  const NodeWindow* const window = ask.account->find(charge.resource);
  for (const NodeDenial& each : ask.account->denials)
    if (each.refusal == Refusal::banned && each.until_ms > now && ask.policy.ban.enabled)
      out.refusal = each.refusal, until = each.until_ms;
  if (out.admitted() && window != nullptr && ask.terms.primary && !charge.no_primary &&
      window->denied_until_ms > now && window->denied_cost <= charge.cost &&
      *ask.terms.primary <= window->denied_limit)
    out.refusal = Refusal::primary, until = window->denied_until_ms;
  for (const NodeDenial& each : ask.account->denials)
    if (out.admitted() && each.refusal != Refusal::banned && each.until_ms > now &&
        each.endpoint == charge.endpoint && each.points <= charge.points &&
        each.content == charge.content)
      out.refusal = each.refusal, until = each.until_ms;
  if (out.admitted()) return std::nullopt;
  known_denials.add();
  out.retry_after_s = seconds_up(until - now);
  if (ask.terms.primary) out.window = shown(ask);
  return out;
}

Decision RedisLimiter::Impl::from_reply(const RedisAsk& ask,
                                        const std::vector<std::int64_t>& reply) {
  Decision out;
  const auto refusal = static_cast<Refusal>(reply[0]);
  const std::int64_t wait_ms = reply[4];
  learn_time(reply[5]);
  if (refusal != Refusal::none) {
    if (ask.force) {
      out.shadowed = true;
      out.shadow = refusal;
    } else {
      out.refusal = refusal;
      out.retry_after_s = seconds_up(wait_ms);
    }
  }
  if (!ask.terms.primary) return out;
  out.window = window_state(ask.charge.resource, *ask.terms.primary, clamp_u32(reply[2]), reply[3]);
  NodeWindow& window = ask.account->window(ask.charge.resource);
  // Replies overtake each other: of one window the larger count is the later one.
  if (!window.apart && reply[3] >= window.reset_s) {
    const bool same = reply[3] == window.reset_s;
    window.used = same ? std::max(window.used, out.window->used) : out.window->used;
    window.reset_s = reply[3];
  }
  return out;
}

bool RedisLimiter::Impl::count_refusal(const RedisAsk& ask, Decision& decision) {
  NodeAccount& account = *ask.account;
  decision.nth_refusal = ++account.refusals;
  // No secondary refusal shows remaining 0: clients would take it for a primary one.
  if (is_secondary(decision.refusal) && decision.window && decision.window->remaining == 0)
    decision.window.reset();
  const Ban& ban = ask.policy.ban;
  if (!ban.enabled || ask.charge.window_only || decision.refusal == Refusal::banned ||
      decision.refusal == Refusal::no_state)
    return false;
  const std::int64_t now = steady_ms();
  if (account.strikes == 0 || now - account.strikes_since_ms > std::int64_t{ban.window_s} * 1'000) {
    account.strikes = 0;
    account.strikes_since_ms = now;
  }
  if (++account.strikes <= ban.strikes) return false;
  account.strikes = 0;
  return true;
}

void RedisLimiter::Impl::ban(const RedisAsk& ask) {
  const Ban& terms = ask.policy.ban;
  RedisStore& store = *stores[ask.account->store];
  std::int64_t length_ms = std::int64_t{terms.first_s} * 1'000;
  if (!store.away()) {
    const auto reply = store.run(scripts.ban, {ask.account->tag + ":s"},
                                 {std::to_string(terms.first_s), std::to_string(terms.longest_s)},
                                 ask.policy.store.timeout_ms);
    if (reply.ok() && reply->size() == 1) length_ms = reply->front();
  }
  MutexLock lock(ask.shard->mutex);
  auto& denials = ask.account->denials;
  std::erase_if(denials, [](const auto& each) { return each.refusal == Refusal::banned; });
  denials.push_back({.refusal = Refusal::banned, .until_ms = steady_ms() + length_ms});
}

Decision RedisLimiter::Impl::decide(const RedisAsk& ask, const RedisPending& pending, bool& apart) {
  RedisStore& store = *stores[ask.account->store];
  Result<std::vector<std::int64_t>> reply = Error{ErrorKind::unavailable, "", "away"};
  if (!store.away())
    reply = store.run(scripts.decide, keys_of(*ask.account, ask.policy, ask.charge),
                      arguments_of(ask, pending, node), ask.policy.store.timeout_ms);
  apart = !reply.ok() || reply->size() != 6;
  if (apart) {
    decided_apart.add();
    // The call may have told it to Redis, or not: here it counts in any case.
    charge_local(ask.account->name, (pending.cpu_ms - pending.graphql_ms) * ms_ns, false);
    charge_local(ask.account->name, pending.graphql_ms * ms_ns, true);
    return without_store(ask, pending.under_way);
  }
  MutexLock lock(ask.shard->mutex);
  Decision out = from_reply(ask, *reply);
  if (ask.terms.concurrent && out.admitted()) {
    ask.account->published = std::max(ask.account->published, pending.under_way);
    ask.account->published_ms = steady_ms();
  }
  if (!lasts(out.refusal)) return out;
  const std::int64_t until = steady_ms() + (*reply)[4];
  if (out.refusal == Refusal::primary) {
    NodeWindow& window = ask.account->window(ask.charge.resource);
    window.denied_until_ms = until;
    window.denied_cost = ask.charge.cost;
    window.denied_limit = *ask.terms.primary;
    return out;
  }
  auto& denials = ask.account->denials;
  std::erase_if(denials, [now = steady_ms()](const auto& each) { return each.until_ms <= now; });
  if (denials.size() < 64)
    denials.push_back({.refusal = out.refusal,
                       .endpoint = ask.charge.endpoint,
                       .points = ask.charge.points,
                       .content = ask.charge.content,
                       .until_ms = until});
  return out;
}

// Object storage has a plan of its own; a charge of an older policy may name what is gone.
Charge RedisLimiter::Impl::current_charge(Charge charge, const Policy& of) const {
  if (charge.surface == Surface::objects)
    charge.resource = of.resource("objects").value_or(charge.resource);
  if (charge.resource >= of.resources.size()) charge.resource = of.resource("core").value_or(0);
  return charge;
}

RedisLimiter::RedisLimiter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RedisLimiter::~RedisLimiter() = default;

Result<std::unique_ptr<RedisLimiter>> RedisLimiter::open(std::shared_ptr<const Policy> policy,
                                                         const os::Clock& clock, os::Random& random,
                                                         os::Metrics& metrics,
                                                         std::unique_ptr<Limiter> local,
                                                         RedisLimiterOptions options) {
  std::vector<RedisAddress> addresses;
  RedisWays ways{.start_tls = options.start_tls};
  bool tls = false;
  const auto read = [&](const std::vector<std::string>& urls,
                        std::vector<RedisAddress>& into) -> Status {
    for (const std::string& url : urls) {
      CAIRN_TRY(RedisAddress address, parse_redis_url(url));
      tls = tls || address.tls;
      into.push_back(std::move(address));
    }
    return ok_status();
  };
  CAIRN_CHECK(read(policy->store.urls, addresses));
  CAIRN_CHECK(read(policy->store.sentinels, ways.sentinels));
  if (tls && !options.start_tls)
    return Error{ErrorKind::invalid_argument, "illegal_argument_exception",
                 "[rate_limit.store.urls] has rediss://, and there is no TLS here"};
  if (addresses.empty())
    return Error{ErrorKind::invalid_argument, "illegal_argument_exception",
                 "[rate_limit.store.kind] is redis, so [rate_limit.store.urls] must name one"};
  local->set_policy(policy);
  auto impl = std::make_unique<Impl>(std::move(policy), clock, random, metrics, std::move(local),
                                     std::move(addresses), ways, options);
  std::unique_ptr<RedisLimiter> out(new RedisLimiter(std::move(impl)));
  if (options.upkeep) {
    const auto rounds = [inside = out->impl_.get()](const std::stop_token& stop) {
      const os::Deadline never = os::Deadline::never(stop);
      while (os::sleep_ms(1'000, never)) inside->tend();
    };
    CAIRN_TRY(out->impl_->upkeep, os::Thread::start_stoppable({.name = "cairn-redis"}, rounds));
  }
  return out;
}

Admission RedisLimiter::admit(const Identity& identity, const Charge& given) {
  const std::shared_ptr<const Policy> policy = impl_->current();
  if (!policy->enabled || policy->resources.empty()) return make(Decision{});
  const Charge charge = impl_->current_charge(given, *policy);
  RedisAsk ask{.policy = *policy,
               .identity = identity,
               .charge = charge,
               .terms = terms_of(*policy, identity, charge),
               .force = policy->shadow || charge.shadow || policy->exempts(identity)};
  if (!ask.terms.any()) return make(Decision{});
  ask.shard = &impl_->accounts.shard_of(identity.account);
  RedisPending pending;
  std::optional<Decision> known;
  bool bans = false;
  {
    MutexLock lock(ask.shard->mutex);
    NodeAccount& account =
        impl_->accounts.account(*ask.shard, identity.account, impl_->steady_ms());
    ask.account = &account;
    if (!ask.force) known = impl_->known_denial(ask);
    if (known) bans = impl_->count_refusal(ask, *known);
    if (known && known->window) impl_->add_times(*known->window, *policy);
    if (known && !bans) return make(*known);
    ++account.pins;
    if (!known) {
      if (ask.terms.concurrent) ++account.under_way;
      pending = {.under_way = account.under_way,
                 .cpu_ms = account.cpu_ns / ms_ns,
                 .graphql_ms = account.graphql_ns / ms_ns,
                 .heavy = std::exchange(account.heavy, 0)};
      account.cpu_ns %= ms_ns;
      account.graphql_ns %= ms_ns;
    }
  }
  bool apart = false;
  Decision decision = known ? *known : impl_->decide(ask, pending, apart);
  if (decision.window) impl_->add_times(*decision.window, *policy);
  if (!known && decision.admitted()) {
    {
      MutexLock lock(ask.shard->mutex);
      if (decision.shadowed)
        decision.nth_refusal = ++ask.account->refusals;
      else
        ask.account->refusals = 0;
    }
    return make(decision, pack(ask, decision, apart));
  }
  {
    MutexLock lock(ask.shard->mutex);
    if (!known) {
      bans = impl_->count_refusal(ask, decision);
      if (ask.terms.concurrent && ask.account->under_way > 0) --ask.account->under_way;
    }
  }
  if (bans) impl_->ban(ask);
  MutexLock lock(ask.shard->mutex);
  --ask.account->pins;
  return make(decision);
}

void RedisLimiter::release(const Ticket& ticket, std::int64_t cpu_ns) {
  const Unpacked of = unpack(ticket);
  const auto heavy_ns = std::int64_t{impl_->current()->secondary.heavy_cpu_ms} * ms_ns;
  const bool graphql = (of.bits & bit_graphql) != 0;
  std::string name_apart;
  {
    MutexLock lock(of.shard->mutex);
    NodeAccount& account = *of.account;
    if ((of.bits & bit_concurrent) != 0 && account.under_way > 0) --account.under_way;
    if ((of.bits & bit_cpu) != 0 && cpu_ns > 0) {
      if ((of.bits & bit_apart) != 0) {
        name_apart = account.name;
      } else {
        account.cpu_ns += cpu_ns;
        if (graphql) account.graphql_ns += cpu_ns;
        if (cpu_ns >= heavy_ns) ++account.heavy;
      }
    }
    // One stale request is not worth a call; its lease ends by itself.
    const bool stale = account.published >= account.under_way + 2;
    if (!account.queued && (stale || account.cpu_ns >= much_cpu_ns || account.heavy > 0)) {
      account.queued = true;
      of.shard->to_settle.push_back(&account);
    }
    --account.pins;
  }
  if (!name_apart.empty()) impl_->charge_local(name_apart, cpu_ns, graphql);
}

bool RedisLimiter::give_back(const Ticket& ticket, Decision& decision) {
  const Unpacked of = unpack(ticket);
  if ((of.bits & bit_charged) == 0 || !decision.window) return false;
  const std::shared_ptr<const Policy> policy = impl_->current();
  std::uint32_t used = 0;
  if ((of.bits & bit_apart) != 0) {
    MutexLock lock(of.shard->mutex);
    NodeWindow& window = of.account->window(of.resource);
    if (!window.apart || window.reset_s != of.reset_s || window.apart_used < of.cost) return false;
    if (window.reset_s * 1'000 <= impl_->now_ms()) return false;
    window.apart_used -= of.cost;
    decision.window = impl_->apart_window(*policy, of.resource, decision.window->limit, &window);
    impl_->add_times(*decision.window, *policy);
    return true;
  } else {
    RedisStore& store = *impl_->stores[of.account->store];
    if (store.away() || of.resource >= policy->resources.size()) return false;
    const auto reply =
        store.run(impl_->scripts.refund, {impl_->window_key(of.account->tag, *policy, of.resource)},
                  {std::to_string(of.reset_s), std::to_string(of.cost)}, policy->store.timeout_ms);
    if (!reply.ok() || reply->size() != 3 || reply->front() == 0) return false;
    used = clamp_u32((*reply)[1]);
    MutexLock lock(of.shard->mutex);
    NodeWindow& window = of.account->window(of.resource);
    if (!window.apart && window.reset_s == of.reset_s) window.used = used;
    window.denied_until_ms = 0;
  }
  decision.window = window_state(of.resource, decision.window->limit, used, of.reset_s);
  impl_->add_times(*decision.window, *policy);
  return true;
}

}  // namespace cairn::ratelimit
