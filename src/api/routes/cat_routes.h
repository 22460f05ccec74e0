// SPDX-License-Identifier: Apache-2.0
// Tables for people: indices and counts.
#pragma once

#include "api/router.h"
#include "index/indices.h"
#include "os/clock.h"

namespace cairn::api {

/// The references outlive the router.
void add_cat_routes(Router& router, ServiceRef<const index::Indices> indices,
                    const os::Clock& clock);

}  // namespace cairn::api
