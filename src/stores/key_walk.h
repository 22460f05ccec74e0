// SPDX-License-Identifier: Apache-2.0
// Walks the keys of a folder in the order of their bytes, opening only directories on the way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/files/files.h"

namespace cairn::stores {

/// A cursor as store::fold_keys wants it. For one thread. Keys that come and go meanwhile are shown
/// or not; all others are shown.
class KeyWalk {
 public:
  KeyWalk(os::Files& files, std::string root) : files_(files), root_(std::move(root)) {}
  void seek(std::string_view key);
  void next();
  bool valid() const { return valid_; }
  std::string_view key() const { return key_; }
  const os::FileInfo& info() const { return info_; }
  Status status() const { return status_; }

 private:
  struct Entry {
    std::string text;
    std::string name;
    bool is_file;
  };
  struct Level {
    std::string path;
    std::string key;  // what all keys below start with
    std::vector<Entry> entries;
    std::size_t at = 0;
  };
  void enter(std::string path, std::string key);
  void settle();

  os::Files& files_;
  std::string root_;
  std::vector<Level> levels_;
  std::string bound_;
  bool valid_ = false;
  std::string key_;
  os::FileInfo info_;
  Status status_ = ok_status();
};

}  // namespace cairn::stores
