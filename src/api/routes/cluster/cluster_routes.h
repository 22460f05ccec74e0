// SPDX-License-Identifier: Apache-2.0
// Figures of the cluster: indices, and the memory, processor and disk of its nodes.
#pragma once

#include "api/router.h"
#include "api/routes/cluster/cat_routes.h"
#include "os/clock.h"

namespace cairn::api {

/// `clock` outlives the router.
void add_cluster_routes(Router& router, const CatServices& services, const os::Clock& clock);

}  // namespace cairn::api
