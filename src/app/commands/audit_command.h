// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cairn::app {

/// `cairn audit verify DATA_FOLDER`: whether the audit log still says what was written to it. The
/// exit status.
int audit_command(const std::vector<std::string>& words);

}  // namespace cairn::app
