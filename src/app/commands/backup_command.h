// SPDX-License-Identifier: Apache-2.0
// `cairn backup`: backups of a running server, and what is done with a repository of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/connection.h"

namespace cairn::app {

std::string_view backup_help();

/// `cairn backup init|create|status|cancel|list|verify|restore|remove`. The exit status.
int backup_command(const std::vector<std::string>& words,
                   const std::vector<std::string>& environment, const cli::Environment& lookup);

}  // namespace cairn::app
