// SPDX-License-Identifier: Apache-2.0
// Text to the tokens that an index would keep.
#pragma once

#include "api/router.h"
#include "index/indices.h"

namespace cairn::api {

/// `indices` outlives the router.
void add_analyze_routes(Router& router, ServiceRef<const index::Indices> indices);

}  // namespace cairn::api
