// SPDX-License-Identifier: Apache-2.0
#include "nodes/rendezvous.h"

#include <cmath>

#include "base/hash.h"

namespace cairn::nodes {

double score(std::string_view shard, std::string_view node, std::uint32_t weight) {
  const std::uint64_t hash = fast_hash(shard, fast_hash(node));
  // Between 0 and 1, and neither of them.
  const double drawn = (static_cast<double>(hash >> 11) + 0.5) * 0x1p-53;
  return -static_cast<double>(weight) / std::log(drawn);
}

}  // namespace cairn::nodes
