// SPDX-License-Identifier: Apache-2.0
// What fields can do, over all indices that a call names, and the mapping of single fields.
#pragma once

#include "api/router.h"
#include "index/indices.h"

namespace cairn::api {

void add_field_routes(Router& router, ServiceRef<const index::Indices> indices);

}  // namespace cairn::api
