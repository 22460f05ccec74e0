// SPDX-License-Identifier: Apache-2.0
// Every blob of a repository by name.
//
//   index-<N>                               generation N: the list of snapshots (JSON, zstd)
//   index.latest                            N as eight bytes, big-endian: a hint
//   pending-<uuid>                          lease of a snapshot that is being made
//   sweeping-<uuid>                         lease of a sweep, which deletes what nobody needs
//   snap-<uuid>.dat                         the snapshot: its facts and its indices
//   indices/<id>/meta-<uuid>.dat            an index as of that snapshot: name and manifest
//   indices/<id>/0/snap-<uuid>.dat          which data blobs that index needs
//   indices/<id>/0/__<object>               data: one immutable object of an index
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"

namespace cairn::snapshots::layout {

inline constexpr std::string_view latest_key = "index.latest";
inline constexpr std::string_view indices_prefix = "indices/";
inline constexpr std::string_view lease_prefix = "pending-";
inline constexpr std::string_view sweep_prefix = "sweeping-";

std::string generation_key(std::int64_t generation);
std::string lease_key(const std::string& uuid);
std::string sweep_key(const std::string& uuid);
std::string snapshot_key(const std::string& uuid);
std::string index_key(const std::string& index_id, const std::string& uuid);
std::string shard_key(const std::string& index_id, const std::string& uuid);
std::string data_key(const std::string& index_id, std::string_view object);

/// What a key stands for. Fields that a kind has no use for are empty.
struct Blob {
  enum class Kind {
    generation,
    latest,
    lease,
    sweep_lease,
    snapshot,
    index_meta,
    shard_snapshot,
    data,
    foreign
  };
  Kind kind = Kind::foreign;
  std::int64_t generation = -1;
  std::string uuid = {};      // of the snapshot, or of the sweep
  std::string index_id = {};
};
Blob parse_key(std::string_view key);

/// JSON compressed, and back. Errors: corrupt.
std::string encode(const Json& json);
Result<Json> decode(std::string_view key, std::string_view bytes);

}  // namespace cairn::snapshots::layout
