// SPDX-License-Identifier: Apache-2.0
// Folders that connectors may read, and that are not there.
#pragma once

#include <string>
#include <vector>

namespace cairn::app {

/// Tells of each in the log: a folder may come later, with its disk, and a slip of the pen should
/// be seen at once.
void tell_missing_roots(const std::vector<std::string>& roots);

}  // namespace cairn::app
