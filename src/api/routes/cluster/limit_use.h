// SPDX-License-Identifier: Apache-2.0
// Who uses most of the limits, and who is limited now.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/json.h"
#include "ratelimit/limiter.h"

namespace cairn::api {

/// Those that used most of one resource in its window, the busiest first: a list of {"identity",
/// "kind", "limit", "used", "remaining", "reset"}.
Json busiest_identities(ratelimit::Limiter& limiter, std::uint16_t resource, std::size_t size);
/// Those whose last refused request would be refused still, the latest first.
Json limited_identities(ratelimit::Limiter& limiter, std::size_t size);
/// Both in brief: {"top": [{"resource", "identities"}, …], "limited": […]}.
Json limit_use(ratelimit::Limiter& limiter);

}  // namespace cairn::api
