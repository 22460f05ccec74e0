// SPDX-License-Identifier: Apache-2.0
// Snapshots of real indices into repositories in memory, with delays and faults on request.
#include "snapshots/service.h"

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "os/threads/no_threads.h"
#include "snapshots/installation_test.h"
#include "snapshots/layout.h"
#include "store/memory_store.h"

namespace cairn::snapshots::service_test {
namespace {

using namespace installation;

TEST_CASE("snapshot: restored into another installation it answers the same") {
  const auto place = store::memory_store();
  {
    Fixture fixture(*place);
    fixture.fill("books", 0, 50);
    fixture.fill("films", 0, 7);
    const auto record = fixture.snapshot("s1");
    CHECK(record.state == "SUCCESS");
    CHECK(record.indices.size() == 2);
  }
  Fixture other(*place, "there", 2);
  const auto restored = other.service->restore(
      {.repository = "repo", .snapshot = "s1", .indices = "books", .rename_pattern = "^b(.*)$",
       .rename_replacement = "copy-b$1"},
      other.deadline);
  REQUIRE(restored.ok());
  CHECK(restored->indices == std::vector<std::string>{"copy-books"});
  CHECK(other.count("copy-books") == 50);
  const auto index = *other.indices->find("copy-books");
  CHECK((*index->get("d7", other.deadline))->source.find("word7") != std::string::npos);
}

TEST_CASE("snapshot: where the system has no thread to give, the caller makes and restores it") {
  const auto place = store::memory_store();
  Fixture fixture(*place);
  fixture.fill("books", 0, 50);
  const os::NoThreads none;
  // Without `wait` too: its answer only comes later.
  const auto begun = fixture.service->create(
      {.repository = "repo", .snapshot = "s1", .indices = ""}, false, fixture.deadline);
  REQUIRE(begun.ok());
  const auto shown = fixture.service->list("repo", "s1", false, fixture.deadline);
  REQUIRE(shown.ok());
  REQUIRE(shown->size() == 1);
  CHECK(shown->front().record.state == "SUCCESS");
  REQUIRE(fixture.service
              ->begin_restore({.repository = "repo",
                               .snapshot = "s1",
                               .indices = "books",
                               .rename_pattern = "books",
                               .rename_replacement = "copy"},
                              fixture.deadline)
              .ok());
  CHECK(fixture.count("copy") == 50);
  CHECK(fixture.cleanup().deleted_blobs == 0);
}

TEST_CASE("snapshot: a second one of an unchanged index copies no data") {
  const auto place = store::memory_store();
  Fixture fixture(*place);
  fixture.fill("books", 0, 50);
  fixture.snapshot("s1");
  const std::size_t blobs = data_blobs(*place);
  CHECK(blobs > 0);
  fixture.snapshot("s2");
  CHECK(data_blobs(*place) == blobs);
}

TEST_CASE("snapshot: names are checked, taken ones refused") {
  const auto place = store::memory_store();
  Fixture fixture(*place);
  fixture.fill("books", 0, 1);
  for (const char* name : {"", "_a", "A", "a b", "a*", "a,b", "a#b", "a/b"})
    CHECK_FALSE(fixture.service->create({.repository = "repo", .snapshot = name}, true,
                                      fixture.deadline).ok());
  fixture.snapshot("s1");
  const auto again =
      fixture.service->create({.repository = "repo", .snapshot = "s1"}, true, fixture.deadline);
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().code == "invalid_snapshot_name_exception");
  CHECK(again.error().message == "[repo:s1] Invalid snapshot name [s1], snapshot with the same "
                                 "name already exists");
  CHECK(fixture.service->create({.repository = "none", .snapshot = "s"}, true, fixture.deadline)
            .error().code == "repository_missing_exception");
  CHECK(fixture.service->create({.repository = "repo", .snapshot = "s", .indices = "absent"}, true,
                              fixture.deadline).error().code == "index_not_found_exception");
}

TEST_CASE("snapshot: deleting leaves nothing that another one does not need") {
  const auto place = store::memory_store();
  Fixture fixture(*place);
  fixture.fill("books", 0, 50);
  fixture.snapshot("s1");
  fixture.fill("books", 50, 90);
  fixture.snapshot("s2");
  REQUIRE(fixture.service->remove("repo", "s1", fixture.deadline).ok());
  CHECK(fixture.cleanup().deleted_blobs == 0);
  Fixture other(*place, "there", 2);
  REQUIRE(other.service->restore({.repository = "repo", .snapshot = "s2"}, other.deadline).ok());
  CHECK(other.count("books") == 90);
  REQUIRE(fixture.service->remove("repo", "s2", fixture.deadline).ok());
  CHECK(data_blobs(*place) == 0);
  CHECK(fixture.service->remove("repo", "s2", fixture.deadline).error().code ==
        "snapshot_missing_exception");
}

// The installation is cut before each call to the repository in turn. What was there restores, a
// new installation finds the place usable, and after one cleanup nothing is left over.
TEST_CASE("snapshot: cut at any call it leaves a repository that opens, restores and cleans up") {
  for (int cut = 0;; ++cut) {
    CAPTURE(cut);
    std::atomic<int> left{-1};
    std::atomic<bool> failed{false};
    const auto place = store::memory_store({.before = [&](std::string_view, std::string_view) -> Status {
      if (left == 0) {
        failed = true;
        return Error{.kind = ErrorKind::unavailable, .message = "the store went away"};
      }
      if (left > 0) --left;
      return ok_status();
    }});
    {
      Fixture fixture(*place);
      fixture.fill("books", 0, 20);
      fixture.snapshot("s1");
      fixture.fill("books", 20, 30);
      left = cut;
      (void)fixture.service->create({.repository = "repo", .snapshot = "s2"}, true, fixture.deadline).ok();
      left = -1;
    }
    Fixture next(*place, "here", 3);
    REQUIRE(next.service->restore({.repository = "repo", .snapshot = "s1"}, next.deadline).ok());
    CHECK(next.count("books") == 20);
    next.cleanup();
    CHECK(next.cleanup().deleted_blobs == 0);
    const auto second = next.service->list("repo", "s2", true, next.deadline);
    REQUIRE(second.ok());
    if (!second->empty() && (*second)[0].record.state == "SUCCESS") {
      REQUIRE(next.service
                  ->restore({.repository = "repo", .snapshot = "s2", .rename_pattern = "books",
                             .rename_replacement = "books2"},
                            next.deadline)
                  .ok());
      CHECK(next.count("books2") == 30);
    }
    if (!failed) {
      CHECK(cut > 8);
      break;
    }
  }
}

TEST_CASE("snapshot: two installations that write one repository both succeed, none loses data") {
  const auto place = store::memory_store();
  Fixture one(*place, "one", 1), two(*place, "two", 2);
  one.fill("a", 0, 10);
  two.fill("b", 0, 20);
  std::thread first([&] {
    for (int i = 0; i < 5; ++i)
      CHECK(one.service->create({.repository = "repo", .snapshot = "one" + std::to_string(i)}, true,
                                one.deadline).ok());
  });
  for (int i = 0; i < 5; ++i)
    CHECK(two.service->create({.repository = "repo", .snapshot = "two" + std::to_string(i)}, true,
                              two.deadline).ok());
  first.join();
  CHECK(one.service->list("repo", "_all", false, one.deadline)->size() == 10);
}

TEST_CASE("repositories: survive a restart, unknown types and names are refused") {
  const auto place = store::memory_store();
  Fixture fixture(*place);
  CHECK_FALSE(fixture.service->put_repository({.name = "x", .type = "tape"}, true, fixture.deadline).ok());
  CHECK_FALSE(fixture.service->put_repository({.name = "a b", .type = "fs"}, true, fixture.deadline).ok());
  CHECK(fixture.service->repositories().resolve("re*")->size() == 1);
  CHECK(fixture.service->repositories().resolve("none").error().code == "repository_missing_exception");
  REQUIRE(fixture.service->remove_repository("repo", fixture.deadline).ok());
  CHECK(fixture.service->remove_repository("repo", fixture.deadline).error().kind == ErrorKind::not_found);
}

}  // namespace
}  // namespace cairn::snapshots::service_test
