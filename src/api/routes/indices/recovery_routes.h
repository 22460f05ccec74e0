// SPDX-License-Identifier: Apache-2.0
// How indices came to be in this process: made, read at the start, or restored.
#pragma once

#include "api/router.h"
#include "api/routes/cluster/cat_routes.h"

namespace cairn::api {

/// The references of `services` outlive the router.
void add_recovery_routes(Router& router, const CatServices& services);

}  // namespace cairn::api
