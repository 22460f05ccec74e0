// SPDX-License-Identifier: Apache-2.0
// Rows of searches that go on while their client does something else.
#pragma once

#include "api/router.h"
#include "index/indices.h"
#include "tasks/tasks.h"

namespace cairn::api {

/// The references outlive the router, and the searches that it begins.
void add_async_search_routes(Router& router, ServiceRef<const index::Indices> indices,
                             ServiceRef<tasks::Tasks> tasks);

}  // namespace cairn::api
