// SPDX-License-Identifier: Apache-2.0
// Gives one folder of a mirror what it lacks, while changes go on.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/mirror/mirror_copy.h"
#include "os/mirror/mirror_sides.h"

namespace cairn::os {

/// What a filling compares, and leaves out.
struct MirrorRules {
  /// How many bytes at the end of a file of that length tell whether two are the same: all, but of
  /// files that end with checksums of what is before. `path` counts from the root.
  std::function<std::uint64_t(std::string_view path, std::uint64_t size)> told_by = {};
  /// Names in the root that belong to one folder, or can be made anew. The locks and the marker
  /// always do.
  std::vector<std::string> left_out = {};
};

struct FillProgress {
  std::atomic<std::uint64_t> compared_files = 0;
  std::atomic<std::uint64_t> copied_files = 0;
  std::atomic<std::uint64_t> copied_bytes = 0;
  std::atomic<std::uint64_t> removed_files = 0;
};

/// From the first step on the target takes every change; files that are open for writing are copied
/// up to where they are and go on in both folders; all others are compared one by one, and copied
/// beside their place. What is renamed before it was copied is owed, and copied at the end. While
/// changes are stopped for a moment, nothing being owed, the target becomes whole.
///
/// Until then its marker says that it is not: a crash leaves that, and the next filling goes on
/// from what is there.
class MirrorFill {
 public:
  MirrorFill(MirrorSides& sides, int target, const MirrorRules& rules, MirrorPace pace,
             FillProgress& progress)
      : sides_(sides),
        target_(target),
        rules_(rules),
        pace_(std::move(pace)),
        progress_(progress) {}

  /// Blocks until the target is whole. Errors: those of the files and of `pace`; conflict, where
  /// the target was put aside meanwhile.
  Status run();

 private:
  int source() const { return 1 - target_; }
  Status begin();
  Status still_filling() const;
  Status attach_open();
  Status attach(OpenParts& parts);
  Status walk(const std::string& folder);
  Status keep_directory(const std::string& folder);
  Status drop_strange(const std::string& folder, const std::vector<std::string>& names);
  Status drop(const std::string& path);
  Status keep_file(const std::string& path);
  Status copy(const std::string& path);
  Result<bool> finish();
  bool is_left_out(const std::string& folder, const std::string& name) const;
  std::uint64_t told_by(const std::string& path, std::uint64_t size) const;
  Status paced(std::uint64_t bytes);

  MirrorSides& sides_;
  const int target_;
  const MirrorRules& rules_;
  const MirrorPace pace_;
  FillProgress& progress_;
};

}  // namespace cairn::os
