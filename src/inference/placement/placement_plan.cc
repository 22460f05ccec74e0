// SPDX-License-Identifier: Apache-2.0
#include "inference/placement/placement_plan.h"

#include <algorithm>
#include <tuple>

#include "base/hash.h"

namespace cairn::inference {
namespace {

constexpr std::uint64_t loading_factor = 2;  // files, and what becomes of them

struct NodeLoad {
  PlacementNode* node = nullptr;  // null: this one
  std::int64_t processors = 1;
  std::int64_t threads = 0;  // of the allocations that it has
};

bool has_room(const NodeLoad& at, const PlacedDeployment& deployment) {
  return at.node == nullptr || at.node->models.contains(deployment.model_id) ||
         at.node->memory_bytes / loading_factor >= deployment.model_bytes;
}

void take_room(PlacementNode& node, const PlacedDeployment& deployment) {
  if (!node.models.insert(deployment.model_id).second) return;
  node.memory_bytes -= std::min(node.memory_bytes, deployment.model_bytes * loading_factor);
}

/// Which of two nodes with as much to do comes first differs from deployment to deployment.
std::uint64_t preference(const NodeLoad& at, const PlacedDeployment& deployment) {
  return at.node == nullptr ? 0 : fast_hash(deployment.id, fast_hash(at.node->id)) | 1U;
}

/// Whether the processors of `a` would have less to do than those of `b`.
bool is_freer(const NodeLoad& a, const NodeLoad& b, const PlacedDeployment& deployment) {
  const std::int64_t left = (a.threads + deployment.threads) * b.processors;
  const std::int64_t right = (b.threads + deployment.threads) * a.processors;
  if (left != right) return left < right;
  return preference(a, deployment) < preference(b, deployment);
}

}  // namespace

Placement plan_placement(std::vector<PlacedDeployment> deployments,
                         std::vector<PlacementNode> nodes, std::size_t own_processors) {
  std::sort(deployments.begin(), deployments.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  std::vector<NodeLoad> loads;
  loads.push_back(
      {.processors = std::max<std::int64_t>(1, static_cast<std::int64_t>(own_processors))});
  for (PlacementNode& node : nodes)
    if (node.processors > 0)
      loads.push_back({.node = &node, .processors = static_cast<std::int64_t>(node.processors)});
  for (const PlacedDeployment& one : deployments) {
    const std::int64_t here =
        one.stays_here ? one.allocations : std::min<std::int64_t>(1, one.allocations);
    loads.front().threads += here * one.threads;
  }
  Placement out;
  for (const PlacedDeployment& one : deployments) {
    if (one.stays_here) continue;
    for (std::int64_t i = 1; i < one.allocations; ++i) {
      NodeLoad* best = &loads.front();
      for (NodeLoad& at : loads)
        if (has_room(at, one) && is_freer(at, *best, one)) best = &at;
      best->threads += one.threads;
      if (best->node == nullptr) continue;
      take_room(*best->node, one);
      ++out[best->node->id][one.id];
    }
  }
  return out;
}

}  // namespace cairn::inference
