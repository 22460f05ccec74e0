// SPDX-License-Identifier: Apache-2.0
// Inference endpoints and inference calls over HTTP.
#pragma once

#include "api/router.h"
#include "inference/service.h"

namespace cairn::api {

/// Calls of endpoints alone, which change nothing. `service` outlives the router.
void add_inference_call_routes(Router& router, ServiceRef<inference::Service> service);
/// Those and the rest of /_inference.
void add_inference_routes(Router& router, ServiceRef<inference::Service> service);

}  // namespace cairn::api
