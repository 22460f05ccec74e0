// SPDX-License-Identifier: Apache-2.0
// Files in memory for fault tests: a simulated crash forgets what was not synced, directory entries
// included; calls can be cut, refused and counted; space can be limited; bits can rot.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "os/files/files.h"

namespace cairn::os {

/// What a crash keeps of the changes that were not synced.
enum class CrashKeeps {
  nothing,  // the unkind disk
  random,   // any pages of any file, and the first few changes of any directory
};

/// What becomes of File::set_direct.
enum class DirectWrites {
  taken,                 // where memory, offset and length allow it
  refused_when_asked,    // as by file systems that know no such thing
  refused_when_written,  // as by others
  refused_half_way,      // within the second write of a file; its first half was done
};

/// Safe from any thread. Paths are as of the system; "/" and "." are there from the start.
///
/// What is durable: of a file, what it held at its last sync that succeeded; of a directory, the
/// entries at its last sync_directory. A file whose sync failed has lost the bytes of that sync for
/// good, even if a later sync succeeds, as on Linux.
class FakeFiles final : public Files {
 public:
  FakeFiles();
  ~FakeFiles() override;

  /// Calls that change something, so far: the numbers that cut_at() takes. The first is 1.
  std::uint64_t calls() const;
  /// Power fails at the change numbered `call`: it and every call after it fail with `internal`,
  /// until crash(). 0: never.
  void cut_at(std::uint64_t call);
  bool is_cut() const;
  /// Back to what is durable. Open files stay dead, locks are free, the cut and call count are
  /// reset.
  void crash(CrashKeeps keeps = CrashKeeps::nothing, std::uint64_t seed = 0);

  /// Asked before every call; an error is its answer. Names: open, unnamed, read, write, allocate,
  /// truncate, sync, publish, rename, remove, mkdir, rmdir, sync_directory, list, info, lock.
  /// Called without locks held; null for none.
  void on_call(std::function<Status(std::string_view call, const std::string& path)> fault);
  /// Writes beyond this give storage_full. Default: 1 TiB.
  void set_capacity(std::uint64_t bytes);
  std::uint64_t used_bytes() const;
  void set_direct_writes(DirectWrites how);  // default: taken
  std::uint64_t direct_bytes() const;        // written around the cache so far
  /// Turns one bit of what is stored at `offset`, as a rotting disk does. False past the end.
  bool flip_bit(const std::string& path, std::uint64_t offset);

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
  Result<std::unique_ptr<File>> create_unnamed(const std::string& directory) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status make_directories(const std::string& path, unsigned mode = 0750) override;
  Status remove_directory(const std::string& path) override;
  Status sync_directory(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& directory) override;
  Result<FileInfo> info(const std::string& path) override;
  Result<std::unique_ptr<File>> lock(const std::string& path) override;
  Result<std::uint64_t> free_bytes(const std::string& path) override;

  struct Disk;  // what the open files share with this

 private:
  std::shared_ptr<Disk> disk_;
};

}  // namespace cairn::os
