// SPDX-License-Identifier: Apache-2.0
// What one backup consists of: the names of the pieces of every file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::backup {

inline constexpr int manifest_format = 1;  // what is written, and the highest that is read

/// A file as the pieces that it is made of, in order.
struct FileEntry {
  std::string path;  // in the data folder ("keys/master.key"), of metadata the name alone
  std::uint64_t size_bytes = 0;
  bool is_secret = false;
  std::vector<std::string> pieces = {};
};

/// An extent, likewise.
struct ExtentEntry {
  std::uint64_t id = 0;
  std::uint64_t size_bytes = 0;
  std::vector<std::string> pieces = {};
};

/// Extents whose ids share their upper bits: few lists change from one backup to the next.
struct ExtentList {
  std::uint64_t number = 0;  // id >> list_bits
  std::uint64_t count = 0;
  std::uint64_t size_bytes = 0;  // of their bodies
  std::string piece = {};        // encode_extents of them
};
inline constexpr unsigned list_bits = 16;

/// Bytes that could not be read when the backup was made.
struct DamagedExtent {
  std::uint64_t id = 0;
  std::string reason;
};

struct Manifest {
  std::string id;  // "20261127T223012Z-9f3c21": the order of ids is the order of time
  std::int64_t begun_ms = 0;
  std::int64_t ended_ms = 0;
  std::string program;
  std::string installation;
  int data_format = 0;
  std::string database_id;
  std::uint64_t starts = 0;
  std::vector<FileEntry> metadata = {};
  std::vector<ExtentList> extents = {};
  std::vector<FileEntry> files = {};          // beside the objects, in the data folder
  std::vector<FileEntry> configuration = {};  // paths relative to its folder
  std::vector<DamagedExtent> damaged = {};
  std::uint64_t new_bytes = 0;  // what this backup added to the repository
  std::uint64_t new_pieces = 0;

  std::uint64_t size_bytes() const;  // of all that is restored
};

Json to_json(const Manifest& manifest);
/// Errors: corrupt; unsupported, for a newer format.
Result<Manifest> manifest_of(const Json& json);

std::string encode_extents(const std::vector<ExtentEntry>& extents);
/// Errors: corrupt.
Result<std::vector<ExtentEntry>> decode_extents(std::string_view bytes);

}  // namespace cairn::backup
