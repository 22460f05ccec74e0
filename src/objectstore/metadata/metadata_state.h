// SPDX-License-Identifier: Apache-2.0
// What must lie in the folder of the metadata: a small file beside it, so that what is lost, cut or
// changed there is known to be.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/files/files.h"

namespace cairn::objectstore {

/// A file as it was when nobody wrote it any more.
struct FileSum {
  static constexpr std::size_t block_bytes = 4096;
  std::uint64_t size_bytes = 0;
  std::vector<std::uint32_t> blocks = {};  // CRC-32C of each block
};

FileSum sum_of(std::string_view bytes);

/// A log, or a MANIFEST.
struct GrowingFile {
  std::uint64_t least_bytes = 0;
  bool closed = false;  // nothing was appended beyond that
};

struct MetadataState {
  bool has_database = false;  // so its loss is a loss
  bool clean = false;         // nothing was written since it was stopped in order
  bool cut_short = false;     // a log lost its end since it was stopped in order
  std::uint64_t starts = 0;
  std::map<std::string, GrowingFile> growing = {};
  std::map<std::string, FileSum> fixed = {};         // with `clean`, all but the tables
  std::map<std::string, std::uint64_t> tables = {};  // with `clean`: how long each is
};

/// Text that ends with its own CRC-32C. Form: docs/internals/formats.md.
std::string encode(const MetadataState& state);
/// Errors: corrupt.
Result<MetadataState> decode_metadata_state(std::string_view text);

/// Where the state of the metadata in `metadata` lies.
std::string metadata_state_path(const std::string& metadata);
/// Errors: not_found; corrupt, with what to do.
Result<MetadataState> read_metadata_state(os::Files& files, const std::string& metadata);

/// The state in memory and in its file. Safe from any thread; calls that say so write the file and
/// block.
class MetadataStateFile {
 public:
  /// Both outlive it.
  MetadataStateFile(os::Files& files, std::string path) : files_(files), path_(std::move(path)) {}

  MetadataState state() const;
  /// What was read from the file.
  void load(MetadataState state);
  /// Durable when it returns.
  Status change(const std::function<void(MetadataState&)>& change);
  /// A log is there with that many bytes. Durable.
  Status log_begins(const std::string& name, std::uint64_t bytes);
  /// Nothing comes behind `bytes`. Durable.
  Status log_ends(const std::string& name, std::uint64_t bytes);
  /// The file will be removed: nobody misses it. Durable, where it was known.
  Status forget(const std::string& name);
  /// A MANIFEST was synced with that many bytes. Writes the file; where that fails the log says so.
  void manifest_synced(const std::string& name, std::uint64_t bytes);

 private:
  Status save();
  os::Files& files_;
  const std::string path_;
  mutable std::mutex mutex_;
  MetadataState state_;
};

}  // namespace cairn::objectstore
