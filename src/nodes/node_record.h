// SPDX-License-Identifier: Apache-2.0
// What a node says of itself to the others, in an object of the store that they share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::nodes {

struct NodeRecord {
  std::string id = {};       // of this start: drawn anew each time
  std::string name = {};     // node.name
  std::string address = {};  // where other nodes reach it, "https://10.0.0.2:9200"
  std::string version = {};  // of its program
  std::uint32_t weight = 1;  // its share of the work, beside those of others; at least 1
  std::int64_t started_ms = 0;
  bool draining = false;      // it gives away what it owns
  std::uint64_t beat = 0;     // grows with each renewal
  std::string ended_by = {};  // the node that found it silent; empty while it lives

  bool has_ended() const { return !ended_by.empty(); }
  friend bool operator==(const NodeRecord&, const NodeRecord&) = default;
};

/// JSON. Form: docs/internals/formats.md.
std::string encode(const NodeRecord& record);
/// Errors: corrupt, with the key.
Result<NodeRecord> decode_node_record(std::string_view bytes, std::string_view key);

}  // namespace cairn::nodes
