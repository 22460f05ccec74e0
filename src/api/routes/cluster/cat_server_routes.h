// SPDX-License-Identifier: Apache-2.0
// Tables for people about the server: its health, its nodes, disks, repositories and snapshots.
#pragma once

#include "api/router.h"
#include "api/routes/cluster/cat_routes.h"
#include "snapshots/service.h"

namespace cairn::api {

/// `clock` outlives the router.
void add_cat_server_routes(Router& router, const CatServices& services,
                           ServiceRef<snapshots::Service> snapshots, const os::Clock& clock);

}  // namespace cairn::api
