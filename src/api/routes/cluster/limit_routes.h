// SPDX-License-Identifier: Apache-2.0
// What is left of the limits: for the caller itself, and for administrators about everybody.
#pragma once

#include "api/router.h"
#include "auth/keys/keys.h"
#include "ratelimit/limiter.h"

namespace cairn::api {

/// Routes of operations rate_limit.get, cairn.get_limits, cairn.get_identity_limits and
/// cairn.reset_limits. `limiter` and `keys` outlive the router's dispatcher.
void add_limit_routes(Router& router, ServiceRef<ratelimit::Limiter> limiter,
                      ServiceRef<const auth::Keys> keys);

}  // namespace cairn::api
