// SPDX-License-Identifier: Apache-2.0
// Several searches with one request.
#pragma once

#include "api/router.h"
#include "index/indices.h"
#include "os/clock.h"
#include "search/service.h"

namespace cairn::api {

/// The references outlive the router.
void add_msearch_routes(Router& router, ServiceRef<const index::Indices> indices,
                        ServiceRef<search::Service> service, const os::Clock& clock);

}  // namespace cairn::api
