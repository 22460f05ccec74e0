// SPDX-License-Identifier: Apache-2.0
// Looks at the files of the metadata before anything opens them, and changes none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "objectstore/metadata/metadata_state.h"
#include "os/files/files.h"

namespace cairn::objectstore {

/// A file that is not what it must be.
struct FileFault {
  std::string file;
  std::uint64_t offset = 0;
  std::string reason;
  std::string advice = {};
  bool stops_start = true;  // else nothing of the database hangs on it
};

/// The end of a log that a crash cut: bytes that nobody was promised.
struct TornTail {
  std::string file;
  std::string name;
  std::uint64_t whole_bytes = 0;
  std::uint64_t fault_at = 0;
};

struct MetadataFindings {
  std::vector<FileFault> faults = {};
  std::optional<TornTail> torn = {};
  std::optional<TornTail> torn_manifest = {};
};

/// All but the tables, whose blocks RocksDB verifies as it reads them. `state` is what is known of
/// the folder; without one, as of folders of format 3 and below, files speak for themselves.
/// Reads the logs and the MANIFEST whole. Errors: those of the files.
Result<MetadataFindings> check_metadata(os::Files& files, const std::string& metadata,
                                        const std::optional<MetadataState>& state);

/// What a start says of it. Kind corrupt.
Error error_of(const FileFault& fault);

/// Makes `state` that of a folder which nobody writes any more.
Status note_files(os::Files& files, const std::string& metadata, MetadataState& state);
/// The files that are written once while the database is open.
Status note_fixed_files(os::Files& files, const std::string& metadata, MetadataState& state);

}  // namespace cairn::objectstore
