// SPDX-License-Identifier: Apache-2.0
// What one node knows of each identity by itself: requests under way, what Redis last said, until
// when it is refused anyway, and what was admitted while Redis was away.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/threads.h"
#include "ratelimit/limiter.h"

namespace cairn::ratelimit {

/// One resource of one identity.
struct NodeWindow {
  std::uint16_t resource = 0;
  std::uint32_t used = 0;  // as Redis last said, or as it was when Redis went away
  std::int64_t reset_s = 0;
  // Of the time without Redis; to be merged while set.
  bool apart = false;
  std::uint32_t apart_used = 0;
  std::uint32_t apart_merged = 0;  // of this window, told to Redis already
  // Requests that cost as much, under a limit as low, are refused until then (steady ms).
  std::int64_t denied_until_ms = 0;
  std::uint32_t denied_cost = 0;
  std::uint32_t denied_limit = 0;
};

/// A refusal that will be the same until `until_ms` (steady).
struct NodeDenial {
  Refusal refusal = Refusal::none;
  std::uint32_t endpoint = 0;
  std::uint32_t points = 0;
  bool content = false;
  std::int64_t until_ms = 0;
};

/// Touched with its shard's lock held only.
struct NodeAccount {
  std::string name;
  std::string tag;  // "rl:{h}"
  std::size_t store = 0;
  std::uint32_t pins = 0;       // admissions and calls that hold a pointer
  std::uint32_t under_way = 0;  // of them, what counts as concurrent
  std::uint32_t published = 0;  // of them, what the other nodes see
  std::int64_t published_ms = 0;
  std::int64_t cpu_ns = 0;  // to be told to Redis
  std::int64_t graphql_ns = 0;
  std::uint32_t heavy = 0;
  std::uint32_t strikes = 0;
  std::int64_t strikes_since_ms = 0;
  std::uint32_t refusals = 0;  // in a row
  std::int64_t seen_ms = 0;
  bool queued = false;  // for settling
  std::vector<NodeWindow> windows = {};
  std::vector<NodeDenial> denials = {};

  NodeWindow& window(std::uint16_t resource);
  const NodeWindow* find(std::uint16_t resource) const;
  bool apart() const;
  bool idle(std::int64_t now_ms) const;  // nothing is lost by forgetting it
};

/// Accounts in shards with a lock each. At most `most` of them: then those that nothing is lost by
/// are forgotten, and if there are none, newcomers share one account per shard.
class NodeAccounts {
 public:
  struct Shard {
    Mutex mutex;
    std::unordered_map<std::string_view, std::unique_ptr<NodeAccount>> by_name
        CAIRN_GUARDED_BY(mutex);
    std::unique_ptr<NodeAccount> shared CAIRN_GUARDED_BY(mutex);
    std::vector<NodeAccount*> to_settle CAIRN_GUARDED_BY(mutex);
  };
  static constexpr std::size_t shard_count = 64;

  NodeAccounts(std::size_t most, std::size_t stores) : most_(most), stores_(stores) {}

  Shard& shard_of(std::string_view name);
  Shard& shard(std::size_t i) { return shards_[i]; }
  /// The account of `name` in its shard, made if need be.
  NodeAccount& account(Shard& shard, std::string_view name, std::int64_t now_ms)
      CAIRN_REQUIRES(shard.mutex);
  NodeAccount* find(Shard& shard, std::string_view name) CAIRN_REQUIRES(shard.mutex);
  /// Forgets idle accounts of one shard that were not seen since `before_ms`.
  void sweep(Shard& shard, std::int64_t now_ms, std::int64_t before_ms) CAIRN_REQUIRES(shard.mutex);
  /// With each shard's lock held.
  void for_each(const std::function<void(NodeAccount&)>& visit);
  std::string tag_of(std::string_view name) const;

 private:
  std::unique_ptr<NodeAccount> make(std::string_view name) const;
  const std::size_t most_;
  const std::size_t stores_;
  std::array<Shard, shard_count> shards_;
};

}  // namespace cairn::ratelimit
