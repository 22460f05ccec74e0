// SPDX-License-Identifier: Apache-2.0
// Where backup repositories lie, and what a backup holds beside the objects.
#pragma once

#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "app/settings/repository_places.h"
#include "app/settings/settings.h"
#include "backup/create.h"
#include "backup/key.h"
#include "backup/service.h"
#include "base/result.h"
#include "store/store.h"

namespace cairn::app {

/// Which folders a place may be.
enum class BackupFolders {
  allowed,  // those below path.repo, and the one that backup.place names: for requests
  any,      // for a person at this machine
  made,     // any, and it is made where it is missing
};

/// The store of "s3://bucket/prefix", reached by a client of s3.client.*, or of a folder, as an
/// absolute path. Does not ask yet what lies there. Errors: invalid_argument, with what is allowed.
Result<std::unique_ptr<store::Store>> open_backup_place(const backup::Place& place,
                                                        const Settings& settings,
                                                        BackupFolders folders);

/// The key of a file that only its owner may read. Errors: not_found, permission_denied,
/// invalid_argument.
Result<backup::Key> read_backup_key(const std::string& file);

/// What the service needs; what is given outlives it. `keys_stay`: MasterKey::Ground.
backup::Dependencies backup_dependencies(const Settings& settings, objectstore::Engine& engine,
                                         std::shared_mutex& keys_stay);

}  // namespace cairn::app
