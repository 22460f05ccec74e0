// SPDX-License-Identifier: Apache-2.0
// `cairn add`, with the rooms that read folders in the server.
#pragma once

#include <string>
#include <vector>

#include "cli/connection.h"

namespace cairn::app {

/// The words behind `add`. The exit status.
int add_folder_command(const std::vector<std::string>& words, const cli::Environment& environment);

}  // namespace cairn::app
