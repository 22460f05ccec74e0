// SPDX-License-Identifier: Apache-2.0
// Cleaning a repository up: what goes, what stays, and who is refused meanwhile.
#include "snapshots/service.h"

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "snapshots/installation_test.h"
#include "snapshots/layout.h"
#include "store/memory_store.h"

namespace cairn::snapshots::cleanup_test {
namespace {

using namespace installation;

TEST_CASE("cleanup: removes leavings at every level, leaves foreign names, finds nothing twice") {
  const auto place = store::memory_store();
  Fixture fixture(*place);
  fixture.fill("books", 0, 50);
  const auto record = fixture.snapshot("s1");
  CHECK(fixture.cleanup().deleted_blobs == 0);
  const std::string id = record.indices.at("books");
  const auto put = [&](const std::string& key, std::size_t size) {
    REQUIRE(place->put(key, std::string(size, 'x'), fixture.deadline).ok());
  };
  put("snap-dead.dat", 10);
  put("indices/gone/0/__data", 100);
  put("indices/gone/meta-dead.dat", 20);
  put(layout::data_key(id, "orphan"), 1000);
  put(layout::shard_key(id, "dead"), 5);
  put("pending-dead", 4);  // of another owner, and fresh: somebody may be writing
  put("readme.txt", 3);
  CHECK(fixture.cleanup().deleted_blobs == 0);
  REQUIRE(place->put("pending-dead", "here", fixture.deadline).ok());  // of this one, not running
  const auto result = fixture.cleanup();
  CHECK(result.acknowledged);
  CHECK(result.deleted_blobs == 6);
  CHECK(result.deleted_bytes == 10 + 100 + 20 + 1000 + 5 + 4);
  CHECK(fixture.cleanup().deleted_blobs == 0);
  CHECK(keys_of(*place).count("readme.txt") == 1);
  Fixture other(*place, "there", 2);
  CHECK(other.service->restore({.repository = "repo", .snapshot = "s1"}, other.deadline).ok());
}

TEST_CASE("cleanup: finds nothing twice, however many generations there were") {
  const auto place = store::memory_store();
  Fixture fixture(*place);
  fixture.fill("books", 0, 5);
  for (int i = 0; i < 6; ++i) {
    fixture.snapshot("s" + std::to_string(i));
    fixture.cleanup();
    CHECK(fixture.cleanup().deleted_blobs == 0);
  }
}

TEST_CASE("cleanup: finds nothing where nothing has failed, whatever was made and deleted") {
  const auto place = store::memory_store();
  Fixture fixture(*place);
  fixture.fill("books", 0, 5);
  for (int i = 0; i < 3; ++i) {
    const std::string name = "s" + std::to_string(i);
    fixture.snapshot(name);
    CHECK(fixture.cleanup().deleted_blobs == 0);
    REQUIRE(fixture.service->remove("repo", name, fixture.deadline).ok());
    fixture.fill("books", 5 * (i + 1), 5 * (i + 2));
    fixture.snapshot("kept" + std::to_string(i));
    CHECK(fixture.cleanup().deleted_blobs == 0);
  }
}

TEST_CASE("cleanup: F05 at once with snapshots of a second process deletes no live blob") {
  const auto place = store::memory_store();
  Fixture one(*place, "one", 1), two(*place, "two", 2);
  one.fill("a", 0, 50);
  std::atomic<bool> stop{false};
  std::thread cleaner([&] {
    while (!stop) {
      // A refusal is an answer too: another cleanup or snapshot was faster.
      (void)two.service->cleanup("repo", {}).ok();
    }
  });
  std::vector<std::string> made;
  for (int i = 0; i < 30; ++i) {
    const std::string name = "s" + std::to_string(i);
    one.fill("a", 50 + i, 51 + i);
    const auto record =
        one.service->create({.repository = "repo", .snapshot = name}, true, one.deadline);
    if (record.ok()) made.push_back(name);
    if (i % 5 == 4 && !made.empty()) {
      if (one.service->remove("repo", made.front(), one.deadline).ok()) made.erase(made.begin());
    }
  }
  stop = true;
  cleaner.join();
  REQUIRE_FALSE(made.empty());
  for (const auto& name : made) {
    CAPTURE(name);
    Fixture other(*place, "three", 3);
    const auto restored =
        other.service->restore({.repository = "repo", .snapshot = name}, other.deadline);
    CHECK_MESSAGE(restored.ok(), (restored.ok() ? std::string() : restored.error().message));
  }
}

TEST_CASE("cleanup: missing repository, read-only repository") {
  const auto place = store::memory_store();
  Fixture fixture(*place);
  CHECK(fixture.service->cleanup("none", {}).error().code == "repository_missing_exception");
  REQUIRE(fixture.service
              ->put_repository({.name = "ro", .type = "fs",
                                .settings = Json::object({{"readonly", true}})},
                               true, fixture.deadline)
              .ok());
  CHECK(fixture.service->cleanup("ro", {}).error().message ==
        "[ro] cannot run cleanup on readonly repository");
}

TEST_CASE("cleanup: an expired timeout answers, unacknowledged, while the cleanup goes on") {
  std::atomic<bool> hold{false};
  const auto place = store::memory_store({.before = [&](std::string_view call, std::string_view) {
    while (call == "remove_batch" && hold) std::this_thread::yield();
    return ok_status();
  }});
  Fixture fixture(*place);
  fixture.fill("books", 0, 5);
  fixture.snapshot("s1");
  for (const std::int64_t wait : {std::int64_t{0}, std::int64_t{30}}) {
    REQUIRE(place->put("snap-dead.dat", "x", fixture.deadline).ok());
    hold = true;
    const auto result = fixture.cleanup({.timeout_ms = wait});
    CHECK_FALSE(result.acknowledged);
    CHECK(result.deleted_blobs == 0);
    CHECK(fixture.service->cleanup("repo", {}).error().message.find("already in-progress") !=
          std::string::npos);
    CHECK(fixture.service->create({.repository = "repo", .snapshot = "s2"}, true, fixture.deadline)
              .error().code == "concurrent_snapshot_execution_exception");
    hold = false;
    while (keys_of(*place).count("snap-dead.dat") > 0) std::this_thread::yield();
    // The cleanup ends a moment after its last deletion.
    while (!fixture.service->cleanup("repo", {}).ok()) std::this_thread::yield();
  }
  CHECK(fixture.cleanup({.timeout_ms = -1}).acknowledged);
}

TEST_CASE("cleanup: an expired master_timeout fails and deletes nothing") {
  std::atomic<bool> hold{false};
  std::atomic<bool> held{false};
  const auto place = store::memory_store({.before = [&](std::string_view call, std::string_view key) {
    while (call == "put" && key.starts_with("tests-") && hold) {
      held = true;
      std::this_thread::yield();
    }
    return ok_status();
  }});
  Fixture fixture(*place);
  REQUIRE(place->put("snap-dead.dat", "x", fixture.deadline).ok());
  hold = true;
  std::thread registering([&] {
    CHECK(fixture.service->put_repository({.name = "slow", .type = "fs"}, true, fixture.deadline).ok());
  });
  while (!held) std::this_thread::yield();
  for (const std::int64_t wait : {std::int64_t{0}, std::int64_t{30}}) {
    const auto result = fixture.service->cleanup("repo", {.master_timeout_ms = wait});
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code == "process_cluster_event_timeout_exception");
    CHECK(result.error().kind == ErrorKind::unavailable);
  }
  CHECK(keys_of(*place).count("snap-dead.dat") == 1);
  std::thread letting_go([&] {
    std::this_thread::yield();
    hold = false;
  });
  CHECK(fixture.cleanup({.master_timeout_ms = -1}).deleted_blobs == 1);
  letting_go.join();
  registering.join();
  CHECK(fixture.cleanup({.master_timeout_ms = 0}).acknowledged);  // at once
}

TEST_CASE("cleanup: refused while a snapshot runs, whose data stays") {
  std::atomic<bool> hold{false};
  std::atomic<bool> held{false};
  const auto place = store::memory_store({.before = [&](std::string_view call, std::string_view key) {
    while (call == "put" && key.starts_with("snap-") && hold) {
      held = true;
      std::this_thread::yield();
    }
    return ok_status();
  }});
  Fixture fixture(*place);
  fixture.fill("books", 0, 5);
  hold = true;
  REQUIRE(fixture.service->create({.repository = "repo", .snapshot = "s1"}, false, fixture.deadline).ok());
  while (!held) std::this_thread::yield();
  CHECK(fixture.service->cleanup("repo", {}).error().message.find("a snapshot is currently running") !=
        std::string::npos);
  const auto current = fixture.service->list("repo", "_current", false, fixture.deadline);
  REQUIRE(current->size() == 1);
  CHECK((*current)[0].record.state == "IN_PROGRESS");
  // Another installation that shares the place sees the lease and leaves the data alone.
  Fixture other(*place, "there", 2);
  CHECK(other.cleanup().deleted_blobs == 0);
  // So do those whose clocks are wrong: the store says how old a lease is.
  for (const std::int64_t ahead_ms : {3'600'000, -3'600'000}) {
    const os::FakeClock wrong(os::system_clock().unix_ms() + ahead_ms);
    Fixture elsewhere(*place, "elsewhere", 3, {}, {}, wrong);
    CHECK(elsewhere.cleanup().deleted_blobs == 0);
    const auto before = keys_of(*place);
    const auto forecast = elsewhere.service->try_cleanup("repo", elsewhere.deadline);
    REQUIRE(forecast.ok());
    CHECK(forecast->blobs == 0);
    CHECK(forecast->snapshot_running);
    CHECK(keys_of(*place) == before);
  }
  hold = false;
  while (fixture.service->list("repo", "_current", false, fixture.deadline)->size() > 0)
    std::this_thread::yield();
  CHECK((*fixture.service->list("repo", "s1", false, fixture.deadline))[0].record.state == "SUCCESS");
}

}  // namespace
}  // namespace cairn::snapshots::cleanup_test
