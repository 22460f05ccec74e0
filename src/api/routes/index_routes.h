// SPDX-License-Identifier: Apache-2.0
// Indices: create, look at, change, refresh, delete.
#pragma once

#include "api/router.h"
#include "index/indices.h"

namespace cairn::api {

/// `indices` outlives the router.
void add_index_routes(Router& router, ServiceRef<index::Indices> indices);

}  // namespace cairn::api
