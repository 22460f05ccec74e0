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
/// owner, and the privileges that would admit, narrowest first; for documents that a query in its
/// roles hides, which the row cannot leave out. Who may use public data only is
/// refused elsewhere: unauthenticated, as without credentials for `path`, where there were none.
Status admit(const Route& route, const Caller& caller, const PathParameters& parameters,
             std::string_view path = {});

/// One privilege on one index that only the body names.
Status admit_index(const Route& route, const Caller& caller, std::string_view privilege,
                   std::string_view index, std::string_view path = {});

/// That no query in the roles of the key hides documents of an index: for rows that read what they
/// change. Errors: permission_denied, security_exception.
Status admit_whole(const Route& route, const Caller& caller, std::string_view index);

/// True where the caller has the route's index privilege on this index, or one of its cluster
/// privileges where either admits. For wildcards.
bool admits_index(const Route& route, const Caller& caller, std::string_view index);

/// The name of the route's action in texts: "cluster:monitor/xpack/inference/post".
std::string action_of(const Route& route);

}  // namespace cairn::gate
