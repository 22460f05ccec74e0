// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cairn::app {

/// True for `key create … --admin …`, which needs no server and no other key.
bool asks_for_admin_key(const std::vector<std::string>& words);

/// Opens the data folder as a server would, and writes a new administrator's key to a file. `words`
/// are those after `create`. The exit status: 75 while a server has the folder.
int admin_key_command(const std::vector<std::string>& words,
                      const std::vector<std::string>& environment);

}  // namespace cairn::app
