// SPDX-License-Identifier: Apache-2.0
// Snapshot repositories and snapshots.
#pragma once

#include "api/router.h"
#include "snapshots/service.h"

namespace cairn::api {

/// `service` outlives the router.
void add_snapshot_routes(Router& router, ServiceRef<snapshots::Service> service);

}  // namespace cairn::api
