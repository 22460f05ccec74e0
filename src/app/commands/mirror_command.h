// SPDX-License-Identifier: Apache-2.0
// `cairn mirror`: the two folders of the data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/connection.h"

namespace cairn::app {

std::string_view mirror_help();

/// The exit status.
int mirror_command(const std::vector<std::string>& words,
                   const std::vector<std::string>& environment, const cli::Environment& lookup);

}  // namespace cairn::app
