// SPDX-License-Identifier: Apache-2.0
// A file that is only appended to and synced often: RocksDB's log of what is not in tables yet.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/files/direct_memory.h"
#include "os/files/files.h"

namespace cairn::objectstore {

/// Writes whole blocks around the page cache (O_DIRECT), which costs a copy and a walk over dirty
/// pages less for each sync; where the file system does not offer that, through the cache. The last
/// block is written again when it grows; what stood in it is written as it was, so that a power
/// failure meanwhile leaves it.
///
/// Zeros are written some way ahead of the end: a sync of bytes that lie in written blocks below
/// the file's size needs no commit of the file system's journal, which on a busy disk takes ten
/// times as long. Readers must take zeros for the end, as those of RocksDB's logs do. Until close()
/// the file ends at a multiple of zeros_ahead that is not below what was synced: so a file that
/// was cut can be told from one that was not.
///
/// For one thread at a time, but for sync(), which may run beside append(). Errors: those of
/// os::File.
class LogFile {
 public:
  static constexpr std::size_t block_bytes = os::direct_alignment;
  static constexpr std::size_t zeros_ahead = 1 << 20;

  /// Where a file ends at the least that holds that many synced bytes.
  static constexpr std::uint64_t filled_end(std::uint64_t bytes) {
    return (bytes + zeros_ahead - 1) / zeros_ahead * zeros_ahead;
  }

  /// A file of zeros_ahead zeros, which is durable but for its name. `files` outlives it.
  static Result<std::unique_ptr<LogFile>> create(os::Files& files, const std::string& path);
  /// Goes on at the end of what is there, through the page cache.
  static Result<std::unique_ptr<LogFile>> reopen(os::Files& files, const std::string& path);
  /// Gives back what was reserved or filled beyond the end, as close() does.
  ~LogFile() { (void)close(); }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  Status append(std::string_view bytes);
  Status sync_data() { return synced(file_->sync_data()); }
  Status sync_all() { return synced(file_->sync_all()); }
  /// Reserves space on the disk, which no reader sees.
  Status allocate(std::uint64_t offset, std::uint64_t length);
  Status close();
  /// Closes, and leaves the file as it is.
  void abandon() { file_ = nullptr; }

  /// Bytes that were appended.
  std::uint64_t size() const { return size_; }
  /// An append or a sync has failed: nobody knows what the file holds behind what was synced.
  bool has_failed() const { return failed_.load(std::memory_order_relaxed); }
  bool direct() const { return direct_; }

 private:
  LogFile(std::unique_ptr<os::File> file, std::uint64_t size, bool direct)
      : file_(std::move(file)), direct_(direct), size_(size), reach_(size) {}
  Status fill_to(std::uint64_t end);
  Status append_now(std::string_view bytes);
  Status synced(Status done) {
    if (!done.ok()) failed_.store(true, std::memory_order_relaxed);
    return done;
  }
  Status append_blocks(std::string_view bytes);
  char* blocks();

  std::unique_ptr<os::File> file_;
  const bool direct_;
  os::DirectMemory blocks_;  // begins with the last block, as far as it is filled
  std::uint64_t size_;       // bytes that were appended
  std::uint64_t reach_;      // bytes that the file has
  std::uint64_t reserved_ = 0;
  std::atomic<bool> failed_ = false;
};

}  // namespace cairn::objectstore
