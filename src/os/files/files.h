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

struct FileInfo {
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ms = 0;
  bool is_directory = false;
  std::int64_t modified_ns = 0;  // since 1970; as fine as the file system keeps it
  std::uint64_t id = 0;          // the inode; a new file may get the id of a removed one
};

inline constexpr std::size_t direct_alignment = 4096;

/// One open file. Reads and positioned writes are safe from several threads at a time; append,
/// truncate and publish are for one thread.
/// Errors: storage_full for ENOSPC and EDQUOT; not_found, permission_denied; unavailable when the
/// process has no descriptor left; internal for EIO.
class File {
 public:
  virtual ~File() = default;
  /// Up to `count` bytes at `offset`, fewer only at the end of the file.
  virtual Result<std::size_t> read_at(std::uint64_t offset, char* into, std::size_t count) = 0;
  virtual Status write_at(std::uint64_t offset, std::string_view bytes) = 0;
  /// At the end as this File knows it: the size when opened, and what it appended since.
  virtual Status append(std::string_view bytes) = 0;
  /// Reserves space on the disk; with keep_size the file does not seem longer for it.
  virtual Status allocate(std::uint64_t offset, std::uint64_t length, bool keep_size) = 0;
  virtual Status truncate(std::uint64_t size) = 0;
  virtual Status sync_data() = 0;  // fdatasync
  virtual Status sync_all() = 0;   // fsync
  virtual Result<std::uint64_t> size() = 0;
  virtual Result<FileInfo> info() = 0;
  virtual Status set_modified_ns(std::int64_t unix_ns) = 0;
  /// What is read and written from now on goes around the page cache (O_DIRECT), or through it
  /// again. Around it, memory, offsets and lengths must be multiples of direct_alignment, else
  /// invalid_argument. False where that is not to be had; some file systems refuse at the first
  /// write instead, with invalid_argument. For the thread that appends.
  virtual bool set_direct(bool direct) = 0;
  /// The descriptor for sendfile, or -1 where there is none.
  virtual int descriptor() const = 0;
  /// Gives a file made by create_unnamed its name (linkat). Durable after the directory's sync.
  /// Errors: already_exists.
  virtual Status publish(const std::string& path) = 0;
};

/// read and read_write need the file; create and append make it where it is not.
enum class OpenMode { read, read_write, create, create_exclusive, truncate, append };

/// Safe from any thread. Errors as those of File.
class Files {
 public:
  virtual ~Files() = default;
  virtual Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) = 0;
  /// O_TMPFILE in `directory`: gone when closed or at a crash unless published. Where the file
  /// system has no such files, a file named ".unnamed-*" that a crash may leave behind.
  virtual Result<std::unique_ptr<File>> create_unnamed(const std::string& directory) = 0;
  /// Replaces what is at `to`.
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  virtual Status remove(const std::string& path) = 0;
  /// All that are missing on the way; `mode` as in chmod, for those that it makes.
  virtual Status make_directories(const std::string& path, unsigned mode = 0750) = 0;
  virtual Status remove_directory(const std::string& path) = 0;
  virtual Status sync_directory(const std::string& path) = 0;
  virtual Result<std::vector<std::string>> list(
      const std::string& directory) = 0;  // names, unordered
  virtual Result<FileInfo> info(const std::string& path) = 0;
  /// Takes the lock on `path` for this process until the returned File closes. conflict if held.
  virtual Result<std::unique_ptr<File>> lock(const std::string& path) = 0;
  virtual Result<std::uint64_t> free_bytes(const std::string& path) = 0;
};

/// The operating system's files. One for the process.
Files& system_files();
/// The same below one directory: every path is relative to `root`, and one that has "..", or meets
/// a symbolic link on its way, gives permission_denied. Errors: not_found, for the root.
Result<std::unique_ptr<Files>> rooted_files(const std::string& root);

/// Makes all directories of `path` that are missing, each durable in its parent.
Status make_directories_durably(Files& files, const std::string& path, unsigned mode = 0750);

/// The whole file, at most `limit_bytes` (too_large beyond). Opens, reads, closes.
Result<std::string> read_file(Files& files, const std::string& path, std::size_t limit_bytes);
/// Replaces `path` so that after a crash it holds the old or the new bytes, never a mixture:
/// writes beside it, syncs, renames, syncs the directory. `mode` as in chmod.
Status replace_file(const std::string& path, std::string_view bytes, unsigned mode);
/// The same through `files`, with mode 0640.
Status replace_file(Files& files, const std::string& path, std::string_view bytes);

}  // namespace cairn::os
