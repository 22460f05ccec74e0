// SPDX-License-Identifier: Apache-2.0
// What of the node is in use: its threads, and its routes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "api/router.h"
#include "api/routes/cluster/cat_routes.h"
#include "os/clock.h"
#include "os/metrics.h"

namespace cairn::api {

/// The references outlive the router.
void add_node_use_routes(Router& router, const CatServices& services, const os::Metrics& metrics,
                         const os::Clock& clock);

/// How often each operation of the platform was answered, of the text that metrics are shown in.
std::map<std::string, std::uint64_t> answered_operations(std::string_view exposed);

}  // namespace cairn::api
