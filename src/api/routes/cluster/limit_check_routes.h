// SPDX-License-Identifier: Apache-2.0
// The limiter for other programs: they say who asks and what it costs, and hear whether to let it
// in.
#pragma once

#include "api/router.h"
#include "ratelimit/limiter.h"

namespace cairn::api {

/// POST /_cairn/limits/_check and GET /_cairn/limits/_auth. Each counts what it admits.
void add_limit_check_routes(Router& router, ServiceRef<ratelimit::Limiter> limiter);

}  // namespace cairn::api
