// SPDX-License-Identifier: Apache-2.0
#include "index/engine/merge_policy.h"

#include <algorithm>
#include <map>

namespace cairn::index {
namespace {

std::uint64_t live_bytes(const MergeCandidate& c) {
  if (c.documents == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(c.bytes) *
                                    static_cast<double>(c.documents - c.deleted) /
                                    static_cast<double>(c.documents));
}

// Tier 0 is everything up to the floor; each further one reaches `factor` times as far.
std::size_t tier_of(std::uint64_t bytes, const MergePolicy& policy) {
  std::size_t tier = 0;
  for (std::uint64_t reach = policy.floor_bytes; bytes > reach; reach *= policy.factor) ++tier;
  return tier;
}

}  // namespace

std::vector<std::size_t> pick_merge(const std::vector<MergeCandidate>& candidates,
                                    const MergePolicy& policy) {
  std::map<std::size_t, std::vector<std::size_t>> tiers;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::uint64_t bytes = live_bytes(candidates[i]);
    if (bytes * 2 <= policy.max_bytes) tiers[tier_of(bytes, policy)].push_back(i);
  }
  for (auto& [tier, members] : tiers) {
    if (members.size() < policy.factor) continue;
    // The smallest first, as many as stay below the largest size.
    std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      return live_bytes(candidates[a]) < live_bytes(candidates[b]);
    });
    std::vector<std::size_t> out;
    std::uint64_t sum = 0;
    for (const std::size_t i : members) {
      if (out.size() >= policy.factor * 2) break;
      if (sum + live_bytes(candidates[i]) > policy.max_bytes) break;
      sum += live_bytes(candidates[i]);
      out.push_back(i);
    }
    if (out.size() < 2) continue;
    std::sort(out.begin(), out.end());
    return out;
  }
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].deleted > 0 &&
        std::uint64_t{candidates[i].deleted} * 3 >= candidates[i].documents)
      return {i};
  return {};
}

}  // namespace cairn::index
