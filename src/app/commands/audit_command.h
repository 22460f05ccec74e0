// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::app {

/// What `cairn audit --help` prints.
std::string_view audit_help();

/// `cairn audit verify DATA_FOLDER`: whether the audit log still says what was written to it. The
/// exit status.
int audit_command(const std::vector<std::string>& words);

}  // namespace cairn::app
