// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/connection.h"

namespace cairn::app {

/// What `cairn audit --help` prints.
std::string_view audit_help();

/// `cairn audit`: whether the log of a data folder, or an export, still says what was written to
/// it; the other verbs ask a server. The exit status.
int audit_command(const std::vector<std::string>& words, const cli::Environment& environment);

}  // namespace cairn::app
