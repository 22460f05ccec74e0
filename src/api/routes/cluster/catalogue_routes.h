// SPDX-License-Identifier: Apache-2.0
// The table of routes, shown: as a list, and as an OpenAPI document.
#pragma once

#include <string>
#include <vector>

#include "api/options.h"
#include "api/router.h"
#include "api/routes/cluster/system_routes.h"
#include "format/json.h"

namespace cairn::api {

/// {"routes": [{method, path, operation, privileges, resource, points, ...}]}
Json route_list(const std::vector<gate::Route>& routes);

/// Call after all other rows were added: what is shown is the table of that moment. `facts` outlive
/// the router's dispatcher.
void add_catalogue_routes(Router& router, const std::string& version, const Options& options,
                          const ServerFacts& facts);

}  // namespace cairn::api
