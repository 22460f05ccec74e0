// SPDX-License-Identifier: Apache-2.0
// A clock that jumps forward ends no retention.
#include "objectstore/retention_clock.h"

#include "objectstore/engine_rig_test.h"

namespace retention_clock_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

constexpr std::int64_t hour_ms = 3'600'000;
constexpr std::int64_t day_ms = 24 * hour_ms;

/// Whose two times move apart.
class TwoClocks final : public os::Clock {
 public:
  std::int64_t unix_ms() const override { return wall_ms; }
  std::int64_t steady_ns() const override { return steady_ms * 1'000'000 + 1; }
  void pass(std::int64_t ms) {
    wall_ms += ms;
    steady_ms += ms;
  }
  std::atomic<std::int64_t> wall_ms = 1'700'000'000'000;
  std::atomic<std::int64_t> steady_ms = 0;
};

}  // namespace

TEST_CASE("retention clock: follows the wall, but for a jump forward, until that has settled") {
  TwoClocks clocks;
  RetentionClock clock(clocks);
  clock.begin(std::nullopt);
  for (int i = 0; i < 100; ++i) {
    clocks.pass(hour_ms);
    clocks.wall_ms += 3'000;  // a clock that is set right in small steps
    CHECK(clock.now_ms() == clocks.wall_ms);
  }
  const std::int64_t before = clocks.wall_ms;
  clocks.wall_ms += 2 * day_ms;
  CHECK(clock.now_ms() == before);
  clocks.pass(23 * hour_ms);
  CHECK(clock.now_ms() == before + 23 * hour_ms);
  clocks.wall_ms += day_ms;  // jumps again: begins anew
  CHECK(clock.now_ms() == before + 23 * hour_ms);
  clocks.pass(23 * hour_ms);
  CHECK(clock.now_ms() == before + 46 * hour_ms);
  clocks.pass(hour_ms);
  CHECK(clock.now_ms() == clocks.wall_ms);
}

TEST_CASE("retention clock: a clock that is set back, and then right, is believed both times") {
  TwoClocks clocks;
  RetentionClock clock(clocks);
  clock.begin(std::nullopt);
  clocks.wall_ms -= day_ms;
  CHECK(clock.now_ms() == clocks.wall_ms);
  clocks.pass(hour_ms);
  clocks.wall_ms += day_ms;
  CHECK(clock.now_ms() == clocks.wall_ms);
}

TEST_CASE("retention clock: over a restart it goes on from the last time written down") {
  TwoClocks clocks;
  RetentionClock clock(clocks);
  const std::int64_t last = clocks.wall_ms;
  clocks.wall_ms += hour_ms / 2;
  clock.begin(last);
  CHECK(clock.now_ms() == clocks.wall_ms);
  RetentionClock next(clocks);
  clocks.wall_ms += 2 * day_ms;
  next.begin(last);
  CHECK(next.now_ms() == last);
}

TEST_CASE("retention clock: a compliance lock outlasts a jump of the clock, and a restart in it") {
  TwoClocks clocks;
  EngineRig rig;
  rig.engine.reset();
  rig.options.clock = &clocks;
  clocks.wall_ms = rig.clock.unix_ms();
  rig.start();
  must(rig.engine->create_bucket({.name = "locked", .object_lock = {.enabled = true}}, never));
  const auto kept =
      must(rig.engine->put({"locked", "key"}, "body",
                           {.retention = s3::Retention{.mode = s3::LockMode::compliance,
                                                       .until_ms = clocks.wall_ms + day_ms}},
                           never));
  const auto remove = [&] {
    return outcome(rig.engine->remove({"locked", "key", kept.version_id}, RemoveParams{}, never));
  };
  clocks.wall_ms += 2 * day_ms;
  CHECK(remove() == "AccessDenied");
  rig.start();
  CHECK(remove() == "AccessDenied");
  clocks.pass(day_ms);
  CHECK(remove() == "ok");
}

}  // namespace retention_clock_test
