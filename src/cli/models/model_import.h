// SPDX-License-Identifier: Apache-2.0
// `cairn model import`: from a folder, an address or a bucket into the store of a running server.
#pragma once

#include <string>
#include <vector>

#include "cli/connection.h"

namespace cairn::cli {

/// The words behind `import`. The exit status.
int import_model(const std::vector<std::string>& words, const Environment& environment,
                 std::string_view usage);

}  // namespace cairn::cli
