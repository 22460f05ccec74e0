// SPDX-License-Identifier: Apache-2.0
// Which node owns each shard: one object, replaced by compare-and-swap.
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::nodes {

/// Who may change a shard.
struct Owner {
  std::string node = {};    // id; empty: nobody yet
  std::uint64_t epoch = 0;  // grows with each owner: no two nodes have one epoch of a shard
  std::string next = {};    // whom the owner gives it to once it has finished; empty: it stays

  friend bool operator==(const Owner&, const Owner&) = default;
};

/// By the shard's name. In one piece of memory: each node reads all of it whenever it changed.
using Owners = boost::container::flat_map<std::string, Owner, std::less<>>;

struct OwnershipTable {
  std::uint64_t version = 0;  // grows with each change
  Owners shards = {};
  std::set<std::string> draining = {};  // ids of nodes that somebody told to give all away

  friend bool operator==(const OwnershipTable&, const OwnershipTable&) = default;
};

/// JSON, in which a node's id stands once. Form: docs/internals/formats.md.
std::string encode(const OwnershipTable& table);
/// Errors: corrupt, with the key.
Result<OwnershipTable> decode_ownership_table(std::string_view bytes, std::string_view key);

}  // namespace cairn::nodes
