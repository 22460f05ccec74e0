// SPDX-License-Identifier: Apache-2.0
// One open file of MirroredFiles.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "os/files/files.h"
#include "os/mirror/mirror_sides.h"

namespace cairn::os {

/// Open for writing, in both folders. `end` is where append() begins.
std::unique_ptr<File> mirrored_writer(MirrorSides& sides, std::shared_ptr<OpenParts> parts,
                                      std::uint64_t end);
/// Open for reading, in the folder of that side so far.
std::unique_ptr<File> mirrored_reader(MirrorSides& sides, std::string path, int side,
                                      std::unique_ptr<File> file);

/// Where an open file lies twice.
struct MirroredPlace {
  MirrorSides* sides;
  std::string path;
};
/// Nothing for a file that lies once, or has no name yet.
std::optional<MirroredPlace> place_of(File& file);

/// Reads something with checksums of its own from each whole folder: `read` says whether what it
/// finds verifies. Where one does, `write` puts it into the others, durably, and the last read was
/// of one that verifies; a folder that does not take it is put aside. Errors: the last one of
/// `read`, where no folder has it.
Status read_or_mend(const MirroredPlace& place, const std::function<Status(File&)>& read,
                    const std::function<Status(File&)>& write);

/// Counts reads that one folder could not give and the other gave.
void count_read_around();

}  // namespace cairn::os
