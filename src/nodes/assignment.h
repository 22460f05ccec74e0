// SPDX-License-Identifier: Apache-2.0
// What becomes of the table of owners when nodes or shards come and go. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nodes/node_record.h"
#include "nodes/ownership_table.h"

namespace cairn::nodes {

struct AssignmentOptions {
  /// How far a node's load may stand from its share before shards move, in hundredths of it.
  unsigned slack_percent = 5;
  /// How many shards may be on their way at one time.
  std::size_t moves_max = 1000;
};

/// The table as it should be, or nothing where it is so already: shards of nodes that are not among
/// `nodes` have new owners with the next epoch; what a draining node owns, and what is too much for
/// a node, has a next owner. Each node's load is its weight's share, within the slack (and one
/// shard): of the nodes that have room the one that is preferred for the shard (rendezvous.h) gets
/// it. As little moves as that takes. A shard that is not in `shards` leaves the table.
///
/// `nodes`: those that have not ended. Without any, or with draining ones alone, what needs no
/// other node stays as it is. Costs |shards| x |nodes| where much moves.
std::optional<OwnershipTable> assign(const OwnershipTable& table,
                                     const std::vector<NodeRecord>& nodes,
                                     const std::set<std::string, std::less<>>& shards,
                                     const AssignmentOptions& options = {});

}  // namespace cairn::nodes
