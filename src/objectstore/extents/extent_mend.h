// SPDX-License-Identifier: Apache-2.0
// Extents that are damaged in one folder of a mirror.
#pragma once

#include <string>

#include "base/result.h"
#include "objectstore/extents/extent_reader.h"
#include "objectstore/records.h"
#include "os/mirror/mirror_sides.h"

namespace cairn::objectstore {

/// Verifies all of the extent in one folder. Errors: corrupt, also where it is missing.
Status verify_extent_on(os::MirrorSides& sides, int side, const std::string& path,
                        const ExtentSpan& span, const Pace& pace = {});

/// Verifies the extent in both folders, and makes it whole in the one where it is not. Success
/// where at least one has it whole. A folder that does not take it is put aside. Errors: corrupt,
/// where none has it, or there is only one.
Status mend_extent(os::MirrorSides& sides, const std::string& path, const ExtentSpan& span,
                   const Pace& pace = {});

}  // namespace cairn::objectstore
