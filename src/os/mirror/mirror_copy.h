// SPDX-License-Identifier: Apache-2.0
// Copies between the two folders of a mirror.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "os/mirror/mirror_sides.h"

namespace cairn::os {

/// Told of bytes that were just read or written; may wait. An error ends the work.
using MirrorPace = std::function<Status(std::uint64_t bytes)>;

/// Ends the names of files that are not whole yet.
inline constexpr std::string_view mirror_copy_ending = ".mirror-copy";

/// Copies bytes [from, end) of one open file to the same place of another. Whole blocks, so that
/// files that go around the page cache can be read too. Errors: corrupt, where it ends early.
Status copy_bytes(File& source, File& target, std::uint64_t from, std::uint64_t end,
                  const MirrorPace& pace);

/// Copies the whole file beside its place on `target`, with the permissions that it has; durable,
/// but for its name. Gives the path of the copy.
Result<std::string> copy_beside(MirrorSides& sides, int target, const std::string& path,
                                std::string_view ending, const MirrorPace& pace);

/// The file on `target` becomes that of the other side, in one step; durable.
Status copy_over(MirrorSides& sides, int target, const std::string& path, const MirrorPace& pace);

/// The same in its place, of a file that does not change any more: what differs is written over, so
/// that who has it open reads what is right. Where it is not there, as copy_over.
Status copy_into(MirrorSides& sides, int target, const std::string& path, const MirrorPace& pace);

/// Writes bytes that are right into the file on that side, durably, and says so in the log.
Status mend(MirrorSides& sides, int target, const std::string& path, std::uint64_t offset,
            std::string_view bytes);

/// Whether the last `tail` bytes of the files on both sides are the same, and their lengths.
Result<bool> is_same_file(MirrorSides& sides, const std::string& path, std::uint64_t tail,
                          const MirrorPace& pace);

/// The permissions of what lies there, 0 where the files below know of none.
unsigned mode_of(Files& files, const std::string& path);

}  // namespace cairn::os
