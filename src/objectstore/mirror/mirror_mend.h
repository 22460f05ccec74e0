// SPDX-License-Identifier: Apache-2.0
// Files of a data folder that one folder of its mirror lacks or holds damaged.
#pragma once

#include <string>

#include "base/result.h"
#include "objectstore/extents/extent_reader.h"
#include "os/mirror/mirror_sides.h"

namespace cairn::objectstore {

class Engine;

enum class Mended {
  whole,    // in both folders
  done,     // in one before, in both now
  differs,  // each folder has it, and nothing tells which is right
  lost,     // in neither
};

/// By the checksums of the file where it has some. Errors: those of `pace`, and of the files.
Result<Mended> mend_file(Engine& engine, os::MirrorSides& sides, const std::string& path,
                         const Pace& pace);

}  // namespace cairn::objectstore
