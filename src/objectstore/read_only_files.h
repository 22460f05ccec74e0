// SPDX-License-Identifier: Apache-2.0
// Files that can be looked at and not changed: who verifies a folder must leave it as it is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/files/files.h"

namespace cairn::objectstore {

/// Every call that would change something gives permission_denied. Locks are those of the system,
/// for files that are there. Safe from any thread.
class ReadOnlyFiles final : public os::Files {
 public:
  /// `files` outlives it.
  explicit ReadOnlyFiles(os::Files& files) : files_(files) {}

  Result<std::unique_ptr<os::File>> open(const std::string& path, os::OpenMode mode) override {
    if (mode != os::OpenMode::read) return refusal(path);
    return files_.open(path, mode);
  }
  Result<std::unique_ptr<os::File>> create_unnamed(const std::string& directory) override {
    return refusal(directory);
  }
  Status rename(const std::string& from, const std::string&) override { return refusal(from); }
  Status remove(const std::string& path) override { return refusal(path); }
  Status make_directories(const std::string& path, unsigned) override { return refusal(path); }
  Status remove_directory(const std::string& path) override { return refusal(path); }
  Status sync_directory(const std::string& path) override { return refusal(path); }
  Result<std::vector<std::string>> list(const std::string& directory) override {
    return files_.list(directory);
  }
  Result<os::FileInfo> info(const std::string& path) override { return files_.info(path); }
  Result<std::unique_ptr<os::File>> lock(const std::string& path) override {
    CAIRN_CHECK(files_.info(path));
    return files_.lock(path);
  }
  Result<std::uint64_t> free_bytes(const std::string& path) override {
    return files_.free_bytes(path);
  }

 private:
  static Error refusal(const std::string& path) {
    return {.kind = ErrorKind::permission_denied,
            .message = "[" + path + "] is only looked at and must not be changed"};
  }
  os::Files& files_;
};

}  // namespace cairn::objectstore
