// SPDX-License-Identifier: Apache-2.0
// Connectors and sync jobs.
#pragma once

#include "api/router.h"
#include "auth/keys/keys.h"
#include "connectors/service.h"

namespace cairn::api {

/// Both services outlive the router.
void add_connector_routes(Router& router, ServiceRef<connectors::Service> service,
                          ServiceRef<auth::Keys> keys);

}  // namespace cairn::api
