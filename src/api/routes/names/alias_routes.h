// SPDX-License-Identifier: Apache-2.0
// Other names of indices: added, removed, swapped, listed.
#pragma once

#include "api/router.h"
#include "index/indices.h"
#include "search/service.h"

namespace cairn::api {

void add_alias_routes(Router& router, ServiceRef<index::Indices> indices,
                      ServiceRef<search::Service> search);

}  // namespace cairn::api
