// SPDX-License-Identifier: Apache-2.0
// Data streams: made, shown, counted, changed, deleted; and rollovers of them and of aliases.
#pragma once

#include "api/router.h"
#include "index/indices.h"
#include "os/clock.h"
#include "search/service.h"

namespace cairn::api {

void add_data_stream_routes(Router& router, ServiceRef<index::Indices> indices);

/// `clock` outlives the router.
void add_rollover_routes(Router& router, ServiceRef<index::Indices> indices,
                         ServiceRef<search::Service> search, const os::Clock& clock);

}  // namespace cairn::api
