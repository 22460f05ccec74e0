// SPDX-License-Identifier: Apache-2.0
// Where snapshot repositories lie: folders beneath path.repo, buckets of the object storage.
#pragma once

#include <string>
#include <vector>

#include "objectstore/engine.h"
#include "snapshots/repositories.h"

namespace cairn::app {

/// Opens types fs and s3. The engine outlives it.
snapshots::OpenRepository repository_places(std::vector<std::string> path_repo,
                                            objectstore::Engine& engine);

}  // namespace cairn::app
