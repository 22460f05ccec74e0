// SPDX-License-Identifier: Apache-2.0
// All file access of the engine, behind an interface whose test version forgets what was not
// synced. Names are paths; a File is one open descriptor.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::os {

/// One open file. Reads and positioned writes are safe from several threads at a time.
/// Errors: storage_full for ENOSPC and EDQUOT; not_found, permission_denied; internal for EIO.
class File {
 public:
  virtual ~File() = default;
  /// Up to `count` bytes at `offset`, fewer only at the end of the file.
  virtual Result<std::size_t> read_at(std::uint64_t offset, char* into, std::size_t count) = 0;
  virtual Status write_at(std::uint64_t offset, std::string_view bytes) = 0;
  virtual Status append(std::string_view bytes) = 0;
  virtual Status allocate(std::uint64_t offset, std::uint64_t length, bool keep_size) = 0;
  virtual Status truncate(std::uint64_t size) = 0;
  virtual Status sync_data() = 0;  // fdatasync
  virtual Status sync_all() = 0;   // fsync
  virtual Result<std::uint64_t> size() = 0;
  /// The descriptor for sendfile, or -1 where there is none.
  virtual int descriptor() const = 0;
  /// Gives a file made by create_unnamed its name (linkat). Durable after the directory's sync.
  virtual Status publish(const std::string& path) = 0;
};

struct FileInfo {
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ms = 0;
  bool is_directory = false;
};

enum class OpenMode { read, read_write, create, create_exclusive, truncate, append };

class Files {
 public:
  virtual ~Files() = default;
  virtual Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode,
                                             bool direct = false) = 0;
  /// O_TMPFILE in `directory`: gone at a crash unless published.
  virtual Result<std::unique_ptr<File>> create_unnamed(const std::string& directory) = 0;
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  virtual Status remove(const std::string& path) = 0;
  virtual Status make_directories(const std::string& path) = 0;
  virtual Status remove_directory(const std::string& path) = 0;
  virtual Status sync_directory(const std::string& path) = 0;
  virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;  // names, unordered
  virtual Result<FileInfo> info(const std::string& path) = 0;
  /// Takes the lock on `path` for this process until the returned File closes. conflict if held.
  virtual Result<std::unique_ptr<File>> lock(const std::string& path) = 0;
  virtual Result<std::uint64_t> free_bytes(const std::string& path) = 0;
};

/// The operating system's files. One for the process.
Files& system_files();

/// The whole file, at most `limit_bytes` (too_large beyond). Opens, reads, closes.
Result<std::string> read_file(Files& files, const std::string& path, std::size_t limit_bytes);
/// Replaces `path` so that after a crash it holds the old or the new bytes, never a mixture:
/// writes beside it, syncs, renames, syncs the directory. `mode` as in chmod.
Status replace_file(const std::string& path, std::string_view bytes, unsigned mode);

}  // namespace cairn::os
