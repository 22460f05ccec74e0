// SPDX-License-Identifier: Apache-2.0
// Which nodes are preferred for a shard: everybody who knows the same nodes finds the same order,
// and a node that comes or goes changes the places of no others.
#pragma once

#include <cstdint>
#include <string_view>

namespace cairn::nodes {

/// Rendezvous hashing with weights: of several nodes the one with the highest score is preferred,
/// and is so for a share of all shards that is its weight's part. Pure. Two machines may differ in
/// the last bit, so it advises, and decides nothing.
double score(std::string_view shard, std::string_view node, std::uint32_t weight);

}  // namespace cairn::nodes
