// SPDX-License-Identifier: Apache-2.0
// Two folders that hold the same, so that one lost disk loses nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/mirror/mirror_copy.h"
#include "os/mirror/mirror_fill.h"
#include "os/mirror/mirror_sides.h"
#include "os/mirror/mirror_todo.h"
#include "os/mirror/mirrored_files.h"

namespace cairn::os {

struct MirrorOptions {
  std::string first;        // data.dir
  std::string second = {};  // data.mirror; empty: the first alone, of what was a mirror
  std::uint64_t full_bytes = 0;
  std::size_t threads = 8;  // that write and sync the second folder beside the first
  MirrorRules rules = {};
};

struct MirrorSideStatus {
  std::string folder;
  SideState state = SideState::away;
  std::string reason = {};  // why it is away
};

struct MirrorStatus {
  std::array<MirrorSideStatus, 2> sides;  // that of data.dir, that of data.mirror
  std::uint64_t compared_files = 0;       // of the filling at hand, or the last one
  std::uint64_t copied_files = 0;
  std::uint64_t copied_bytes = 0;
};

/// Holds the locks of the folders that are there while it lives. Outlives all files of files().
class Mirror {
 public:
  /// Whether that folder was part of a mirror. Costs a look.
  static Result<bool> has_marker(Files& files, const std::string& folder);

  /// What open() would find, without changing or locking anything. Errors: those of open().
  static Result<MirrorVerdict> look(Files& below, const std::string& first,
                                    const std::string& second);
  /// Looks at both folders, locks them, says which of them is whole, and writes that down. Folders
  /// that are to be filled are away until fill().
  /// Errors: conflict, where a process has one of them, one holds something else, or the mirror is
  /// split; unavailable, where only one is there that is not whole; corrupt; those of the files.
  static Result<std::unique_ptr<Mirror>> open(Files& below, Random& random,
                                              const MirrorOptions& options);
  /// Of a mirror that nobody runs: that folder's contents count from now on, and those of `other`
  /// are behind it. Errors: conflict, where a process has one of them; not_found; unavailable,
  /// where it was not whole.
  static Status keep(Files& below, Random& random, const std::string& folder,
                     const std::string& other);

  /// Below root(), which is the folder that is read.
  Files& files() { return files_; }
  const std::string& root() const { return sides_.root(); }
  MirrorSides& sides() { return sides_; }
  MirrorStatus status() const;
  bool is_one_folder() const { return second_.empty(); }

  /// The folder that takes no part, if any that could be filled now.
  std::optional<int> lacking() const;
  /// Looks at that folder again, as at a start, locks it, and gives it what it lacks; then it
  /// counts as whole. Blocks; for one thread at a time. Errors: those of open(), of MirrorFill.
  Status fill(int side, const MirrorPace& pace);
  /// Puts a folder aside on purpose. Errors: conflict, where the other one is not whole.
  Status leave(int side);
  /// Looks whether both folders are still there. Cheap.
  void look_after();

 private:
  Mirror(Files& below, Random& random, const MirrorOptions& options, MirrorSides::Params params)
      : second_(options.second),
        rules_(options.rules),
        sides_(below, random, std::move(params)),
        files_(sides_) {}

  const std::string second_;
  const MirrorRules rules_;
  MirrorSides sides_;
  MirroredFiles files_;
  FillProgress progress_;
};

}  // namespace cairn::os
