// SPDX-License-Identifier: Apache-2.0
#include "app/limiter.h"

#include <utility>

#include "app/redis_tls.h"
#include "os/metrics.h"
#include "ratelimit/memory/memory_limiter.h"
#include "ratelimit/redis/redis_limiter.h"

namespace cairn::app {

Result<std::unique_ptr<ratelimit::Limiter>> open_limiter(
    const std::shared_ptr<const ratelimit::Policy>& policy, const os::Clock& clock,
    os::Random& random) {
  auto local = ratelimit::memory_limiter(policy, clock, random, os::metrics());
  if (policy->store.kind == ratelimit::SharedState::Kind::memory) return local;
  CAIRN_TRY(auto start_tls, redis_tls(policy->store));
  CAIRN_TRY(auto shared,
            ratelimit::RedisLimiter::open(policy, clock, random, os::metrics(), std::move(local),
                                          {.start_tls = std::move(start_tls)}));
  return std::unique_ptr<ratelimit::Limiter>(std::move(shared));
}

}  // namespace cairn::app
