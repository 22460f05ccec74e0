// SPDX-License-Identifier: Apache-2.0
// Settings of the cluster that are changed while it runs.
#pragma once

#include "api/router.h"
#include "index/settings/cluster_settings.h"

namespace cairn::api {

void add_cluster_settings_routes(Router& router, ServiceRef<index::ClusterSettings> settings);

}  // namespace cairn::api
