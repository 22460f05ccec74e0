// SPDX-License-Identifier: Apache-2.0
// Resource names: arn:partition:service:region:account:resource.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::objectclient {

struct Arn {
  std::string partition;
  std::string service;
  std::string region;                 // empty where the resource is in all of them
  std::string account_id;             // may be empty
  std::vector<std::string> resource;  // split at ':' and '/'; at least one part

  /// A part of the resource; nothing past the end.
  std::optional<std::string_view> part(std::size_t i) const {
    return i < resource.size() ? std::optional<std::string_view>(resource[i]) : std::nullopt;
  }
};

/// Nothing for a text that is no ARN: six fields, of which "arn", partition, service and resource
/// are not empty.
std::optional<Arn> parse_arn(std::string_view text);

}  // namespace cairn::objectclient
