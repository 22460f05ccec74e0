// SPDX-License-Identifier: Apache-2.0
// Being told that something changed in folders, instead of looking again and again.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>

#include "base/result.h"

namespace cairn::os {

/// Folders that are watched, each without those in it. For one thread.
/// Source: inotify(7). It tells of changes through this machine's kernel only, not of those that
/// another machine makes on a network file system.
class FolderWatch {
 public:
  /// What happened since it was asked last.
  struct News {
    bool files = false;  // a file was written and closed, came, went, or may be read by others now
    bool folders = false;  // a folder came, went or moved: which are to be watched has changed
    bool lost = false;     // so much that the kernel dropped some of it
  };

  /// Watches `most` folders at most. Errors: unavailable where the user has no inotify instance
  /// left.
  static Result<std::unique_ptr<FolderWatch>> open(std::size_t most);
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  /// A round names all folders that are to be watched; those of earlier rounds that it does not
  /// name are watched no more once it ends.
  void begin_round();
  /// Symbolic links are not followed at the end of the path. Errors: storage_full past `most`, or
  /// past what the kernel lets this user watch (fs.inotify.max_user_watches); not_found;
  /// permission_denied.
  Status add(const std::string& folder);
  void end_round();
  std::size_t watched() const { return watches_.size(); }

  /// Without waiting.
  News take();

 private:
  FolderWatch(int descriptor, std::size_t most) : descriptor_(descriptor), most_(most) {}
  int descriptor_;
  std::size_t most_;
  std::set<int> watches_;  // descriptors of watches
  std::set<int> round_;    // those of the round at hand
};

}  // namespace cairn::os
