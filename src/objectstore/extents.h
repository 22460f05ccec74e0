// SPDX-License-Identifier: Apache-2.0
// Extent files: one large body or part each, written once, synced, named, and never changed.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "objectstore/records.h"
#include "os/clock.h"
#include "os/files.h"

namespace cairn::objectstore {

inline constexpr std::size_t extent_block_bytes = 64 << 10;  // what one checksum covers

/// Syncs directories so that callers who ask at one time share one sync.
class DirectorySync {
 public:
  explicit DirectorySync(os::Files& files);
  ~DirectorySync();
  /// Returns when a sync that began after this call has ended.
  Status sync(const std::string& path);

 private:
  struct Round;
  Round& round_of(const std::string& path);

  os::Files& files_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Round>> rounds_;
};

/// When extents were last read and verified from end to end: the moment at which that began.
/// Bounded; forgets the oldest first. Safe from any thread.
class VerifiedExtents {
 public:
  explicit VerifiedExtents(const os::Clock& clock) : clock_(clock) {}
  void mark(std::uint64_t id, std::int64_t since_ns);
  std::int64_t now_ns() const { return clock_.steady_ns(); }
  bool is_fresh(std::uint64_t id, std::int64_t within_ms) const;

 private:
  const os::Clock& clock_;
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::int64_t> times_ns_;
  std::deque<std::uint64_t> ages_;  // the ids as they came
};

/// Told of bytes that were just read; may wait. An error ends the reading.
using Pace = std::function<Status(std::uint64_t bytes)>;

class ExtentWriter;
class ExtentReader;

/// The folder of extent files. Safe from any thread.
class Extents {
 public:
  Extents(os::Files& files, std::string directory, std::string temporary,
          const os::Clock& clock = os::system_clock())
      : files_(files),
        directory_(std::move(directory)),
        temporary_(std::move(temporary)),
        directory_sync_(files),
        verified_(clock) {}

  /// A file without a name, with space reserved where the size is known.
  Result<std::unique_ptr<ExtentWriter>> create(std::uint64_t id,
                                               std::optional<std::uint64_t> expected_bytes);
  /// Errors: corrupt for a file that is missing or shorter than `span` says.
  Result<std::unique_ptr<ExtentReader>> open(const ExtentSpan& span);
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
  DirectorySync directory_sync_;
  VerifiedExtents verified_;
  std::mutex folders_mutex_;  // held while a folder is made
};

/// Writes one extent. For one thread. Dropped before finish() it leaves nothing behind.
class ExtentWriter {
 public:
  ExtentWriter(Extents& extents, std::unique_ptr<os::File> file, std::uint64_t id,
               std::uint64_t reserved);
  Status write(std::string_view bytes);
  /// Makes the file whole and durable under its name: table, footer, sync, name, folder.
  Result<ExtentSpan> finish();
  std::uint64_t id() const { return id_; }

 private:
  Status put(std::string_view blocks);
  Status reserve(std::uint64_t end);
  void begin_to_write_back();

  Extents& extents_;
  std::unique_ptr<os::File> file_;
  std::uint64_t id_;
  std::uint64_t reserved_;
  std::uint64_t size_ = 0;       // bytes of the body taken so far
  std::uint64_t going_out_ = 0;  // of them, what the disk was asked to take
  std::string buffer_;           // whole blocks that were not written yet, and the one being filled
  std::string table_;            // checksums of the blocks
};

/// Reads one extent and lets nothing out that does not verify. For one thread.
class ExtentReader {
 public:
  ExtentReader(std::unique_ptr<os::File> file, const ExtentSpan& span, std::string path,
               VerifiedExtents* verified = nullptr);
  /// The verified bytes from `offset`: at least one, at most `most` and about 256 KiB; nothing at
  /// the end. Valid until the next call. Errors: corrupt.
  Result<std::string_view> read(std::uint64_t offset, std::uint64_t most = UINT64_MAX);
  int descriptor() const { return file_->descriptor(); }

 private:
  Error corrupt(std::string_view what) const;
  void note_verified(std::uint64_t end);

  std::unique_ptr<os::File> file_;
  ExtentSpan span_;
  std::string path_;
  VerifiedExtents* verified_;
  std::uint64_t verified_to_ = 0;  // all before it was verified by this reader
  std::int64_t verified_since_ns_ = 0;
  std::string blocks_;
  std::string table_;
  std::uint64_t table_first_ = 0;  // block of the first checksum in table_
};

/// Reads all of an extent file, footer and table included. Errors: corrupt.
Status verify_extent(os::Files& files, const std::string& path, const ExtentSpan& span,
                     const Pace& pace = {});

}  // namespace cairn::objectstore
