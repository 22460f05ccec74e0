// SPDX-License-Identifier: Apache-2.0
// `cairn add`: from a folder to answers.
#pragma once

#include <string>
#include <vector>

#include "cli/add/local_folder.h"
#include "cli/connection.h"

namespace cairn::cli {

/// The words behind `add`. The exit status.
int add_command(const std::vector<std::string>& words, const Environment& environment,
                const AddParts& parts);

}  // namespace cairn::cli
