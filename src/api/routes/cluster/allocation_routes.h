// SPDX-License-Identifier: Apache-2.0
// Where the one copy of each index is, why it is there, and what would move it: nothing can.
#pragma once

#include "api/router.h"
#include "api/routes/cluster/cat_routes.h"

namespace cairn::api {

/// The references of `services` outlive the router.
void add_allocation_routes(Router& router, const CatServices& services);

}  // namespace cairn::api
