// SPDX-License-Identifier: Apache-2.0
// All that an engine holds, as it was at one moment: what a backup copies while requests go on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objectstore/core/core.h"
#include "objectstore/metadata/rocks_kv.h"

namespace cairn::objectstore {

/// Files of the metadata, and extents, which are immutable. Safe from several threads at a time,
/// but for release_metadata(). The engine outlives it.
class Checkpoint {
 public:
  static Result<std::unique_ptr<Checkpoint>> take(Core& core);

  /// The format of the data folder.
  int format() const;
  /// The database that gives files and extents their names: under another id the same name may mean
  /// other bytes. A restored folder gets a new one.
  const std::string& database_id() const { return database_id_; }
  std::uint64_t starts() const { return starts_; }

  const std::vector<FrozenFiles::File>& metadata_files() const { return metadata_files_; }
  /// As FrozenFiles::read. Errors: also conflict, after release_metadata().
  Result<std::string> read_metadata(const FrozenFiles::File& file, std::uint64_t offset,
                                    std::size_t count);
  /// What compaction has replaced may go. Extents stay.
  void release_metadata() { metadata_.reset(); }

  /// Ids in ascending order: all that the metadata refer to, and perhaps some that nothing does.
  const std::vector<std::uint64_t>& extents() const { return extents_; }
  /// How long the body of an extent is. Errors: corrupt.
  Result<std::uint64_t> extent_bytes(std::uint64_t id) const;
  /// Calls `each` with the bytes of the body in order, verified, in pieces of about 256 KiB; an
  /// error of `each` ends it. Errors: corrupt.
  Status read_extent(std::uint64_t id, const std::function<Status(std::string_view)>& each) const;
  /// Errors: storage_full, where the disk got so full that extents of the checkpoint had to go.
  Status check() const;

 private:
  explicit Checkpoint(Core& core) : core_(core) {}
  Core& core_;
  std::shared_ptr<ExtentHold> hold_;
  std::unique_ptr<FrozenFiles> metadata_;
  std::vector<FrozenFiles::File> metadata_files_;
  std::string database_id_;
  std::uint64_t starts_ = 0;
  std::vector<std::uint64_t> extents_;
};

}  // namespace cairn::objectstore
