// SPDX-License-Identifier: Apache-2.0
// The state of the cluster as the node that serves knows it: names, definitions, blocks, where indices are.
#pragma once

#include "api/router.h"
#include "api/routes/cluster/cat_routes.h"

namespace cairn::api {

/// The references of `services` outlive the router.
void add_cluster_state_routes(Router& router, const CatServices& services);

}  // namespace cairn::api
