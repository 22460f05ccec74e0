// SPDX-License-Identifier: Apache-2.0
// How a refusal of the limiter is told: status, text, and whether to say how long to wait.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "ratelimit/limiter.h"

namespace cairn::gate {

/// The status of the policy for this surface and kind; 503 where the shared state is away.
int status_of(const ratelimit::Decision& refused, ratelimit::Surface surface,
              const ratelimit::Policy& policy);

/// True where the reply gets a retry-after: all secondary refusals, and every one on surfaces whose
/// clients wait for nothing else (large files, objects).
bool tells_wait(const ratelimit::Decision& refused, ratelimit::Surface surface);

/// Kind rate_limited, code rate_limit_exceeded_exception, in the words that clients of code-hosting
/// services look for: a primary refusal begins "API rate limit exceeded for", a secondary one says
/// "secondary rate limit". Details: "_status"; "_documentation_url", which ends in
/// secondary-rate-limits for secondary refusals only. Where the shared state is away nobody
/// exceeded anything: kind unavailable, code unavailable_exception. `rule`: the name of the
/// operator's rule that refused, if one did.
Error refusal_error(const ratelimit::Decision& refused, const ratelimit::Identity& identity,
                    int status, std::string_view rule = {});

}  // namespace cairn::gate
