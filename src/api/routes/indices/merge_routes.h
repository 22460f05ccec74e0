// SPDX-License-Identifier: Apache-2.0
// Merging the segments of indices when that is asked for.
#pragma once

#include "api/router.h"
#include "index/indices.h"
#include "tasks/tasks.h"

namespace cairn::api {

void add_merge_routes(Router& router, ServiceRef<index::Indices> indices,
                      ServiceRef<tasks::Tasks> tasks);

}  // namespace cairn::api
