// SPDX-License-Identifier: Apache-2.0
// A folder with all that is in it, watched for changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "connectors/source.h"
#include "os/clock.h"

namespace cairn::connectors {

struct DirectoryWatchParams {
  std::string root;                  // resolved; nothing outside of it is looked at
  std::string folder;                // within it; empty: the root itself
  bool hidden = false;               // what begins with a dot is looked at too
  std::size_t folders_max = 65'536;  // that are watched; memory is bounded by them
  std::int64_t look_ms = 300'000;    // a look at everything, for what the kernel does not tell of
  std::int64_t look_limited_ms = 30'000;  // the same where not all folders can be watched
};

/// Tells of changes as the kernel does; and by looking, at times and often where there are more
/// folders than can be watched. A look reads no file: names, times and sizes are compared by one
/// hash. Errors: not_found, permission_denied, for the folder.
Result<std::unique_ptr<SourceWatch>> watch_directory(DirectoryWatchParams params,
                                                     const os::Clock& clock);

}  // namespace cairn::connectors
