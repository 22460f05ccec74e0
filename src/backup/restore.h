// SPDX-License-Identifier: Apache-2.0
// Lays a data folder from a backup.
#pragma once

#include <functional>
#include <string>

#include "backup/create.h"
#include "backup/manifest.h"
#include "backup/options.h"
#include "backup/repository.h"
#include "base/result.h"
#include "objectstore/copies/folder_restore.h"
#include "os/deadline.h"
#include "os/files/files.h"

namespace cairn::backup {

/// Takes a file of the configuration.
using ConfigurationFile =
    std::function<Status(const FileEntry& file, const objectstore::NextBytes& next)>;

/// Writes all that the backup holds; the folder is one that a server opens when this returns. Cut
/// short, it goes on where it was when it is called again. Blocks; `options.workers` threads.
/// Errors: conflict (folder_restore.h), unsupported for data of a newer version, corrupt with the
/// piece that is missing or damaged; storage_full; those of the store.
Status restore(Repository& repository, const Manifest& manifest, os::Files& files,
               const std::string& folder, const ConfigurationFile& configuration,
               const Options& options, Progress& progress, const os::Deadline& deadline);

}  // namespace cairn::backup
