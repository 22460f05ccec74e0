// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/record_store.h"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "os/clock.h"
#include "store/memory_store.h"

namespace cairn::connectors::record_store_test {
namespace {

/// Counts the calls of a store, which goes away on request.
struct Fixture {
  int lists = 0, gets = 0;
  bool is_away = false;
  std::unique_ptr<store::Store> store =
      store::memory_store({.before = [this](std::string_view call, std::string_view) -> Status {
        lists += call == "list";
        gets += call == "get";
        if (is_away) return Error{.kind = ErrorKind::unavailable, .message = "the store went away"};
        return ok_status();
      }});
  os::FakeClock clock;
  RecordStore records{*store, "r/", clock,
                      [](const Json& record) { return !record.bool_or("over"); }};
  os::Deadline deadline = os::Deadline::in_ms(60'000);

  void create(const std::string& id, std::int64_t value) {
    REQUIRE(records.create(id, Json::object({{"value", value}}), deadline).ok());
  }
  void set(RecordStore& by, const std::string& id, const std::string& member, const Json& value) {
    const auto done = by.update(
        id, [&](Json& record) -> Result<bool> { return record.set(member, value), true; },
        deadline);
    REQUIRE(done.ok());
  }
  /// "a=1 b=2", and how often the store was asked.
  std::string known() {
    lists = gets = 0;
    const auto found = records.known(deadline);
    REQUIRE(found.ok());
    std::string out;
    for (const auto& [id, record] : **found)
      out += id + "=" + std::to_string(record.int_or("value")) + " ";
    return out;
  }
};

}  // namespace

TEST_CASE("record store: what is known is read once, and what changed is read again") {
  Fixture f;
  CHECK(f.known().empty());
  CHECK(f.lists == 1);
  CHECK(f.known().empty());
  CHECK(f.lists == 0);
  f.create("b", 2);
  f.create("a", 1);
  CHECK(f.known() == "a=1 b=2 ");
  CHECK(f.gets == 2);
  f.set(f.records, "a", "value", 7);
  CHECK(f.known() == "a=7 b=2 ");
  CHECK(f.gets == 1);
  CHECK(f.known() == "a=7 b=2 ");
  CHECK(f.lists + f.gets == 0);
  REQUIRE(f.records.remove("b", f.deadline).ok());
  CHECK(f.known() == "a=7 ");
  CHECK(f.gets == 0);
  REQUIRE(f.records.replace("c", Json::object({{"value", 3}}), f.deadline).ok());
  CHECK(f.known() == "a=7 c=3 ");
}

TEST_CASE("record store: what is not wanted is neither kept nor read again") {
  Fixture f;
  f.create("a", 1);
  f.create("b", 2);
  f.set(f.records, "a", "over", true);
  CHECK(f.known() == "b=2 ");
  CHECK(f.gets == 2);
  f.create("c", 3);
  CHECK(f.known() == "b=2 c=3 ");
  CHECK(f.gets == 1);
  f.set(f.records, "a", "over", false);
  CHECK(f.known() == "a=1 b=2 c=3 ");
}

TEST_CASE("record store: a change that changes nothing costs no reading") {
  Fixture f;
  f.create("a", 1);
  CHECK(f.known() == "a=1 ");
  REQUIRE(f.records
              .update(
                  "a", [](Json&) -> Result<bool> { return false; }, f.deadline)
              .ok());
  CHECK(f.known() == "a=1 ");
  CHECK(f.lists == 0);
}

TEST_CASE("record store: what others change is known after a minute, and to changes at once") {
  Fixture f;
  f.create("a", 1);
  CHECK(f.known() == "a=1 ");
  RecordStore other(*f.store, "r/", f.clock);
  f.set(other, "a", "value", 5);
  CHECK(f.known() == "a=1 ");
  std::int64_t seen = 0;
  REQUIRE(f.records
              .update(
                  "a",
                  [&](Json& record) -> Result<bool> {
                    seen = record.int_or("value");
                    return false;
                  },
                  f.deadline)
              .ok());
  CHECK(seen == 5);
  f.clock.advance_ms(60'000);
  CHECK(f.known() == "a=5 ");
}

TEST_CASE("record store: after a change whose outcome is unknown the store is asked") {
  Fixture f;
  f.create("a", 1);
  CHECK(f.known() == "a=1 ");
  f.is_away = true;
  CHECK_FALSE(f.records.create("b", Json::object({}), f.deadline).ok());
  CHECK_FALSE(f.records.known(f.deadline).ok());
  f.is_away = false;
  CHECK(f.known() == "a=1 ");
  CHECK(f.lists == 1);
}

TEST_CASE("record store: readers beside a writer know what it has written before they ask") {
  const auto store = store::memory_store();
  RecordStore records(*store, "r/");
  const auto deadline = os::Deadline::in_ms(60'000);
  REQUIRE(records.create("a", Json::object({{"value", 0}}), deadline).ok());
  std::atomic<std::int64_t> written = 0;
  std::jthread writer([&] {
    for (std::int64_t i = 1; i <= 300; ++i) {
      const auto done = records.update(
          "a", [&](Json& record) -> Result<bool> { return record.set("value", i), true; },
          deadline);
      if (!done.ok()) break;
      written = i;
    }
    written = 300;
  });
  std::atomic<int> behind = 0;
  const auto read = [&] {
    while (written < 300) {
      const std::int64_t at_least = written;
      const auto known = records.known(deadline);
      if (!known.ok() || (*known)->front().second.int_or("value") < at_least) ++behind;
    }
  };
  { std::jthread one(read), other(read); }
  CHECK(behind == 0);
}

}  // namespace cairn::connectors::record_store_test
