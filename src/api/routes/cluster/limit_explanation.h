// SPDX-License-Identifier: Apache-2.0
// Every limit that one request meets, with what is left of it.
#pragma once

#include "api/call.h"
#include "ratelimit/limiter.h"
#include "ratelimit/rule_counts.h"

namespace cairn::api {

/// {admitted, refusal, rule, retry_after, would_be_refused, shadow_rules, limits: [{limit, cap,
/// used, cost, remaining, admits, …}]}, in the order in which the limits are looked at. `counted`
/// has a policy. Charges nothing; each entry is read by itself, so that under traffic they may
/// differ by a request.
Json explain_limits(ratelimit::Limiter& limiter, const Call::Counted& counted,
                    const ratelimit::RuleRequest& request);

}  // namespace cairn::api
