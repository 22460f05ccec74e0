// SPDX-License-Identifier: Apache-2.0
// Indices: create, look at, change, refresh, delete.
#pragma once

#include "api/router.h"
#include "connectors/service.h"
#include "index/indices.h"
#include "search/service.h"

namespace cairn::api {

/// `indices` outlives the router.
void add_index_routes(Router& router, ServiceRef<index::Indices> indices,
                      ServiceRef<search::Service> search,
                      ServiceRef<connectors::Service> connectors);

}  // namespace cairn::api
