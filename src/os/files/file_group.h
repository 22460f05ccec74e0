// SPDX-License-Identifier: Apache-2.0
// Whose group a file is of.
#pragma once

#include <string>

#include "base/result.h"

namespace cairn::os {

/// Gives `path` to the group that `like` is of. Blocks. Errors: permission_denied where this user may
/// not; not_found.
Status take_group_of(const std::string& path, const std::string& like);

}  // namespace cairn::os
