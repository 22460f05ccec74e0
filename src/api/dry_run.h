// SPDX-License-Identifier: Apache-2.0
// Changes that are only tried: ?dry_run=true. The checks and errors are those of the change, and
// so are the rights that it asks and what it costs; nothing is changed.
#pragma once

#include "api/call.h"
#include "gate/route.h"

namespace cairn::api {

extern const gate::Parameter dry_run_parameter;

/// Errors: invalid_argument.
Result<bool> is_dry_run(const Call& call);

/// {"dry_run": true, "would": what}. The audit log, which tells of changes, has no line about it.
Reply would(Json what);

}  // namespace cairn::api
