// SPDX-License-Identifier: Apache-2.0
// The inside of RedisLimiter: what its files share.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "os/snapshot.h"
#include "os/threads/thread.h"
#include "ratelimit/redis/redis_accounts.h"
#include "ratelimit/redis/redis_limiter.h"
#include "ratelimit/redis/redis_scripts.h"
#include "ratelimit/redis/redis_store.h"

namespace cairn::ratelimit {

/// The limits that hold for one identity and charge.
struct RedisTerms {
  Limit primary = {};
  std::uint32_t window_s = 0;
  Limit concurrent = {};
  Limit points = {};
  Limit cpu = {};
  Limit graphql_cpu = {};
  Limit content_minute = {};
  Limit content_hour = {};
  Limit own_minute = {};
  Limit own_hour = {};
  Limit heavy = {};
  bool any() const {
    return primary || concurrent || points || cpu || graphql_cpu || content_minute ||
           content_hour || own_minute || own_hour || heavy;
  }
};
RedisTerms terms_of(const Policy& policy, const Identity& identity, const Charge& charge);

/// What a request tells Redis besides itself.
struct RedisPending {
  std::uint32_t under_way = 0;
  std::int64_t cpu_ms = 0;
  std::int64_t graphql_ms = 0;
  std::uint32_t heavy = 0;
};

/// One admit() on its way through.
struct RedisAsk {
  const Policy& policy;
  const Identity& identity;
  const Charge& charge;
  RedisTerms terms;
  bool force = false;
  bool test = false;  // decides, and charges nothing
  NodeAccounts::Shard* shard = nullptr;
  NodeAccount* account = nullptr;
};

/// ARGV of RedisScripts::decide.
std::vector<std::string> arguments_of(const RedisAsk& ask, const RedisPending& pending,
                                      const std::string& node);

struct RedisLimiter::Impl {
  Impl(std::shared_ptr<const Policy> policy, const os::Clock& clock, os::Random& random,
       os::Metrics& metrics, std::unique_ptr<Limiter> local, std::vector<RedisAddress> addresses,
       const RedisWays& ways, const RedisLimiterOptions& options);

  std::shared_ptr<const Policy> current() const { return policy.read(); }
  std::int64_t steady_ms() const { return clock.steady_ns() / 1'000'000; }
  /// The clock of Redis, as far as this node knows it.
  std::int64_t now_ms() const { return steady_ms() + offset_ms.load(std::memory_order_relaxed); }
  void learn_time(std::int64_t redis_now_ms) {
    offset_ms.store(redis_now_ms - steady_ms(), std::memory_order_relaxed);
  }
  std::vector<std::string> keys_of(const NodeAccount& account, const Policy& policy,
                                   const Charge& charge) const;
  std::string window_key(const std::string& tag, const Policy& policy,
                         std::uint16_t resource) const;

  // Deciding. The first and the last of these are called with the shard's lock held.
  std::optional<Decision> known_denial(const RedisAsk& ask);
  Charge current_charge(Charge charge, const Policy& of) const;
  Decision test(const RedisAsk& ask, const RedisPending& as_it_is);
  Decision decide(const RedisAsk& ask, const RedisPending& pending, bool& apart);
  Decision from_reply(const RedisAsk& ask, const std::vector<std::int64_t>& reply);
  Decision without_store(const RedisAsk& ask, std::uint32_t under_way);
  Decision apart_decision(const RedisAsk& ask, std::uint32_t under_way);
  /// What a node shows of a window while Redis is away.
  WindowState apart_window(const Policy& policy, std::uint16_t resource, std::uint32_t limit,
                           const NodeWindow* window) const;
  WindowState shown(const RedisAsk& ask) const;
  /// Says how long the window is, and for how much of it yet.
  void add_times(WindowState& window, const Policy& policy) const;
  /// Counts a refusal; true when it is the one that bans.
  bool count_refusal(const RedisAsk& ask, Decision& decision);
  void ban(const RedisAsk& ask);
  void charge_local(const std::string& name, std::int64_t cpu_ns, bool graphql);

  // Upkeep.
  void tend();
  void tend_store(std::size_t which);
  bool merge_apart(std::size_t which);
  void settle(bool leases);
  void look_for_resets() CAIRN_REQUIRES(tending);
  std::optional<std::string> generation_of(RedisStore& store);
  void forget_denials(std::size_t store);

  NodeAccount& pinned(NodeAccounts::Shard& shard, std::string_view name);
  std::vector<WindowState> windows(const Identity& identity,
                                   const std::vector<std::uint16_t>& resources);
  /// What `read` of RedisScripts gives; empty where Redis does not answer.
  std::vector<std::int64_t> read(const NodeAccount& account, const Policy& policy,
                                 const std::vector<std::uint16_t>& resources);

  const os::Clock& clock;
  const RedisScripts scripts;
  const std::string node;  // its name among the nodes
  os::Snapshot<Policy> policy;
  std::unique_ptr<Limiter> local;
  std::vector<std::unique_ptr<RedisStore>> stores;
  NodeAccounts accounts;
  std::atomic<std::int64_t> offset_ms;
  std::atomic<bool> any_apart{false};
  os::Counter& known_denials;
  os::Counter& decided_apart;
  os::Counter& merged_windows;
  Mutex tending;
  std::uint64_t rounds CAIRN_GUARDED_BY(tending) = 0;
  std::vector<std::optional<std::string>> generations CAIRN_GUARDED_BY(tending);  // by store
  os::Thread upkeep;  // last: it uses all of the above
};

std::uint32_t seconds_up(std::int64_t ms);  // at least 1
WindowState window_state(std::uint16_t resource, std::uint32_t limit, std::uint32_t used,
                         std::int64_t reset_s);

}  // namespace cairn::ratelimit
