// SPDX-License-Identifier: Apache-2.0
// The folders beneath which files may be read.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace cairn::connectors {

/// Which folders, and where that is written, for those who want to change it.
struct RootsInUse {
  std::vector<std::string> roots;
  std::string origin = {};  // of the setting: "default", "cairn.yaml:12", a variable, a flag
  std::string drop_in_folder = {};  // whose files are read after the one of the configuration
};

/// Safe from any thread. A run that has begun goes on with the folder that it opened.
class FolderRoots {
 public:
  explicit FolderRoots(std::vector<std::string> roots) : in_use_{.roots = std::move(roots)} {}

  std::vector<std::string> get() const { return in_use().roots; }
  RootsInUse in_use() const {
    const std::lock_guard lock(mutex_);
    return in_use_;
  }
  void set(RootsInUse roots) {
    const std::lock_guard lock(mutex_);
    in_use_ = std::move(roots);
  }

 private:
  mutable std::mutex mutex_;
  RootsInUse in_use_;
};

/// Roots that stay.
inline std::shared_ptr<const FolderRoots> fixed_roots(std::vector<std::string> roots) {
  return std::make_shared<const FolderRoots>(std::move(roots));
}

}  // namespace cairn::connectors
