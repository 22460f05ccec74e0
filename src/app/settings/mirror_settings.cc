// SPDX-License-Identifier: Apache-2.0
#include "app/settings/mirror_settings.h"

#include <cstdint>
#include <string>
#include <utility>

namespace cairn::app {
namespace {

constexpr std::uint64_t mirror_rate_least = 1 << 20;

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

}  // namespace

Status check_mirror_settings(const Settings& settings) {
  const auto wrong = [](std::string what) {
    return Error{.kind = ErrorKind::invalid_argument, .message = std::move(what)};
  };
  if (settings.mirror_dir.empty()) return ok_status();
  if (!settings.mirror_dir.starts_with('/'))
    return wrong("data.mirror: [" + settings.mirror_dir + "] is not the absolute path of a folder");
  if (is_below(settings.mirror_dir, settings.data_dir) ||
      is_below(settings.data_dir, settings.mirror_dir))
    return wrong("data.mirror: [" + settings.mirror_dir + "] and data.dir [" + settings.data_dir +
                 "] lie in each other, and would be lost together");
  if (settings.mirror_fill_bytes < mirror_rate_least)
    return wrong("data.mirror_fill_rate must be at least 1mb");
  return ok_status();
}

}  // namespace cairn::app
