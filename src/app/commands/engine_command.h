// SPDX-License-Identifier: Apache-2.0
// `cairn engine verify`: looks at a data folder without a server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::app {

/// What `cairn engine --help` prints.
std::string_view engine_help();

/// The words behind `engine`. The exit status: 0 where all is well, 65 where something is damaged,
/// 66 where there is no data folder, 75 where a server uses it.
int engine_command(const std::vector<std::string>& words);

}  // namespace cairn::app
