// SPDX-License-Identifier: Apache-2.0
// Merges of the background hold themselves back, and nobody who waits for one.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "index/engine/merge_pace.h"
#include "index/testing.h"

namespace cairn::index::merge_pace_test {
namespace {

TEST_CASE("merge pace: what is written takes its time, and none where somebody is in haste") {
  os::FakeClock clock;
  std::atomic<int> in_haste{0};
  const auto soon = os::Deadline::in_ms(60'000);
  MergePace pace(clock, 1000, in_haste);
  CHECK(pace.ahead_ns() == 0);
  {
    const Haste haste(in_haste);
    REQUIRE(pace.wrote(5000, soon).ok());  // the clock stands: it does not wait
    CHECK(pace.ahead_ns() == 0);
  }
  CHECK(pace.ahead_ns() == 5'000'000'000);
  clock.advance_ms(2000);
  CHECK(pace.ahead_ns() == 3'000'000'000);
  clock.advance_ms(60'000);
  CHECK(pace.ahead_ns() == 0);
  REQUIRE(pace.wrote(50'000, soon).ok());  // what it was behind it may make up for
  CHECK(pace.ahead_ns() == 0);
}

TEST_CASE("merge pace: a wait ends with its deadline; without a rate there is none") {
  os::FakeClock clock;
  std::atomic<int> in_haste{0};
  MergePace pace(clock, 1, in_haste);
  const Status waited = pace.wrote(1'000'000, os::Deadline::in_ms(0));
  REQUIRE_FALSE(waited.ok());
  CHECK(waited.error().kind == ErrorKind::timeout);
  MergePace unbound(clock, 0, in_haste);
  CHECK(unbound.wrote(UINT64_C(1) << 40, os::Deadline::in_ms(0)).ok());
}

Options paced(std::uint64_t bytes_per_second) {
  Options out = Fixture::quiet_options();
  out.merge_factor = 2;
  out.merge_bytes_per_second = bytes_per_second;
  return out;
}

void make_two_segments(Fixture& fixture, Index& index) {
  for (const char* id : {"a", "b"}) {
    fixture.put(index, id, R"({"n": 1})");
    REQUIRE(index.flush(fixture.soon()).ok());
  }
  REQUIRE(index.view()->segments().size() == 2);
}

// The clock stands still, so a merge at a byte a second never ends by itself.
TEST_CASE("merge pace: a flush that waits for a merge makes it go on") {
  Fixture fixture(paced(1));
  auto index = fixture.create("i");
  make_two_segments(fixture, *index);
  std::atomic<bool> done{false};
  std::thread merging([&] {
    CHECK(index->maintain(os::Deadline::never()).ok());
    done = true;
  });
  while (!done) REQUIRE(index->flush(fixture.soon()).ok());
  merging.join();
  REQUIRE(index->refresh(fixture.soon()).ok());
  CHECK(index->view()->segments().size() == 1);
  CHECK(fixture.search(*index, Query{}).total == 2);
}

TEST_CASE(
    "merge pace: an index without auto_throttle, and a merge that was asked for, wait for none") {
  Fixture fixture(paced(1));
  auto index = fixture.create("i", "null", R"({"index.merge.scheduler.auto_throttle": false})");
  make_two_segments(fixture, *index);
  REQUIRE(index->maintain(fixture.soon()).ok());
  CHECK(index->view()->segments().size() == 1);
  auto asked = fixture.create("j");
  make_two_segments(fixture, *asked);
  REQUIRE(asked->force_merge(1, fixture.soon()).ok());
  CHECK(asked->view()->segments().size() == 1);
}

}  // namespace
}  // namespace cairn::index::merge_pace_test
