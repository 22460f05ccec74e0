// SPDX-License-Identifier: Apache-2.0
// Schedules and jobs where clocks are wrong, or another node with another clock was at work before.
#include <doctest/doctest.h>

#include <string>

#include "connectors/isolation/extractor_for_tests.h"
#include "connectors/service.h"
#include "connectors/sources/files/directory.h"
#include "connectors/testing.h"
#include "store/memory_store.h"

namespace cairn::connectors::clocks_test {
namespace {

constexpr std::int64_t minute_ms = 60'000, hour_ms = 3'600'000;

/// A machine's clocks, of which people set the one of the day.
class MachineClock final : public os::Clock {
 public:
  explicit MachineClock(std::int64_t unix_ms) : unix_ms_(unix_ms) {}
  std::int64_t unix_ms() const override { return unix_ms_; }
  std::int64_t steady_ns() const override { return steady_ns_; }
  void advance_ms(std::int64_t ms) {
    unix_ms_ += ms;
    steady_ns_ += ms * 1'000'000;
  }
  void set_ahead_ms(std::int64_t ms) { unix_ms_ += ms; }

 private:
  std::int64_t unix_ms_;
  std::int64_t steady_ns_ = 1;
};

/// A connector with a schedule of each minute, and nodes that serve it one after the other.
struct Fixture {
  std::unique_ptr<store::Store> store = store::memory_store();
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  MemoryTarget target;
  os::Deadline deadline = os::Deadline::in_ms(60'000);

  SourceTypes types() const {
    SourceTypes out;
    out["directory"] = directory_source({"/usr/share"});
    return out;
  }
  std::unique_ptr<Service> node(const os::Clock& clock) {
    return std::make_unique<Service>(*store, target, extractor_of_tests(), types(), Options{},
                                     clock, *random);
  }
  void make_connector(Service& node) {
    REQUIRE(
        node.records().put("c", {.index_name = "i", .service_type = "directory"}, deadline).ok());
    const auto each_minute = parse_json(R"({"full":{"enabled":true,"interval":"0 * * * * ?"}})");
    REQUIRE(node.records().set_scheduling("c", *each_minute, deadline).ok());
  }
  std::size_t jobs_after(Service& node) {
    REQUIRE(node.create_due_jobs(deadline).ok());
    return node.jobs().list({}, deadline)->count;
  }
};

// A whole minute.
constexpr std::int64_t noon_ms = 1'700'000'040'000;

}  // namespace

TEST_CASE("clocks: a schedule goes on after a node whose clock was ahead, or behind") {
  for (const std::int64_t ahead_ms : {hour_ms, 10 * minute_ms, -hour_ms}) {
    CAPTURE(ahead_ms);
    Fixture f;
    MachineClock first_clock(noon_ms + ahead_ms), second_clock(noon_ms);
    const auto first = f.node(first_clock);
    f.make_connector(*first);
    first_clock.advance_ms(minute_ms);
    second_clock.advance_ms(minute_ms + 5'000);
    CHECK(f.jobs_after(*first) == 1);
    const auto second = f.node(second_clock);
    CHECK(f.jobs_after(*second) == 1);
    for (std::size_t minute = 1; minute <= 3; ++minute) {
      second_clock.advance_ms(minute_ms);
      CHECK(f.jobs_after(*second) == 1 + minute);
      CHECK(f.jobs_after(*second) == 1 + minute);
    }
  }
}

TEST_CASE("clocks: a tick is not taken twice by nodes whose clocks are seconds apart") {
  Fixture f;
  MachineClock first_clock(noon_ms + 20'000), second_clock(noon_ms);
  const auto first = f.node(first_clock);
  f.make_connector(*first);
  first_clock.advance_ms(45'000);
  second_clock.advance_ms(45'000);
  CHECK(f.jobs_after(*first) == 1);  // of the next minute, which begins in 15 s here
  const auto second = f.node(second_clock);
  second_clock.advance_ms(16'000);
  CHECK(f.jobs_after(*second) == 1);
  second_clock.advance_ms(minute_ms);
  CHECK(f.jobs_after(*second) == 2);
}

TEST_CASE("clocks: a schedule goes on when the clock of the node is set back") {
  Fixture f;
  MachineClock clock(noon_ms + hour_ms);
  const auto node = f.node(clock);
  f.make_connector(*node);
  clock.advance_ms(minute_ms);
  CHECK(f.jobs_after(*node) == 1);
  clock.set_ahead_ms(-hour_ms);
  CHECK(f.jobs_after(*node) == 1);
  clock.advance_ms(minute_ms);
  CHECK(f.jobs_after(*node) == 2);
  clock.advance_ms(minute_ms);
  CHECK(f.jobs_after(*node) == 3);
}

TEST_CASE("clocks: a worker is lost that is silent for as long as this node looks") {
  for (const std::int64_t ahead_ms : {hour_ms, -hour_ms}) {
    CAPTURE(ahead_ms);
    Fixture f;
    MachineClock first_clock(noon_ms + ahead_ms), second_clock(noon_ms);
    const auto first = f.node(first_clock), second = f.node(second_clock);
    f.make_connector(*first);
    const std::string id = *first->jobs().create({.connector_id = "c"}, f.deadline);
    REQUIRE(*first->jobs().take(id, "first", minute_ms, f.deadline));
    const auto takes = [&] { return *second->jobs().take(id, "second", minute_ms, f.deadline); };
    // As long as it reports it has the job.
    for (int i = 0; i < 5; ++i) {
      CHECK_FALSE(takes());
      first_clock.advance_ms(minute_ms / 2);
      second_clock.advance_ms(minute_ms / 2);
      REQUIRE(first->jobs().report(id, {}, f.deadline).ok());
    }
    CHECK_FALSE(takes());
    second_clock.advance_ms(minute_ms - 1);
    second_clock.set_ahead_ms(hour_ms);
    CHECK_FALSE(takes());
    second_clock.advance_ms(1);
    CHECK(takes());
  }
}

}  // namespace cairn::connectors::clocks_test
