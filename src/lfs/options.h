// SPDX-License-Identifier: Apache-2.0
// What can be set about large files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace cairn::lfs {

struct Options {
  /// Where clients reach the routes of this room, as "https://cairn.example.com"; a path stands
  /// before those of the routes. Empty: as the request came (its Host, and its scheme).
  std::string public_url = {};
  /// Where clients reach the object service; a path is one that a proxy takes away. Empty: the
  /// address of its listener.
  std::string objects_public_url = {};
  /// Repositories that anybody may read, without a key: "acme/models", "acme/*".
  std::vector<std::string> public_repositories = {};
  std::size_t batch_objects_max = 100;
  std::int64_t url_lifetime_ms = 3'600'000;
  std::uint64_t object_bytes_max = 5ull << 30;  // one PUT of the object service takes no more

  /// Errors: invalid_argument, with the setting.
  Status validate() const;
};

}  // namespace cairn::lfs
