// SPDX-License-Identifier: Apache-2.0
// What happens besides decisions: Redis found again, counts merged, leases and CPU time told, and
// what administrators ask.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/bytes.h"
#include "ratelimit/redis/redis_state.h"
#include "ratelimit/units.h"

namespace cairn::ratelimit {
namespace {

constexpr std::int64_t lease_refresh_ms = 5'000;  // leases end after 15 s
constexpr std::int64_t keep_idle_ms = 120'000;
constexpr std::string_view saved_magic = "rlr1";
constexpr std::string_view generation_key = "rl:generation";

// Nobody waits for upkeep, so it may take longer than a decision.
std::int64_t patience_ms(const Policy& policy) {
  return std::max<std::int64_t>(policy.store.timeout_ms, 250);
}

struct ToMerge {
  NodeAccount* account;
  NodeAccounts::Shard* shard;
  NodeWindow window;  // as it was when it was collected
};

struct ToSettle {
  NodeAccount* account;
  RedisPending pending;
};

void unpin(NodeAccounts::Shard& shard, NodeAccount& account) {
  MutexLock lock(shard.mutex);
  --account.pins;
}

std::vector<std::uint16_t> shown_resources(const Policy& policy, const Identity& identity) {
  std::vector<std::uint16_t> out;
  for (std::uint16_t i = 0; i < policy.resources.size(); ++i)
    if (policy.resources[i].shown && policy.limit_of(identity, i)) out.push_back(i);
  return out;
}

Json counter_json(std::int64_t used, const Limit& limit) {
  return Json::object({{"used", used}, {"limit", limit ? Json(*limit) : Json()}});
}

// Points are kept by endpoint, one key each; Redis is not searched for them.
Json secondary_json(const Secondary& limits, const std::vector<std::int64_t>& read) {
  Json cpu = Json::object({{"total", counter_json(read[1], limits.cpu_ms_total)},
                           {"graphql", counter_json(read[2], limits.cpu_ms_graphql)}});
  return Json::object({{"concurrent", counter_json(read[6], limits.concurrent)},
                       {"cpu_ms_per_minute", std::move(cpu)},
                       {"content_per_minute", counter_json(read[3], limits.content_per_minute)},
                       {"content_per_hour", counter_json(read[4], limits.content_per_hour)},
                       {"heavy_per_minute", counter_json(read[5], limits.heavy_per_minute)}});
}

}  // namespace

void RedisLimiter::Impl::tend() {
  MutexLock lock(tending);
  for (std::size_t i = 0; i < stores.size(); ++i) tend_store(i);
  const std::int64_t now = steady_ms();
  settle(++rounds % 5 == 0);
  look_for_resets();
  for (std::size_t i = 0; i < 4; ++i) {
    NodeAccounts::Shard& shard = accounts.shard((rounds * 4 + i) % NodeAccounts::shard_count);
    MutexLock shard_lock(shard.mutex);
    accounts.sweep(shard, now, now - keep_idle_ms);
  }
}

void RedisLimiter::Impl::tend_store(std::size_t which) {
  RedisStore& store = *stores[which];
  if (store.away() && !store.command({"PING"}, patience_ms(*current())).ok()) return;
  // First what was counted apart, then decisions by what is there.
  if (merge_apart(which) && store.away()) store.came_back();
}

bool RedisLimiter::Impl::merge_apart(std::size_t which) {
  if (!any_apart.load(std::memory_order_acquire)) return true;
  const std::shared_ptr<const Policy> now_policy = current();
  any_apart.store(false, std::memory_order_release);
  bool others = false;
  std::vector<ToMerge> all;
  for (std::size_t i = 0; i < NodeAccounts::shard_count; ++i) {
    NodeAccounts::Shard& shard = accounts.shard(i);
    MutexLock lock(shard.mutex);
    const auto collect = [&](NodeAccount& account) {
      if (account.store != which) {
        others = others || account.apart();
        return;
      }
      for (const NodeWindow& window : account.windows) {
        if (!window.apart || window.resource >= now_policy->resources.size()) continue;
        ++account.pins;
        all.push_back({&account, &shard, window});
      }
    };
    for (auto& [name, account] : shard.by_name) collect(*account);
    if (shard.shared != nullptr) collect(*shard.shared);
  }
  bool ok = true;
  for (const ToMerge& each : all) {
    Result<std::vector<std::int64_t>> reply = Error{ErrorKind::unavailable, "", "given up"};
    if (ok)
      reply = stores[which]->run(
          scripts.merge, {window_key(each.account->tag, *now_policy, each.window.resource)},
          {std::to_string(each.window.used), std::to_string(each.window.apart_used),
           std::to_string(each.window.apart_merged), std::to_string(each.window.reset_s), node},
          patience_ms(*now_policy));
    MutexLock lock(each.shard->mutex);
    --each.account->pins;
    ok = ok && reply.ok() && reply->size() == 3;
    if (!ok) continue;
    learn_time((*reply)[2]);
    merged_windows.add();
    NodeWindow& window = each.account->window(each.window.resource);
    if (window.reset_s != each.window.reset_s) continue;  // over meanwhile, and another one open
    // What was admitted meanwhile is merged in the next round.
    window.apart_used -= std::min(window.apart_used, each.window.apart_used);
    window.apart_merged += each.window.apart_used;
    window.apart = window.apart_used > 0;
    if (window.apart) others = true;
    window.used = clamp_u32((*reply)[0]);
    window.reset_s = (*reply)[1];
  }
  if (!ok || others) any_apart.store(true, std::memory_order_release);
  return ok;
}

void RedisLimiter::Impl::settle(bool leases) {
  const std::shared_ptr<const Policy> now_policy = current();
  const std::string minute = std::to_string(std::int64_t{now_policy->minute_s} * 1'000);
  const std::int64_t now = steady_ms();
  for (std::size_t i = 0; i < NodeAccounts::shard_count; ++i) {
    NodeAccounts::Shard& shard = accounts.shard(i);
    std::vector<ToSettle> all;
    {
      MutexLock lock(shard.mutex);
      if (leases)
        for (auto& [name, account] : shard.by_name)
          if (!account->queued && account->under_way > 0 &&
              now - account->published_ms >= lease_refresh_ms) {
            account->queued = true;
            shard.to_settle.push_back(account.get());
          }
      for (NodeAccount* const account : std::exchange(shard.to_settle, {})) {
        account->queued = false;
        if (stores[account->store]->away()) continue;  // what is pending stays
        ++account->pins;
        all.push_back({account,
                       {.under_way = account->under_way,
                        .cpu_ms = account->cpu_ns / ms_ns,
                        .graphql_ms = account->graphql_ns / ms_ns,
                        .heavy = std::exchange(account->heavy, 0)}});
        account->cpu_ns %= ms_ns;
        account->graphql_ns %= ms_ns;
        account->published = account->under_way;
        account->published_ms = now;
      }
    }
    for (const auto& [account, pending] : all) {
      if (!stores[account->store]->away()) {
        const auto reply = stores[account->store]->run(
            scripts.settle, {account->tag + ":s", account->tag + ":n"},
            {node, std::to_string(pending.under_way), minute, std::to_string(pending.cpu_ms),
             std::to_string(pending.graphql_ms), std::to_string(pending.heavy)},
            patience_ms(*now_policy));
        if (reply.ok() && reply->size() == 1) learn_time(reply->front());
      }
      unpin(shard, *account);
    }
  }
}

void RedisLimiter::Impl::forget_denials(std::size_t store) {
  accounts.for_each([store](NodeAccount& account) {
    if (account.store != store) return;
    account.denials.clear();
    std::erase_if(account.windows, [](const NodeWindow& window) { return !window.apart; });
    for (NodeWindow& window : account.windows) window.denied_until_ms = 0;
  });
}

// The store's data, by a number that grows with each reset. Data that was lost has another one,
// since the first node that looks begins at random.
std::optional<std::string> RedisLimiter::Impl::generation_of(RedisStore& store) {
  const std::int64_t patience = patience_ms(*current());
  const std::string first = std::to_string(os::system_random().below(std::uint64_t{1} << 52));
  if (!store.command({"SET", generation_key, first, "NX"}, patience).ok()) return std::nullopt;
  const auto reply = store.command({"GET", generation_key}, patience);
  if (!reply.ok()) return std::nullopt;
  return reply->text;
}

// Another node may have reset an identity that this one refuses by itself, or what the refusals go
// by may be gone.
void RedisLimiter::Impl::look_for_resets() {
  for (std::size_t i = 0; i < stores.size(); ++i) {
    if (stores[i]->away()) continue;
    auto now = generation_of(*stores[i]);
    if (!now) continue;
    const bool changed = generations[i].has_value() && *generations[i] != *now;
    generations[i] = std::move(now);
    if (changed) forget_denials(i);
  }
}

std::vector<std::int64_t> RedisLimiter::Impl::read(const NodeAccount& account, const Policy& of,
                                                   const std::vector<std::uint16_t>& resources) {
  RedisStore& store = *stores[account.store];
  if (store.away()) return {};
  std::vector<std::string> keys = {account.tag + ":s", account.tag + ":n"};
  for (const std::uint16_t resource : resources)
    keys.push_back(window_key(account.tag, of, resource));
  auto reply = store.run(scripts.read, keys,
                         {std::to_string(std::int64_t{of.minute_s} * 1'000),
                          std::to_string(std::int64_t{of.hour_s} * 1'000)},
                         of.store.timeout_ms);
  if (!reply.ok() || reply->size() != 8 + 2 * resources.size()) return {};
  learn_time(reply->front());
  return std::move(*reply);
}

void RedisLimiter::tend() { impl_->tend(); }

std::uint64_t RedisLimiter::calls() const {
  std::uint64_t sum = 0;
  for (const auto& store : impl_->stores) sum += store->calls();
  return sum;
}

bool RedisLimiter::away() const {
  return std::any_of(impl_->stores.begin(), impl_->stores.end(),
                     [](const auto& store) { return store->away(); });
}

NodeAccount& RedisLimiter::Impl::pinned(NodeAccounts::Shard& shard, std::string_view name) {
  MutexLock lock(shard.mutex);
  NodeAccount& account = accounts.account(shard, name, steady_ms());
  ++account.pins;
  return account;
}

std::vector<WindowState> RedisLimiter::Impl::windows(const Identity& identity,
                                                     const std::vector<std::uint16_t>& resources) {
  const std::shared_ptr<const Policy> now_policy = current();
  NodeAccounts::Shard& shard = accounts.shard_of(identity.account);
  NodeAccount& account = pinned(shard, identity.account);
  const std::vector<std::int64_t> shared = read(account, *now_policy, resources);
  std::vector<WindowState> out;
  const std::int64_t now = now_ms();
  MutexLock lock(shard.mutex);
  --account.pins;
  for (std::size_t i = 0; i < resources.size(); ++i) {
    std::uint32_t used = 0;
    std::int64_t reset_s = 0;
    const NodeWindow* const window = account.find(resources[i]);
    if (!shared.empty()) {
      used = clamp_u32(shared[8 + 2 * i]);
      reset_s = shared[9 + 2 * i];
    } else {
      out.push_back(apart_window(*now_policy, resources[i],
                                 now_policy->limit_of(identity, resources[i]).value_or(0), window));
      continue;
    }
    if (reset_s * 1'000 <= now) {
      used = 0;
      reset_s = (now + 999) / 1'000 + now_policy->resources[resources[i]].window_s;
    }
    out.push_back(window_state(
        resources[i], now_policy->limit_of(identity, resources[i]).value_or(0), used, reset_s));
  }
  for (WindowState& window : out) add_times(window, *now_policy);
  return out;
}

std::vector<WindowState> RedisLimiter::windows(const Identity& identity) {
  return impl_->windows(identity, shown_resources(*impl_->current(), identity));
}

Json RedisLimiter::describe(const Identity& identity) {
  const std::shared_ptr<const Policy> policy = impl_->current();
  std::vector<std::uint16_t> limited;
  for (std::uint16_t i = 0; i < policy->resources.size(); ++i)
    if (!policy->resources[i].of_rule && policy->limit_of(identity, i)) limited.push_back(i);
  Json all = Json::object();
  for (const WindowState& window : impl_->windows(identity, limited)) {
    Json one = Json::object({{"limit", window.limit},
                             {"used", window.used},
                             {"remaining", window.remaining},
                             {"reset", window.reset_s}});
    const Resource& resource = policy->resources[window.resource];
    if (!resource.shown) one.set("shown", false);
    all.set(resource.name, std::move(one));
  }
  NodeAccounts::Shard& shard = impl_->accounts.shard_of(identity.account);
  NodeAccount& account = impl_->pinned(shard, identity.account);
  const std::vector<std::int64_t> read = impl_->read(account, *policy, {});
  Json out = Json::object({{"account", identity.account},
                           {"kind", name_of(identity.kind)},
                           {"exempt", policy->exempts(identity)},
                           {"store", read.empty() ? "away" : "redis"},
                           {"windows", std::move(all)}});
  std::uint32_t here = 0;
  {
    MutexLock lock(shard.mutex);
    --account.pins;
    here = account.under_way;
  }
  out.set("concurrent_here", here);
  if (read.empty()) {
    const Json local = impl_->local->describe(identity);
    for (const char* part : {"secondary", "ban"})
      if (const Json* const value = local.find(part)) out.set(part, *value);
    return out;
  }
  out.set("secondary", secondary_json(policy->secondary, read));
  Json ban = Json::object({{"banned", read[7] > 0}});
  if (read[7] > 0) ban.set("until", (read[0] + read[7] + 999) / 1'000);
  out.set("ban", std::move(ban));
  return out;
}

void RedisLimiter::name_endpoint(std::uint32_t endpoint, std::string_view name) {
  impl_->local->name_endpoint(endpoint, name);
}

bool RedisLimiter::reset(std::string_view name) {
  const std::shared_ptr<const Policy> policy = impl_->current();
  NodeAccounts::Shard& shard = impl_->accounts.shard_of(name);
  NodeAccount* const account = &impl_->pinned(shard, name);
  bool there = impl_->local->reset(name);
  {
    MutexLock lock(shard.mutex);
    there = there || account->apart();
    account->windows.clear();
    account->denials.clear();
    account->strikes = 0;
    account->cpu_ns = 0;
    account->graphql_ns = 0;
    account->heavy = 0;
  }
  RedisStore& store = *impl_->stores[account->store];
  if (!store.away()) {
    std::vector<std::string> keys = {account->tag + ":s"};
    for (std::uint16_t i = 0; i < policy->resources.size(); ++i)
      keys.push_back(impl_->window_key(account->tag, *policy, i));
    const auto reply = store.run(impl_->scripts.reset, keys, {}, patience_ms(*policy));
    there = there || (reply.ok() && !reply->empty() && reply->front() > 0);
    // The others look each second; one that misses it refuses until the window's own reset.
    static_cast<void>(store.command({"INCR", generation_key}, patience_ms(*policy)));
  }
  unpin(shard, *account);
  return there;
}

void RedisLimiter::set_policy(std::shared_ptr<const Policy> policy) {
  const std::shared_ptr<const Policy> before = impl_->current();
  impl_->local->set_policy(policy);
  impl_->policy.replace(policy);
  // Resources are known by their place in the policy.
  impl_->accounts.for_each([&](NodeAccount& account) {
    account.denials.clear();
    std::erase_if(account.windows, [&](NodeWindow& window) {
      window.denied_until_ms = 0;
      if (window.resource >= before->resources.size()) return true;
      const auto now_at = policy->resource(before->resources[window.resource].name);
      if (now_at) window.resource = *now_at;
      return !now_at;
    });
  });
}

std::shared_ptr<const Policy> RedisLimiter::policy() const { return impl_->current(); }

std::string RedisLimiter::save() const {
  const std::shared_ptr<const Policy> policy = impl_->current();
  std::string out(saved_magic);
  put_string(out, impl_->local->save());
  impl_->accounts.for_each([&](NodeAccount& account) {
    for (const NodeWindow& window : account.windows) {
      if (!window.apart || window.resource >= policy->resources.size()) continue;
      put_string(out, account.name);
      put_string(out, policy->resources[window.resource].name);
      put_i64le(out, window.reset_s);
      put_u32le(out, window.used);
      put_u32le(out, window.apart_used);
    }
  });
  return out;
}

Status RedisLimiter::restore(std::string_view bytes) {
  // A node that was alone until now saved its local limiter only.
  if (!bytes.starts_with(saved_magic)) return impl_->local->restore(bytes);
  const std::shared_ptr<const Policy> policy = impl_->current();
  ByteReader in(bytes.substr(saved_magic.size()));
  const Error corrupt{ErrorKind::corrupt, "", "the saved rate limits do not read"};
  const auto of_local = in.string();
  if (!of_local) return corrupt;
  CAIRN_CHECK(impl_->local->restore(*of_local));
  const std::int64_t now_ms = impl_->now_ms();
  while (!in.at_end()) {
    const auto name = in.string();
    const auto resource = in.string();
    const auto reset_s = in.fixed<std::int64_t>();
    const auto used = in.u32le();
    const auto apart_used = in.u32le();
    if (!apart_used) return corrupt;
    const auto index = policy->resource(*resource);
    if (!index || *reset_s > now_ms / 1'000 + 1'000'000 || *reset_s * 1'000 <= now_ms) continue;
    NodeAccounts::Shard& shard = impl_->accounts.shard_of(*name);
    MutexLock lock(shard.mutex);
    NodeAccount& account = impl_->accounts.account(shard, *name, impl_->steady_ms());
    account.window(*index) = {.resource = *index,
                              .used = *used,
                              .reset_s = *reset_s,
                              .apart = true,
                              .apart_used = *apart_used};
    impl_->any_apart.store(true, std::memory_order_release);
  }
  return ok_status();
}

}  // namespace cairn::ratelimit
