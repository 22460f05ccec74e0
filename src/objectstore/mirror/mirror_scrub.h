// SPDX-License-Identifier: Apache-2.0
// Compares the two folders of a mirror, and mends what one of them lost.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "objectstore/extents/extent_reader.h"
#include "os/deadline.h"
#include "os/mirror/mirror_sides.h"

namespace cairn::objectstore {

class Engine;

struct MirrorScrubCount {
  std::uint64_t files = 0;
  std::uint64_t mended = 0;
  std::uint64_t damaged = 0;  // lost in both, or different without telling which is right
};

/// One round over all files. `pace` is told of all that is read. What the scrubber of objects reads
/// is one folder; this reads the other. Requests go on. Where not both folders are whole there is
/// nothing to do. Errors: cancelled and timeout; those of `pace`, and of the files.
Result<MirrorScrubCount> scrub_mirror(Engine& engine, os::MirrorSides& sides, const Pace& pace,
                                      const os::Deadline& deadline);

}  // namespace cairn::objectstore
