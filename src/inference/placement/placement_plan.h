// SPDX-License-Identifier: Apache-2.0
// On which nodes the allocations of deployments are. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace cairn::inference {

/// A deployment that may have allocations on other nodes.
struct PlacedDeployment {
  std::string id = {};
  std::string model_id = {};
  std::uint64_t model_bytes = 0;
  std::int64_t allocations = 0;
  std::int64_t threads = 1;  // of one allocation
  bool stays_here = false;   // all of its allocations are on this node
};

/// Another node.
struct PlacementNode {
  std::string id = {};
  std::size_t processors = 0;
  std::uint64_t memory_bytes = 0;     // that models may still take
  std::set<std::string> models = {};  // that are in its memory
};

/// Allocations on other nodes, by node and deployment. What is in neither is on this node.
using Placement = std::map<std::string, std::map<std::string, std::int64_t>>;

/// Gives each allocation to the node whose processors have least to do, this one before others. The
/// first of each deployment is here. A node takes no model that its memory does not hold while it
/// is loaded (twice its size). The same for the same arguments, whatever their order; a node more
/// or less moves what it must alone, mostly.
Placement plan_placement(std::vector<PlacedDeployment> deployments,
                         std::vector<PlacementNode> nodes, std::size_t own_processors);

}  // namespace cairn::inference
