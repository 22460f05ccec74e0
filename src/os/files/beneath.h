// SPDX-License-Identifier: Apache-2.0
// Reading files of a folder that a stranger may fill, without ever leaving it: neither ".." nor a
// symbolic link nor a rename during the walk leads out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/files/access_list.h"

namespace cairn::os {

/// Whom a file belongs to, and what its mode lets whom do.
struct FileOwner {
  std::uint32_t mode = 0;  // st_mode
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};

struct BeneathEntry {
  std::string name;
  bool is_directory = false;    // a real one; links to directories are not followed
  bool is_file = false;         // a regular file, or a link to one beneath the root
  bool is_link = false;         // a symbolic link, whatever it leads to
  bool is_folder_link = false;  // one to a folder beneath the root; `fault` says so too
  bool leads_out = false;       // a link that leaves the root, whatever lies there; `fault` too
  std::uint64_t device = 0;     // of what it leads to, as the inode
  std::uint64_t inode = 0;      // with the device one pair for all names of a file
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  FileOwner owner = {};
  std::string fault = {};  // why it is neither: a link that leads out, a device, no permission
};

/// One folder, opened once. Safe from any thread.
/// Source: openat2(2) with RESOLVE_BENEATH; where the kernel refuses that call every component is
/// opened with O_NOFOLLOW instead, so that links do not work at all.
class Beneath {
 public:
  /// Errors: not_found, permission_denied, invalid_argument where it is no folder.
  static Result<std::unique_ptr<Beneath>> open(const std::string& root);
  ~Beneath();
  Beneath(const Beneath&) = delete;
  Beneath& operator=(const Beneath&) = delete;

  /// The entries of a folder, "" for the root, ascending by name, without "." and "..".
  /// Errors: as for read.
  Result<std::vector<BeneathEntry>> list(const std::string& relative) const;
  /// What an access control list says more about a file or folder than its mode does; nothing where
  /// there is none. Not known where that cannot be found out.
  std::optional<AccessList> access_list(const std::string& relative) const;
  /// A whole file. Errors: too_large past the limit; not_found; permission_denied, for a path that
  /// leads out too; invalid_argument where it is no regular file.
  Result<std::string> read(const std::string& relative, std::size_t limit_bytes) const;

 private:
  explicit Beneath(int descriptor) : root_(descriptor) {}
  int root_;
};

/// Each folder from the root of the file system to `path`, which is a real one. Errors: not_found,
/// permission_denied.
struct FolderOnTheWay {
  FileOwner owner;
  std::optional<AccessList> list = {};
};
Result<std::vector<FolderOnTheWay>> folders_on_the_way(const std::string& path);

/// The absolute path with every link resolved. Errors: not_found, permission_denied.
Result<std::string> real_path(const std::string& path);

}  // namespace cairn::os
