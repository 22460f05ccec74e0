// SPDX-License-Identifier: Apache-2.0
// Rows of tasks: which there are, how far they are, what they answered, ending and throttling them.
#pragma once

#include "api/router.h"
#include "api/routes/cluster/system_routes.h"
#include "tasks/tasks.h"

namespace cairn::api {

/// The references outlive the router. A task is seen by the key that began it, and by whoever may
/// monitor the cluster; it is ended by that key and by whoever may manage the cluster.
void add_task_routes(Router& router, ServiceRef<tasks::Tasks> tasks, const ServerFacts& facts,
                     const ServerSources& sources);

}  // namespace cairn::api
