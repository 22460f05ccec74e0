// SPDX-License-Identifier: Apache-2.0
// Which folders connectors may read, and where that is written.
#pragma once

#include "api/router.h"
#include "connectors/folder_roots.h"

namespace cairn::api {

/// The route of operation cairn.folders. `roots` outlive the router's dispatcher.
void add_folder_routes(Router& router, ServiceRef<const connectors::FolderRoots> roots);

}  // namespace cairn::api
