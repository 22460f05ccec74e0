// SPDX-License-Identifier: Apache-2.0
// Files that lie twice: every change is made in both folders of a mirror, and what is read comes
// from one of them, or from the other where that one cannot give it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "os/files/files.h"
#include "os/mirror/mirror_sides.h"

namespace cairn::os {

/// Paths below the root of the sides mean the file in both folders; all others are as of the files
/// below. A change succeeds when every folder that takes part has it; one that fails alone is put
/// aside, and the change succeeds. A sync has ended on both when it returns. Safe from any thread.
class MirroredFiles final : public Files {
 public:
  /// `sides` outlives it, and every file of it.
  explicit MirroredFiles(MirrorSides& sides) : sides_(sides) {}

  MirrorSides& sides() { return sides_; }

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
  Result<std::unique_ptr<File>> create_unnamed(const std::string& directory) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& path) override;
  Status make_directories(const std::string& path, unsigned mode) override;
  Status remove_directory(const std::string& path) override;
  Status sync_directory(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& directory) override;
  Result<FileInfo> info(const std::string& path) override;
  Result<std::unique_ptr<File>> lock(const std::string& path) override;
  Result<std::uint64_t> free_bytes(const std::string& path) override;

 private:
  template <class T>
  Result<T> look(const std::string& path, const std::function<Result<T>(int)>& step);
  Result<std::unique_ptr<File>> open_to_read(const std::string& path);
  Status unlink(const std::function<Status(int)>& step);
  MirrorSides& sides_;
};

/// The two folders that these files lie in; null for files that lie once.
MirrorSides* sides_of(Files& files);

}  // namespace cairn::os
