// SPDX-License-Identifier: Apache-2.0
// The list of what an index consists of, and the one object that says which list counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/engine/log_format.h"

namespace cairn::index {

struct ObjectEntry {
  std::string name;  // "seg/<ulid>.seg", "del/<ulid>.<version>.del"
  std::uint64_t size_bytes = 0;
  std::uint32_t crc32c = 0;
};

struct SegmentEntry {
  ObjectEntry object;
  std::uint64_t hot_offset = 0;
  std::uint32_t documents = 0;
  std::uint32_t deleted = 0;
  ObjectEntry deletes = {};  // name empty: none
};

struct Manifest {
  std::uint64_t version = 0;
  std::string name, uuid;  // of the index
  std::int64_t created_ms = 0;
  Json mapping;
  Json settings;
  std::vector<SegmentEntry> segments;
  std::int64_t max_seq_no = -1;
  LogPosition floor;  // what the log holds up to here is in the segments
  std::string note = {};  // of Index::follow, as of these segments; UTF-8

  Json to_json() const;
  static Result<Manifest> from_json(const Json& json, std::string_view key);
};

/// The text of the object "manifest/<version>-<checksum>.mf", and its name.
std::string encode_manifest(const Manifest& manifest);
std::string manifest_name(const Manifest& manifest, std::string_view bytes);
/// Checks the bytes against the name. Errors: corrupt.
Result<Manifest> decode_manifest(std::string_view bytes, std::string_view name,
                                 std::string_view key);

/// The object CURRENT.
struct Current {
  std::uint64_t epoch = 0;    // grows with each owner
  std::uint64_t version = 0;  // grows with each change
  std::string writer;         // which process wrote it: random, as hexadecimal digits
  std::string manifest;       // name of the manifest

  std::string encode() const;
  static Result<Current> decode(std::string_view bytes, std::string_view key);
};

/// Deleted documents as an object: differences between their numbers, compressed.
class BitSet;
std::string encode_deletes(const BitSet& deleted);
Result<BitSet> decode_deletes(std::string_view bytes, std::uint32_t documents,
                              std::string_view key);

}  // namespace cairn::index
