// SPDX-License-Identifier: Apache-2.0
// What a bucket lacks of a bucket in another store, version by version.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cairn::cli {

/// A version of an object as listings have it, or a delete marker.
struct ListedVersion {
  std::string version_id = {};  // empty where versions are not asked for
  std::string etag = {};        // without quotes
  std::uint64_t size = 0;
  std::int64_t modified_ms = 0;
  bool is_marker = false;
};

/// All of one key, the oldest first.
struct KeyHistory {
  std::string key;
  std::vector<ListedVersion> versions = {};
};

/// What is to be done for one key.
struct ImportPlan {
  std::size_t first = 0;     // of the source's versions; those from here on are missing
  std::string refusal = {};  // why none of them can come; empty where they can
};

/// With versions: what the target has must be the beginning of what the source has. ETags of
/// objects that were uploaded in parts differ from store to store, then the size decides.
ImportPlan plan_versions(const KeyHistory& source, const KeyHistory& target);
/// Without: the one that is there goes where its size is another one, or where it is newer.
ImportPlan plan_current(const KeyHistory& source, const KeyHistory& target);

}  // namespace cairn::cli
