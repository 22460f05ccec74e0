// SPDX-License-Identifier: Apache-2.0
// Who may ask the control API what.
#pragma once

#include "base/result.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// A caller of the account that the head names, whose policies allow the operation on what its
/// path names. Errors: AccessDenied; InvalidRequest (no account).
Status admit_to_control(const Call& call);

}  // namespace cairn::s3api
