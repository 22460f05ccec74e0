// SPDX-License-Identifier: Apache-2.0
// Who pays for tasks in the background, with the real limiter.
#include "app/task_ground.h"

#include <doctest/doctest.h>

#include "os/metrics.h"
#include "ratelimit/memory/memory_limiter.h"
#include "search/service_test_rig.h"
#include "store/memory_store.h"

namespace task_ground_test {

using namespace cairn;

TEST_CASE("work of tasks is CPU time of the account whose key began it, and nothing else") {
  os::FakeClock clock;
  os::Metrics metrics;
  auto policy = std::make_shared<ratelimit::Policy>(ratelimit::default_policy());
  policy->secondary.cpu_ms_total = 1'000;
  const auto limiter = ratelimit::memory_limiter(policy, clock, os::system_random(), metrics);
  const auto store = store::memory_store();
  const auto never = os::Deadline::never();
  const auto keys =
      std::move(auth::Keys::open(*store, clock, os::system_random(), {}, never).value());
  auth::Key creator;
  creator.id = "creator";
  creator.role_descriptors =
      parse_json(R"({"a":{"cluster":["all"],"indices":[{"names":["*"],"privileges":["all"]}]}})")
          .value();
  REQUIRE(creator.prepare().ok());
  const auto made = [&](const char* user) {
    return keys
        ->create(
            {.name = "k",
             .metadata = Json::object(
                 {{"_cairn",
                   Json::object({{"identity", Json::object({{"kind", "user"}, {"user", user}})}})}})},
            creator, never)
        .value()
        .key;
  };
  const auto first = made("ann"), second = made("ann"), other = made("bob");

  search::ServiceFixture rooms;
  const auto task_store = store::memory_store();
  ingest::Ingest ingest{*rooms.indices, *rooms.inference};
  const auto ground = app::task_ground({.store = *task_store,
                                        .indices = *rooms.indices,
                                        .search = rooms.service,
                                        .ingest = ingest,
                                        .clock = clock},
                                       *keys, *limiter);
  constexpr std::int64_t ms = 1'000'000;
  CHECK(ground.charge(first->id, 600 * ms) == 0);
  CHECK(ground.charge(second->id, 600 * ms) == 0);  // a batch that is begun is done
  CHECK(ground.charge(first->id, ms) > 0);          // one account, whichever of its keys asks
  CHECK(ground.charge(second->id, ms) > 0);
  CHECK(ground.charge(other->id, ms) == 0);
  CHECK(ground.charge("a key that ended", ms) == 0);  // an account of its own

  // Work takes nothing of the requests by the hour.
  const auto request = ratelimit::charge_of({.method = "GET", .path = "/x"}, *policy);
  CHECK(limiter->admit(other->counted_as, *request).decision().window->used == 1);

  clock.advance_ms(120'000);
  CHECK(ground.charge(first->id, ms) == 0);
}

}  // namespace task_ground_test
