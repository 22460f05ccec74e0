// SPDX-License-Identifier: Apache-2.0
// The metadata in two folders of a mirror, before anything opens them.
#pragma once

#include <string>

#include "base/result.h"
#include "os/mirror/mirror_sides.h"

namespace cairn::objectstore {

/// Where both folders are whole: brings the metadata of one in line with the other's. A crash
/// leaves two states that differ in what nobody was told is durable: each has all that was
/// acknowledged, since that was synced on both before, so that either may be taken; half of one and
/// half of the other may not. Taken is that of the folder that is read, unless its files are
/// damaged and the other's are not. Tables that one folder lacks come from the other; what is in
/// them is verified as it is read. Nothing may have the files open. Errors: those of the files.
Status align_metadata(os::MirrorSides& sides, const std::string& metadata);

}  // namespace cairn::objectstore
