// SPDX-License-Identifier: Apache-2.0
// The limiter that a policy asks for.
#pragma once

#include <memory>

#include "base/result.h"
#include "os/clock.h"
#include "os/random.h"
#include "ratelimit/limiter.h"

namespace cairn::app {

/// In memory, or shared through Redis with what is in memory to fall back on. `clock` and `random`
/// outlive it. Errors: those of Redis' address and certificates.
Result<std::unique_ptr<ratelimit::Limiter>> open_limiter(
    const std::shared_ptr<const ratelimit::Policy>& policy, const os::Clock& clock,
    os::Random& random);

}  // namespace cairn::app
