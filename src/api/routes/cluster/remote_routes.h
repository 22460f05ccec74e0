// SPDX-License-Identifier: Apache-2.0
// Other clusters that searches reach: there are none.
#pragma once

#include "api/router.h"
#include "api/routes/cluster/cat_routes.h"

namespace cairn::api {

/// The references of `services` outlive the router.
void add_remote_routes(Router& router, const CatServices& services);

}  // namespace cairn::api
