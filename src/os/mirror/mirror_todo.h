// SPDX-License-Identifier: Apache-2.0
// Several files of one folder replaced in one step: a crash leaves all of them old or all new.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/mirror/mirror_sides.h"

namespace cairn::os {

/// What one folder lacks of the other, and has beyond it.
struct MirrorDifferences {
  std::vector<std::string> copies = {};    // paths
  std::vector<std::string> removals = {};  // paths
  bool empty() const { return copies.empty() && removals.empty(); }
};

/// Brings the folder of `target` in line: puts copies beside their places, writes down what is to
/// be done, does it. Until it is written down the folder is as it was; from then on the next start
/// ends it, without the other folder. Nothing of it may be open for writing.
Status bring_in_line(MirrorSides& sides, int target, const MirrorDifferences& differences);

/// Ends what was written down in that folder; nothing to do is success. Errors: those of the files;
/// corrupt, where what was written down does not read.
Status end_bringing_in_line(Files& files, const std::string& folder);

}  // namespace cairn::os
