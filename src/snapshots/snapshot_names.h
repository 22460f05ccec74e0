// SPDX-License-Identifier: Apache-2.0
// What a snapshot may be called, and which names an expression means.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace cairn::snapshots {

/// Errors: invalid_snapshot_name_exception, with the rule that `name` breaks.
Status check_snapshot_name(const std::string& repository, const std::string& name);

/// Names of `known` that fit "a,b*,_all", each once; empty means all. A plain name that is unknown
/// is given to `missing`.
std::vector<std::string> select_names(const std::string& expression,
                                      const std::vector<std::string>& known,
                                      const std::function<void(const std::string&)>& missing);

}  // namespace cairn::snapshots
