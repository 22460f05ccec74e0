// SPDX-License-Identifier: Apache-2.0
// Rows that change many documents: delete by query, update by query, reindex.
#pragma once

#include "api/router.h"
#include "index/indices.h"
#include "search/service.h"
#include "tasks/tasks.h"

namespace cairn::api {

/// The references outlive the router.
void add_by_query_routes(Router& router, ServiceRef<index::Indices> indices,
                         ServiceRef<search::Service> search, ServiceRef<tasks::Tasks> tasks);

}  // namespace cairn::api
