// SPDX-License-Identifier: Apache-2.0
// May this caller use this row of the table on these indices?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gate/route.h"
#include "gate/route_table.h"

namespace cairn::gate {

/// Errors: permission_denied, security_exception, in the platform's words: the action, the key, its
/// owner, and the privileges that would admit, narrowest first. Who may use public data only is
/// refused elsewhere: unauthenticated, as without credentials for `path`, where there were none.
Status admit(const Route& route, const Caller& caller, const PathParameters& parameters,
             std::string_view path = {});

/// One privilege on one index that only the body names.
Status admit_index(const Route& route, const Caller& caller, std::string_view privilege,
                   std::string_view index, std::string_view path = {});

/// The name of the route's action in texts: "cluster:monitor/xpack/inference/post".
std::string action_of(const Route& route);

}  // namespace cairn::gate
