// SPDX-License-Identifier: Apache-2.0
// Trained models and their deployments over HTTP.
#pragma once

#include "api/router.h"
#include "inference/service.h"

namespace cairn::api {

/// `service` outlives the router.
void add_ml_routes(Router& router, ServiceRef<inference::Service> service);

}  // namespace cairn::api
