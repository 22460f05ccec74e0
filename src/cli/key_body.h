// SPDX-License-Identifier: Apache-2.0
// What commands about keys and grants say in their bodies: whose requests, and what they may.
#pragma once

#include "base/result.h"
#include "cli/arguments.h"
#include "format/json.h"

namespace cairn::cli {

/// {kind, user|id|repo, facts} of --kind, --user, --id, --repo and --fact; null where none is
/// given. The server checks what fits what. Errors: invalid_argument.
Result<Json> identity_of(const Arguments& arguments);

/// {cluster, indices} of --cluster and --index NAMES:PRIVILEGES; an empty object where neither is
/// given. Errors: invalid_argument.
Result<Json> role_of(const Arguments& arguments);

}  // namespace cairn::cli
