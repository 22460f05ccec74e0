// SPDX-License-Identifier: Apache-2.0
// Many writes in one request.
#pragma once

#include "api/router.h"
#include "index/indices.h"
#include "ingest/ingest.h"
#include "os/clock.h"

namespace cairn::api {

/// The references outlive the router.
void add_bulk_routes(Router& router, ServiceRef<index::Indices> indices,
                     ServiceRef<ingest::Ingest> ingest, const os::Clock& clock);

}  // namespace cairn::api
