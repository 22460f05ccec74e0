// SPDX-License-Identifier: Apache-2.0
// What is well and what is not, with what it means and what to do about it.
#pragma once

#include "api/router.h"
#include "api/routes/cluster/cat_routes.h"
#include "api/routes/cluster/mirror_routes.h"
#include "snapshots/service.h"

namespace cairn::api {

/// The references of `services` outlive the router.
void add_health_report_routes(Router& router, const CatServices& services,
                              ServiceRef<snapshots::Service> snapshots,
                              ServiceRef<const MirrorControl> mirror);

}  // namespace cairn::api
