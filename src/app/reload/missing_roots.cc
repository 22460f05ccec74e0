// SPDX-License-Identifier: Apache-2.0
#include "app/reload/missing_roots.h"

#include "os/files/files.h"
#include "os/log.h"

namespace cairn::app {

void tell_missing_roots(const std::vector<std::string>& roots) {
  for (const auto& root : roots) {
    const auto info = os::system_files().info(root);
    if (info.ok() && info->is_directory) continue;
    os::log(os::LogLevel::warn, "app", "a folder of connectors.directory.roots is not there",
            {{"folder", root},
             {"reason", info.ok() ? std::string("it is no folder") : info.error().message}});
  }
}

}  // namespace cairn::app
