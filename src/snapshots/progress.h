// SPDX-License-Identifier: Apache-2.0
// How far a snapshot is: what it refers to, what of that it has to write, and what it has written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/threads.h"
#include "format/json.h"

namespace cairn::snapshots {

/// Data blobs and their bytes.
struct BlobCount {
  std::uint64_t blobs = 0;
  std::uint64_t bytes = 0;
  void add(const BlobCount& more) { blobs += more.blobs, bytes += more.bytes; }
  bool operator==(const BlobCount&) const = default;
};

/// One index of a snapshot.
struct IndexStatus {
  enum class Stage { waiting, copying, done, failed };
  Stage stage = Stage::waiting;
  BlobCount total = {};  // that the snapshot refers to
  /// Of these, those that this snapshot wrote or will; nothing where that is not known.
  std::optional<BlobCount> incremental = BlobCount{};
  BlobCount processed = {};   // written so far
  std::int64_t start_ms = 0;  // 0: not begun
  std::int64_t took_ms = 0;   // until now, or its end
};

using IndexStatuses = std::map<std::string, IndexStatus>;  // by name

/// Of one snapshot that is being made: written by its thread, read by any.
class Progress {
 public:
  /// All indices by name, with what each refers to; before the first is begun.
  void plan(const std::string& index, const BlobCount& total) CAIRN_EXCLUDES(mutex_);

  /// The next ones are for one thread, about one index after the other. A snapshot that begins
  /// again begins all of them again; what it wrote before counts as written by it.
  void begin(const std::string& index, std::int64_t now_ms) CAIRN_EXCLUDES(mutex_);
  /// The repository has a blob of the index: whether this snapshot wrote it.
  bool wrote(const std::string& index, const std::string& blob) const CAIRN_EXCLUDES(mutex_);
  /// What is to be written, with what was written before, which is `written`.
  void need(const BlobCount& incremental, const BlobCount& written) CAIRN_EXCLUDES(mutex_);
  void moved(std::uint64_t bytes) CAIRN_EXCLUDES(mutex_);
  void finished(const std::string& blob) CAIRN_EXCLUDES(mutex_);
  void end(std::int64_t now_ms) CAIRN_EXCLUDES(mutex_);

  IndexStatuses at(std::int64_t now_ms) const CAIRN_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  IndexStatuses indices_ CAIRN_GUARDED_BY(mutex_);
  std::map<std::string, std::set<std::string>> written_ CAIRN_GUARDED_BY(mutex_);  // by index
  std::string current_ CAIRN_GUARDED_BY(mutex_);
};

/// As the manifest of a snapshot that has ended keeps it, and back; nothing where it has none of
/// it, or damage.
Json to_json(const IndexStatuses& indices);
std::optional<IndexStatuses> statuses_of(const Json& manifest);
inline constexpr std::string_view statuses_member = "copied";

}  // namespace cairn::snapshots
