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

/// The one status of that name.
SnapshotStatus status_of(Fixture& fixture, const std::string& name) {
  const auto all = fixture.service->status("repo", {name}, false, fixture.deadline);
  REQUIRE_MESSAGE(all.ok(), (all.ok() ? std::string() : all.error().message));
  REQUIRE(all->size() == 1);
  return all->front();
}

/// Data blobs of a repository and their bytes.
BlobCount data_of(store::Store& place) {
  BlobCount out;
  REQUIRE(store::for_each_object(place, "", os::Deadline::in_ms(10'000),
                                 [&](const store::ObjectInfo& info) -> Status {
                                   if (layout::parse_key(info.key).kind == layout::Blob::Kind::data)
                                     out.add({1, info.size_bytes});
                                   return ok_status();
                                 })
              .ok());
  return out;
}

TEST_CASE("snapshot: its status tells what it wrote and what it refers to") {
  const auto place = store::memory_store();
  Fixture fixture(*place);
  fixture.fill("books", 0, 50);
  fixture.fill("films", 0, 7);
  fixture.snapshot("s1");
  const SnapshotStatus first = status_of(fixture, "s1");
  const BlobCount all = data_of(*place);
  CHECK_FALSE(first.running);
  REQUIRE(first.indices.size() == 2);
  BlobCount total, incremental;
  for (const auto& [name, status] : first.indices) {
    CHECK(status.stage == IndexStatus::Stage::done);
    total.add(status.total);
    incremental.add(*status.incremental);
  }
  CHECK(total == all);
  CHECK(incremental == all);
  fixture.snapshot("same", "films");
  CHECK(status_of(fixture, "same").indices.at("films").incremental == BlobCount{});
  CHECK(status_of(fixture, "same").indices.at("films").total == first.indices.at("films").total);
  fixture.fill("books", 50, 90);
  fixture.snapshot("s2", "books");
  const IndexStatus more = status_of(fixture, "s2").indices.at("books");
  const BlobCount then = data_of(*place);
  CHECK(more.incremental->blobs == then.blobs - all.blobs);
  CHECK(more.incremental->bytes == then.bytes - all.bytes);
  CHECK(more.incremental->blobs > 0);
  CHECK(more.total.bytes > more.incremental->bytes);
}

TEST_CASE("snapshot: the status of names that are not there, and of nothing that is being made") {
  const auto place = store::memory_store();
  Fixture fixture(*place);
  fixture.fill("books", 0, 5);
  fixture.snapshot("s1");
  const auto ask = [&](const std::vector<std::string>& names, bool ignore) {
    return fixture.service->status("repo", names, ignore, fixture.deadline);
  };
  CHECK(ask({"s1", "none"}, false).error().code == "snapshot_missing_exception");
  CHECK(ask({"s1", "none", "s1"}, true)->size() == 1);
  CHECK(ask({}, false)->empty());
  CHECK(fixture.service->status("", {}, false, fixture.deadline)->empty());
  CHECK(fixture.service->status("none", {}, false, fixture.deadline).error().code ==
        "repository_missing_exception");
}

/// As a version that noted nothing left it.
void forget_what_was_written(store::Store& place, const SnapshotRecord& record) {
  const os::Deadline deadline = os::Deadline::in_ms(10'000);
  const std::string key = layout::snapshot_key(record.uuid);
  Json manifest = *layout::decode(key, place.get(key, deadline)->bytes);
  REQUIRE(manifest.find(statuses_member) != nullptr);
  manifest.erase(statuses_member);
  REQUIRE(place.put(key, layout::encode(manifest), deadline).ok());
}

TEST_CASE("snapshot: of versions that did not note it, what was written is told where it is certain") {
  const auto place = store::memory_store();
  Fixture fixture(*place);
  std::vector<SnapshotRecord> records;
  std::vector<SnapshotStatus> noted;
  for (int i = 0; i < 3; ++i) {
    fixture.fill("books", 10 * i, 10 * i + 10);
    records.push_back(fixture.snapshot("s" + std::to_string(i)));
    noted.push_back(status_of(fixture, records.back().name));
  }
  for (const auto& record : records) forget_what_was_written(*place, record);
  for (int i = 0; i < 3; ++i) {
    const IndexStatus counted = status_of(fixture, records[i].name).indices.at("books");
    CHECK(counted.total == noted[i].indices.at("books").total);
    CHECK(counted.incremental == noted[i].indices.at("books").incremental);
  }
  // Whoever is gone may have written what is there.
  REQUIRE(fixture.service->remove("repo", "s0", fixture.deadline).ok());
  const IndexStatus left = status_of(fixture, "s1").indices.at("books");
  CHECK(left.total == noted[1].indices.at("books").total);
  CHECK_FALSE(left.incremental.has_value());
}

TEST_CASE("snapshot: while it is made, its status tells how far it is") {
  std::atomic<bool> hold{false}, held{false};
  std::atomic<int> before_hold{0};
  const auto place = store::memory_store({.before = [&](std::string_view what, std::string_view key) -> Status {
    (void)what;
    if (hold && layout::parse_key(key).kind == layout::Blob::Kind::data && before_hold-- <= 0) {
      held = true;
      while (hold) std::this_thread::yield();
    }
    return ok_status();
  }});
  Fixture fixture(*place);
  fixture.fill("books", 0, 50);
  fixture.fill("films", 0, 7);
  before_hold = 1;
  hold = true;
  REQUIRE(fixture.service
              ->create({.repository = "repo", .snapshot = "s1", .indices = ""}, false,
                       fixture.deadline)
              .ok());
  while (!held) std::this_thread::yield();
  const auto running = fixture.service->status("repo", {}, false, fixture.deadline);
  REQUIRE(running.ok());
  REQUIRE(running->size() == 1);
  CHECK(running->front().running);
  CHECK(running->front().record.name == "s1");
  const auto& indices = running->front().indices;
  REQUIRE(indices.size() == 2);
  CHECK(indices.at("books").stage == IndexStatus::Stage::copying);
  CHECK(indices.at("books").incremental->bytes > indices.at("books").processed.bytes);
  CHECK(indices.at("books").total == *indices.at("books").incremental);
  CHECK(indices.at("films").stage == IndexStatus::Stage::waiting);
  CHECK(indices.at("films").total.blobs > 0);
  // By its name too.
  CHECK(status_of(fixture, "s1").running);
  hold = false;
  while (!fixture.service->status("repo", {}, false, fixture.deadline)->empty())
    std::this_thread::yield();
  const SnapshotStatus ended = status_of(fixture, "s1");
  CHECK_FALSE(ended.running);
  for (const auto& [name, status] : ended.indices) CHECK(*status.incremental == status.processed);
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
