// SPDX-License-Identifier: Apache-2.0
#include "app/upkeep/saved_counters.h"

#include <doctest/doctest.h>

#include "os/clock.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/random.h"
#include "ratelimit/memory/memory_limiter.h"
#include "store/memory_store.h"

namespace saved_counters_test {

using namespace cairn;

namespace {

struct Server {
  os::FakeClock& clock;
  os::Metrics metrics = {};
  std::shared_ptr<const ratelimit::Policy> policy =
      std::make_shared<const ratelimit::Policy>(ratelimit::default_policy());
  std::unique_ptr<ratelimit::Limiter> limiter =
      ratelimit::memory_limiter(policy, clock, os::system_random(), metrics);
  ratelimit::Identity ann = ratelimit::user_identity("ann");

  std::uint32_t ask() {
    const auto charge = ratelimit::charge_of({.method = "GET", .path = "/x"}, *policy);
    return limiter->admit(ann, *charge).decision().window->used;
  }
};

}  // namespace

TEST_CASE("counters: what one run counted goes on in the next, until its window is over") {
  os::FakeClock clock;
  const auto store = store::memory_store();
  const auto deadline = os::Deadline::in_ms(30'000);
  {
    Server first{.clock = clock};
    auto counters = app::SavedCounters::open(*first.limiter, *store, deadline);
    REQUIRE(counters.ok());
    for (std::uint32_t i = 1; i <= 3; ++i) CHECK(first.ask() == i);
    (*counters)->stop();
    (*counters)->stop();
  }
  for (const std::uint32_t used : {4u, 1u}) {
    Server next{.clock = clock};
    const auto counters = app::SavedCounters::open(*next.limiter, *store, deadline);
    REQUIRE(counters.ok());
    CHECK(next.ask() == used);
    clock.advance_ms(3'700'000);
  }
}

TEST_CASE("counters: those that cannot be read begin anew, and the log says so") {
  os::FakeClock clock;
  const auto store = store::memory_store();
  const auto deadline = os::Deadline::in_ms(30'000);
  REQUIRE(store->put("counters", "nonsense", deadline).ok());
  std::string log;
  os::configure_log(os::LogLevel::info, os::LogFormat::text,
                    [&](std::string_view line) { log += line; });
  {
    Server server{.clock = clock};
    const auto counters = app::SavedCounters::open(*server.limiter, *store, deadline);
    REQUIRE(counters.ok());
    CHECK(server.ask() == 1);
    CHECK(log.find("begin anew") != std::string::npos);
  }
  os::configure_log(os::LogLevel::info, os::LogFormat::automatic);
  CHECK(store->get("counters", deadline)->bytes != "nonsense");
}

}  // namespace saved_counters_test
