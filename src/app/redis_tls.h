// SPDX-License-Identifier: Apache-2.0
// TLS for the shared state of the limits: the room of the limits knows no TLS, and that of the
// network no limits.
#pragma once

#include "base/result.h"
#include "ratelimit/policy/policy.h"
#include "ratelimit/redis/redis_sentinel.h"

namespace cairn::app {

/// Empty where no address of the store begins with rediss://. The files are read once.
/// Errors: invalid_argument, with the file that cannot be used.
Result<ratelimit::StartTls> redis_tls(const ratelimit::SharedState& store);

}  // namespace cairn::app
