// SPDX-License-Identifier: Apache-2.0
// Query parameters that changes of indices and names share.
#pragma once

#include <string>
#include <vector>

#include "api/call.h"
#include "base/result.h"
#include "os/deadline.h"

namespace cairn::api {

/// The call's deadline, or its `timeout` where that is sooner; -1 is for ever.
/// Errors: illegal_argument_exception.
Result<os::Deadline> change_deadline(const Call& call);
/// `timeout` and `master_timeout`, and `more` before them.
std::vector<gate::Parameter> with_timeouts(std::vector<gate::Parameter> more = {});

/// {"acknowledged": true}
Reply acknowledged();

/// "a, b" -> a and b; without empty ones.
std::vector<std::string> name_list(std::string_view text);

}  // namespace cairn::api
