// SPDX-License-Identifier: Apache-2.0
// The data folder as a whole: who may use it, which format it has, and its directories.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "os/files.h"

namespace cairn::objectstore {

inline constexpr int data_format = 3;  // what this program writes, and the highest that it reads

/// Holds the lock of the folder while it lives.
class DataFolder {
 public:
  /// Makes the folder and its directories where they are missing, takes LOCK, reads or writes
  /// VERSION, and empties tmp/. Everything it made is durable when it returns.
  /// Errors: conflict when another process has it; unsupported for a newer format; conflict for a
  /// folder of something else.
  static Result<DataFolder> open(os::Files& files, const std::string& path);

  const std::string& path() const { return path_; }
  std::string metadata() const { return path_ + "/objects/meta"; }
  std::string extents() const { return path_ + "/objects/extents"; }
  std::string temporary() const { return path_ + "/tmp"; }

 private:
  DataFolder(std::string path, std::unique_ptr<os::File> lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  std::unique_ptr<os::File> lock_;
};

}  // namespace cairn::objectstore
