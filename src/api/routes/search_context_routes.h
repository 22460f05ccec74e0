// SPDX-License-Identifier: Apache-2.0
// Rows of reading on: scrolls, points in time, and where the documents of indices are.
#pragma once

#include "api/router.h"
#include "api/routes/cluster/system_routes.h"
#include "index/indices.h"
#include "search/service.h"

namespace cairn::api {

/// The references outlive the router. `facts` and `sources` say who the one node is, for
/// `_search_shards`.
void add_search_context_routes(Router& router, ServiceRef<const index::Indices> indices,
                               ServiceRef<search::Service> service, const ServerFacts& facts,
                               const ServerSources& sources);

}  // namespace cairn::api
