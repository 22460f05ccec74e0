// SPDX-License-Identifier: Apache-2.0
// What a node says of itself to the others, in an object of the store that they share.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/processes/process_identity.h"

namespace cairn::nodes {

/// How the node's machine and its process are, as of the last renewal.
struct NodeFigures {
  std::int64_t pid = 0;
  std::int64_t running_ms = 0;  // at the renewal, by its steady clock
  std::uint64_t disk_total_bytes = 0;  // of the data folder's file system
  std::uint64_t disk_free_bytes = 0;
  std::uint64_t disk_available_bytes = 0;
  std::uint64_t memory_total_bytes = 0;
  std::uint64_t memory_used_bytes = 0;
  std::array<double, 3> load = {};  // of 1, 5 and 15 minutes

  friend bool operator==(const NodeFigures&, const NodeFigures&) = default;
};

struct NodeRecord {
  std::string id = {};       // of this start: drawn anew each time
  std::string node_id = {};  // of this machine and data folder: the same over restarts
  std::string name = {};     // node.name
  std::string address = {};  // where other nodes reach it, "10.0.0.2:9300"
  std::string api_address = {};  // where clients do, "10.0.0.2:9200"
  std::string version = {};  // of its program
  std::uint32_t weight = 1;  // its share of the work, beside those of others; at least 1
  std::int64_t started_ms = 0;
  bool leaving = false;       // it gives away what it owns, and goes
  bool draining = false;      // that, or it was told to give all away; not in the object
  std::uint64_t beat = 0;     // grows with each renewal
  std::string ended_by = {};  // the node that found it silent; empty while it lives
  os::ProcessIdentity process = {};
  NodeFigures figures = {};

  bool has_ended() const { return !ended_by.empty(); }
  friend bool operator==(const NodeRecord&, const NodeRecord&) = default;
};

/// JSON. Form: docs/internals/formats.md.
std::string encode(const NodeRecord& record);
/// Errors: corrupt, with the key.
Result<NodeRecord> decode_node_record(std::string_view bytes, std::string_view key);

}  // namespace cairn::nodes
