// SPDX-License-Identifier: Apache-2.0
// Connectors and sync jobs.
#pragma once

#include "api/router.h"
#include "connectors/service.h"

namespace cairn::api {

/// `service` outlives the router.
void add_connector_routes(Router& router, ServiceRef<connectors::Service> service);

}  // namespace cairn::api
