// SPDX-License-Identifier: Apache-2.0
// The limiter in memory: the table of cases of every limiter, and what only this one has.
#include "ratelimit/memory_limiter.h"

#include <doctest/doctest.h>

#include "ratelimit/limiter_contract.h"

namespace cairn::ratelimit {
namespace {

/// A limiter on a clock that stands still, and its metrics.
struct World {
  os::FakeClock clock{1'700'000'000'000};
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  os::Metrics metrics;
};

contract::Bench make_bench(Policy policy) {
  const auto world = std::make_shared<World>();
  auto limiter = memory_limiter(std::make_shared<const Policy>(std::move(policy)), world->clock,
                                *world->random, world->metrics);
  return {.limiter = std::move(limiter),
          .advance_ms = [world](std::int64_t ms) { world->clock.advance_ms(ms); },
          .unix_ms = [world] { return world->clock.unix_ms(); }};
}

TEST_CASE("memory limiter: decides what every limiter must") { contract::run_all(make_bench); }

}  // namespace
}  // namespace cairn::ratelimit
