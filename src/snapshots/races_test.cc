// SPDX-License-Identifier: Apache-2.0
// Two installations and one repository: what one does comes between any two calls of the other. No
// snapshot that succeeded loses a blob.
#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "os/log.h"
#include "snapshots/installation_test.h"
#include "snapshots/layout.h"
#include "snapshots/service.h"
#include "store/memory_store.h"

namespace cairn::snapshots::races_test {
namespace {

using namespace installation;

/// A place in memory where something else is done before the call number `at`.
struct Place {
  std::atomic<int> calls{0};
  std::atomic<int> at{-1};
  std::function<void()> meanwhile;
  std::unique_ptr<store::Store> store = store::memory_store(
      {.before = [this](std::string_view, std::string_view) {
        if (at >= 0 && calls++ == at) {
          at = -1;
          meanwhile();
        }
        return ok_status();
      }});
};

/// Data stays that no snapshot needs, and that the next one of "a" can use.
void leave_data_behind(Fixture& fixture, store::Store& place) {
  fixture.fill("a", 0, 30);
  fixture.snapshot("lost");
  auto generation = read_generation(place, fixture.deadline);
  REQUIRE(generation.ok());
  const std::int64_t before = generation->number;
  generation->snapshots.clear();
  REQUIRE(write_generation(place, before, *std::move(generation), fixture.deadline).ok());
}

void check_restored(store::Store& place, const std::string& name, std::uint64_t documents) {
  Fixture other(place, "three", 3);
  const auto restored =
      other.service->restore({.repository = "repo", .snapshot = name}, other.deadline);
  CHECK_MESSAGE(restored.ok(), (restored.ok() ? std::string() : restored.error().message));
  if (restored.ok()) CHECK(other.count("a") == documents);
}

Options every_foreign_lease_is_dead() {
  Options options;
  options.lease_lost_ms = -60'000;
  return options;
}

struct Row {
  const char* what;
  Options of_the_sweeper;
  bool by_cleanup;
};

std::vector<Row> rows() {
  return {{"a cleanup", {}, true},
          {"a cleanup that takes the snapshot for dead", every_foreign_lease_is_dead(), true},
          {"a deletion", {}, false},
          {"a deletion that takes the snapshot for dead", every_foreign_lease_is_dead(), false}};
}

/// A repository of two installations, with a snapshot "old" and data that nobody needs.
struct Two {
  Place place;
  Fixture one{*place.store, "one", 1};
  Fixture two;
  explicit Two(const Options& of_two) : two(*place.store, "two", 2, {}, of_two) {
    two.fill("b", 0, 3);
    two.snapshot("old", "b");
    leave_data_behind(one, *place.store);
    two.snapshot("older", "b");
  }
  void sweep(bool by_cleanup) {
    // A refusal is an answer too.
    if (by_cleanup)
      (void)two.service->cleanup("repo", {}).ok();
    else
      (void)two.service->remove("repo", "older", two.deadline).ok();
  }
};

TEST_CASE("races: a sweep of another installation between any two calls of a snapshot") {
  for (const Row& row : rows()) {
    CAPTURE(row.what);
    bool met = true;
    for (int at = 0; met; ++at) {
      CAPTURE(at);
      Two both(row.of_the_sweeper);
      both.place.meanwhile = [&] { both.sweep(row.by_cleanup); };
      both.place.at = at;
      const auto made = both.one.service->create(
          {.repository = "repo", .snapshot = "new", .indices = "a"}, true, both.one.deadline);
      met = both.place.at < 0;
      both.place.at = -1;
      REQUIRE(made.ok());
      CHECK((*made)->state == "SUCCESS");
      check_restored(*both.place.store, "new", 30);
    }
  }
}

TEST_CASE("races: a snapshot of another installation between any two calls of a sweep") {
  for (const bool by_cleanup : {true, false}) {
    CAPTURE(by_cleanup);
    bool met = true;
    for (int at = 0; met; ++at) {
      CAPTURE(at);
      Two both({});
      both.place.meanwhile = [&] {
        REQUIRE(both.one.service
                    ->create({.repository = "repo", .snapshot = "new", .indices = "a"}, false,
                             both.one.deadline)
                    .ok());
        // It ends, or waits for the sweep, which goes on some time later.
        for (int i = 0; i < 20; ++i) {
          const auto running =
              both.one.service->list("repo", "_current", false, both.one.deadline);
          if (running.ok() && running->empty()) break;
          os::sleep_ms(1, both.one.deadline);
        }
      };
      both.place.at = at;
      both.sweep(by_cleanup);
      met = both.place.at < 0;
      both.place.at = -1;
      while (!both.one.service->list("repo", "_current", false, both.one.deadline)->empty())
        std::this_thread::yield();
      if (!met) break;
      const auto made = both.one.service->list("repo", "new", false, both.one.deadline);
      REQUIRE(made.ok());
      CHECK((*made)[0].record.state == "SUCCESS");
      check_restored(*both.place.store, "new", 30);
    }
  }
}

TEST_CASE("races: a sweep that stood still while three snapshots were made deletes nothing of them") {
  for (const bool by_cleanup : {true, false}) {
    CAPTURE(by_cleanup);
    bool met = true;
    for (int at = 0; met; ++at) {
      CAPTURE(at);
      // To the other one the sweep is dead: it does not wait.
      Place place;
      Fixture one(*place.store, "one", 1, {}, every_foreign_lease_is_dead());
      Fixture two(*place.store, "two", 2);
      one.fill("a", 0, 10);
      two.fill("b", 0, 3);
      two.snapshot("old", "b");
      std::vector<std::string> made;
      place.meanwhile = [&] {
        for (int i = 0; i < 3; ++i) {
          one.fill("a", 10 + i, 11 + i);
          const std::string name = "s" + std::to_string(i);
          const auto record = one.service->create(
              {.repository = "repo", .snapshot = name, .indices = "a"}, true, one.deadline);
          REQUIRE(record.ok());
          made.push_back(name);
        }
      };
      place.at = at;
      if (by_cleanup)
        (void)two.service->cleanup("repo", {}).ok();
      else
        (void)two.service->remove("repo", "old", two.deadline).ok();
      met = place.at < 0;
      place.at = -1;
      for (std::size_t i = 0; i < made.size(); ++i) check_restored(*place.store, made[i], 11 + i);
    }
  }
}

TEST_CASE("races: a snapshot waits for a sweep that is dead no longer than the lease says") {
  Options options;
  options.lease_lost_ms = 50;
  Place place;
  Fixture one(*place.store, "one", 1, {}, options);
  one.fill("a", 0, 3);
  REQUIRE(place.store->put(layout::sweep_key("gone"), "two", one.deadline).ok());
  CHECK(one.snapshot("s").state == "SUCCESS");
  // The next cleanup takes it away.
  CHECK(one.cleanup().deleted_blobs == 1);
  CHECK_FALSE(keys_of(*place.store).contains(layout::sweep_key("gone")));
}

TEST_CASE("races: a snapshot does not wait for sweeps that begin after it has taken its lease") {
  std::atomic<bool> sweeping{false};
  store::Store* at = nullptr;
  int sweeps = 0;
  // Of another process, whose next sweep always begins before the last one has ended.
  const auto place = store::memory_store({.before = [&](std::string_view call,
                                                        std::string_view key) {
    if (!sweeping.exchange(false)) return ok_status();
    if (call == "list" && key == layout::sweep_prefix) {
      const auto far = os::Deadline::never();
      CHECK(at->put(layout::sweep_key("n" + std::to_string(++sweeps)), "two", far).ok());
      if (sweeps > 2)
        CHECK(at->remove(layout::sweep_key("n" + std::to_string(sweeps - 2)), far).ok());
    }
    sweeping = true;
    return ok_status();
  }});
  at = place.get();
  Fixture one(*place);
  one.fill("a", 0, 3);
  sweeping = true;
  CHECK(one.snapshot("s").state == "SUCCESS");
  sweeping = false;
  CHECK(sweeps >= 2);  // the first was waited for
}

TEST_CASE("races: a deletion whose sweep fails has deleted") {
  std::atomic<bool> fails{false};
  const auto place = store::memory_store({.before = [&](std::string_view call, std::string_view) {
    if (fails && call == "remove_batch")
      return Status(Error{.kind = ErrorKind::unavailable, .message = "the store went away"});
    return ok_status();
  }});
  Fixture fixture(*place);
  fixture.fill("a", 0, 3);
  fixture.snapshot("s");
  fails = true;
  CHECK(fixture.service->remove("repo", "s", fixture.deadline).ok());
  CHECK(fixture.service->list("repo", "_all", false, fixture.deadline)->empty());
  fails = false;
  CHECK(fixture.cleanup().deleted_blobs > 0);
  CHECK(data_blobs(*place) == 0);
}

}  // namespace
}  // namespace cairn::snapshots::races_test
