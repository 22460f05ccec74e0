// SPDX-License-Identifier: Apache-2.0
// Groups of regions that share accounts, and the end of their host names.
#pragma once

#include <string_view>

namespace cairn::objectclient {

struct Partition {
  std::string_view name;        // "aws"
  std::string_view dns_suffix;  // "amazonaws.com"
};

/// The partition of a region: by its name where it is known, else by its form ("cn-…-1"), else the
/// first. Source: the regions and partitions that the vendor publishes for its SDKs.
const Partition& partition_of(std::string_view region);

}  // namespace cairn::objectclient
