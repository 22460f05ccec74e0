// SPDX-License-Identifier: Apache-2.0
// The page at /search/{index}, for everybody who may search the index.
#pragma once

#include "api/router.h"
#include "api/routes/console_routes.h"
#include "console/files.h"
#include "index/indices.h"
#include "search/service.h"

namespace cairn::api {

/// The page, its files, what it needs to know of its index, and its searches. Callers without
/// credentials have the rights of the key that is set for it, if one is (gate::Route::search_page).
/// What is referred to outlives the router.
void add_search_page_routes(Router& router, ServiceRef<const console::Files> files,
                            ServiceRef<index::Indices> indices,
                            ServiceRef<search::Service> service, const ConsoleOptions& options);

}  // namespace cairn::api
