// SPDX-License-Identifier: Apache-2.0
// Extent files: one large body or part each, written once, synced, named, and never changed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "objectstore/extents/directory_sync.h"
#include "objectstore/extents/extent_reader.h"
#include "objectstore/extents/extent_writer.h"
#include "objectstore/extents/verified_extents.h"
#include "objectstore/records.h"
#include "os/clock.h"
#include "os/files/files.h"

namespace cairn::objectstore {

/// The folder of extent files. Safe from any thread.
class Extents {
 public:
  struct Options {
    std::string directory;
    std::string temporary;
    std::uint64_t cached_bytes_max = UINT64_MAX;  // what is larger goes around the page cache
  };
  Extents(os::Files& files, Options options, const os::Clock& clock = os::system_clock())
      : files_(files),
        directory_(std::move(options.directory)),
        temporary_(std::move(options.temporary)),
        cached_bytes_max_(options.cached_bytes_max),
        directory_sync_(files),
        verified_(clock) {}

  /// A file without a name, with space reserved where the size is known.
  Result<std::unique_ptr<ExtentWriter>> create(std::uint64_t id,
                                               std::optional<std::uint64_t> expected_bytes);
  /// Errors: corrupt for a file that is missing or shorter than `span` says.
  Result<std::unique_ptr<ExtentReader>> open(const ExtentSpan& span);
  /// The span of the file of that id, by its length. Errors: corrupt, where it is missing or has a
  /// length that none has.
  Result<ExtentSpan> span_of(std::uint64_t id);
  /// Reads all of an extent, footer and table included. Errors: corrupt.
  Status verify(const ExtentSpan& span, const Pace& pace = {});
  VerifiedExtents& verified() { return verified_; }
  /// Bytes of space that this freed; 0 where there was nothing.
  Result<std::uint64_t> remove(std::uint64_t id);
  /// The folders that files are in, by name, and the ids of the files of one.
  Result<std::vector<std::string>> folders();
  Result<std::vector<std::uint64_t>> list(const std::string& folder);
  /// Calls `each` with the id of every file, folder by folder, until it returns false.
  Status for_each(const std::function<bool(std::uint64_t)>& each);

  std::string path_of(std::uint64_t id) const;

 private:
  friend class ExtentWriter;
  std::string folder_of(std::uint64_t id) const;
  /// Names the synced file and syncs the folder.
  Status publish(os::File& file, std::uint64_t id);

  os::Files& files_;
  const std::string directory_;
  const std::string temporary_;
  const std::uint64_t cached_bytes_max_;
  DirectorySync directory_sync_;
  VerifiedExtents verified_;
  std::mutex folders_mutex_;  // held while a folder is made
};

}  // namespace cairn::objectstore
