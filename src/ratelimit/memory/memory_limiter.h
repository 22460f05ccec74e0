// SPDX-License-Identifier: Apache-2.0
// The limiter whose state is in this process's memory.
#pragma once

#include <memory>

#include "os/clock.h"
#include "os/metrics.h"
#include "os/random.h"
#include "ratelimit/limiter.h"

namespace cairn::ratelimit {

/// At most Policy::max_identities identities as it is now (set_policy() does not change that), in
/// about 145 bytes each. `random` makes the key of the table, once; clock and metrics must outlive
/// the limiter. restore() is for before the first decision.
std::unique_ptr<Limiter> memory_limiter(std::shared_ptr<const Policy> policy,
                                        const os::Clock& clock, os::Random& random,
                                        os::Metrics& metrics);

}  // namespace cairn::ratelimit
