// SPDX-License-Identifier: Apache-2.0
// Searching and counting, one request or several.
#pragma once

#include "api/router.h"
#include "index/indices.h"
#include "os/clock.h"
#include "search/service.h"

namespace cairn::api {

/// The references outlive the router.
void add_search_routes(Router& router, ServiceRef<const index::Indices> indices,
                       ServiceRef<search::Service> service, const os::Clock& clock);

}  // namespace cairn::api
