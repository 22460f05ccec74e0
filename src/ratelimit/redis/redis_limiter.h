// SPDX-License-Identifier: Apache-2.0
// The limiter whose state is shared by several nodes through Redis: one script per decision.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/clock.h"
#include "os/metrics.h"
#include "os/random.h"
#include "ratelimit/limiter.h"
#include "ratelimit/redis/redis_sentinel.h"

namespace cairn::ratelimit {

struct RedisLimiterOptions {
  bool upkeep = true;  // a thread that calls tend() each second
  /// The Lua that gives {seconds, microseconds}. Only tests have reason to say otherwise.
  std::string time = "redis.call('TIME')";
  StartTls start_tls = {};  // for addresses with TLS; empty: there must be none
};

/// Decides in Redis, by the clock of Redis. An identity that Redis refused is refused here, without
/// a call, for as long as nothing else can come of it. A call that fails is decided here, as
/// Policy::store.on_error says, and never repeated: with `local`, the primary limit is this node's
/// share of what was left, the secondary limits are those of the local limiter. When Redis is back,
/// the larger count of each window stays.
///
/// Concurrent requests are counted by each node, which publishes its count with the decision; a
/// node that died is forgotten after 15 s. CPU time is told with the next decision, or by tend().
/// Bans: strikes are counted by each node, the ban holds on all.
class RedisLimiter final : public Limiter {
 public:
  /// `policy->store` says where Redis is; urls hold until the limiter is made anew, the rest of the
  /// policy is replaced by set_policy(). With several urls each identity belongs to one of them.
  /// With Sentinels the hosts of the urls are names of masters. A Redis that cannot be reached is
  /// no error: it may come. The references outlive the limiter.
  /// Errors: invalid_argument for urls that are none, and for TLS without start_tls.
  static Result<std::unique_ptr<RedisLimiter>> open(std::shared_ptr<const Policy> policy,
                                                    const os::Clock& clock, os::Random& random,
                                                    os::Metrics& metrics,
                                                    std::unique_ptr<Limiter> local,
                                                    RedisLimiterOptions options = {});
  ~RedisLimiter() override;

  Admission admit(const Identity& identity, const Charge& charge) override;
  Decision test(const Identity& identity, const Charge& charge) override;
  std::vector<WindowState> windows(const Identity& identity) override;
  Json describe(const Identity& identity) override;
  void name_endpoint(std::uint32_t endpoint, std::string_view name) override;
  bool reset(std::string_view account) override;
  void set_policy(std::shared_ptr<const Policy> policy) override;
  std::shared_ptr<const Policy> policy() const override;
  /// What this node counted while Redis was away; the rest is in Redis.
  std::string save() const override;
  Status restore(std::string_view bytes) override;

  /// One round of upkeep: looks whether Redis is back, merges, publishes what changed, forgets
  /// what is over. Blocks for a few calls.
  void tend();
  /// Commands sent to Redis so far.
  std::uint64_t calls() const;
  /// True while this node does without one of its servers.
  bool away() const;

 protected:
  void release(const Ticket& ticket, std::int64_t cpu_ns) override;
  bool give_back(const Ticket& ticket, Decision& decision) override;

 private:
  struct Impl;
  explicit RedisLimiter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::ratelimit
