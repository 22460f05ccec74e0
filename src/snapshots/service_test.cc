// SPDX-License-Identifier: Apache-2.0
// Snapshots of real indices into repositories in memory, with delays and faults on request.
#include "snapshots/service.h"

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "base/encode.h"
#include "os/no_threads.h"
#include "os/pool.h"
#include "os/step_clock.h"
#include "snapshots/layout.h"
#include "store/memory_store.h"

using namespace cairn;
using namespace cairn::snapshots;

namespace {

/// Several openings of one place.
class Shared final : public store::Store {
 public:
  explicit Shared(store::Store& inner) : inner_(inner) {}
  Result<store::Object> get(std::string_view key, const os::Deadline& d, store::Range r) override {
    return inner_.get(key, d, r);
  }
  Result<std::optional<store::ObjectInfo>> head(std::string_view key,
                                                const os::Deadline& d) override {
    return inner_.head(key, d);
  }
  Result<store::ObjectInfo> put(std::string_view key, std::string_view bytes, const os::Deadline& d,
                                const store::Condition& c) override {
    return inner_.put(key, bytes, d, c);
  }
  Result<std::unique_ptr<store::Upload>> begin_upload(std::string_view key,
                                                      const os::Deadline& d) override {
    return inner_.begin_upload(key, d);
  }
  Result<store::ListPage> list(const store::ListParams& p, const os::Deadline& d) override {
    return inner_.list(p, d);
  }
  Result<bool> remove(std::string_view key, const os::Deadline& d,
                      const store::Condition& c) override {
    return inner_.remove(key, d, c);
  }
  Result<std::size_t> remove_batch(const std::vector<std::string>& keys,
                                   const os::Deadline& d) override {
    return inner_.remove_batch(keys, d);
  }
  Result<store::ObjectInfo> copy(std::string_view from, std::string_view to, const os::Deadline& d,
                                 const store::Condition& c) override {
    return inner_.copy(from, to, d, c);
  }

 private:
  store::Store& inner_;
};

using Before = std::function<Status(std::string_view, std::string_view)>;

/// An installation: indices and a service over a repository that outlives it.
struct Fixture {
  std::unique_ptr<store::Store> records = store::memory_store();
  os::Pool pool{{.name = "test", .threads = 2, .queue = 64}};
  std::unique_ptr<os::Random> random;
  std::unique_ptr<index::Indices> indices;
  std::unique_ptr<Service> service;
  os::Deadline deadline = os::Deadline::in_ms(60'000);

  explicit Fixture(store::Store& place, const std::string& owner = "here", std::uint64_t seed = 1,
                   const index::Options& index_options = {})
      : random(os::seeded_random(seed)) {
    auto opened = index::Indices::open(*records, pool, os::system_clock(), *random, index_options,
                                       deadline);
    REQUIRE(opened.ok());
    indices = *std::move(opened);
    Options options;
    options.owner = owner;
    service = std::make_unique<Service>(
        *records, *indices,
        [&place](const RepositorySettings& settings,
                 PlaceIs) -> Result<std::unique_ptr<store::Store>> {
          if (settings.type != "fs")
            return Error{.kind = ErrorKind::invalid_argument,
                         .code = "repository_exception",
                         .message = "repository type [" + settings.type + "] does not exist"};
          return std::unique_ptr<store::Store>(std::make_unique<Shared>(place));
        },
        options, os::system_clock(), *random);
    REQUIRE(service->put_repository({.name = "repo", .type = "fs"}, true, deadline).ok());
  }
  ~Fixture() { service.reset(); }

  void fill(const std::string& index, int from, int to) {
    auto found = indices->find(index);
    if (!found.ok()) found = indices->create(index, nullptr, nullptr, deadline);
    REQUIRE(found.ok());
    std::vector<index::WriteOperation> operations;
    for (int i = from; i < to; ++i)
      operations.push_back({.id = "d" + std::to_string(i),
                            .source = "{\"n\":" + std::to_string(i) + ",\"t\":\"word" +
                                      std::to_string(i) + " common\"}"});
    REQUIRE((*found)->write(operations, deadline).ok());
  }
  std::uint64_t count(const std::string& index) {
    const auto found = indices->find(index);
    REQUIRE(found.ok());
    REQUIRE((*found)->refresh(deadline).ok());
    return (*found)->view()->document_count();
  }
  SnapshotRecord snapshot(const std::string& name, const std::string& what = "") {
    const auto made = service->create({.repository = "repo", .snapshot = name, .indices = what},
                                      true, deadline);
    REQUIRE_MESSAGE(made.ok(), (made.ok() ? std::string() : made.error().message));
    REQUIRE(made->has_value());
    return **made;
  }
  CleanupResult cleanup(CleanupWaits waits = {}) {
    const auto result = service->cleanup("repo", waits);
    REQUIRE_MESSAGE(result.ok(), (result.ok() ? std::string() : result.error().message));
    return *result;
  }
};

std::set<std::string> keys_of(store::Store& place) {
  std::set<std::string> out;
  REQUIRE(store::for_each_object(place, "", os::Deadline::in_ms(10'000),
                                 [&](const store::ObjectInfo& info) -> Status {
                                   out.insert(info.key);
                                   return ok_status();
                                 })
              .ok());
  return out;
}

std::size_t data_blobs(store::Store& place) {
  std::size_t count = 0;
  for (const auto& key : keys_of(place))
    count += layout::parse_key(key).kind == layout::Blob::Kind::data;
  return count;
}

}  // namespace

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

TEST_CASE("restore: one whose deadline passes half-way copies no more than it had begun") {
  const auto place = store::memory_store();
  Fixture fixture(*place, "here", 1, {.background = false});
  const auto noise = os::seeded_random(5);
  for (int part = 0; part < 6; ++part) {
    const std::string id = std::to_string(part);
    if (part == 0) REQUIRE(fixture.indices->create("noise", nullptr, nullptr, fixture.deadline).ok());
    const auto index = *fixture.indices->find("noise");
    const index::WriteOperation operation{
        .id = id, .source = R"({"t":")" + to_base64(noise->bytes(600'000)) + "\"}"};
    REQUIRE(index->write({&operation, 1}, fixture.deadline).ok());
    REQUIRE(index->flush(fixture.deadline).ok());
  }
  fixture.snapshot("s1");
  const RestoreSnapshot params{.repository = "repo",
                               .snapshot = "s1",
                               .rename_pattern = "noise",
                               .rename_replacement = "copy"};
  const auto prepare = [&] { (void)fixture.indices->remove("copy", fixture.deadline).ok(); };
  const os::HalfWay half = os::cut_half_way(prepare, [&](const os::Deadline& deadline) -> Status {
    CAIRN_CHECK(fixture.service->restore(params, deadline));
    return ok_status();
  });
  INFO(half.whole_us << " steps in all, " << half.late_us << " too late");
  CHECK(half.ends_soon());
  CHECK_FALSE(fixture.indices->find("copy").ok());
}

TEST_CASE("restore: one whose caller has gone copies no further, and leaves no index behind") {
  std::stop_source caller;
  bool restoring = false;
  int copied = 0, copied_after = 0;
  const auto place = store::memory_store({.before = [&](std::string_view, std::string_view key) {
    if (!restoring || layout::parse_key(key).kind != layout::Blob::Kind::data) return ok_status();
    ++copied;
    if (caller.stop_requested()) ++copied_after;
    caller.request_stop();
    return ok_status();
  }});
  Fixture fixture(*place);
  for (int part = 0; part < 5; ++part) {
    fixture.fill("books", part * 10, part * 10 + 10);
    REQUIRE((*fixture.indices->find("books"))->flush(fixture.deadline).ok());
  }
  fixture.snapshot("s1");
  const RestoreSnapshot params{.repository = "repo",
                               .snapshot = "s1",
                               .indices = "books",
                               .rename_pattern = "books",
                               .rename_replacement = "copy"};
  restoring = true;
  const auto ended = fixture.service->restore(params, os::Deadline::never(caller.get_token()));
  restoring = false;
  REQUIRE(copied > 0);  // else nobody has gone
  CHECK_FALSE(ended.ok());
  CHECK(copied_after <= 1);
  CHECK_FALSE(fixture.indices->find("copy").ok());
  REQUIRE(fixture.service->restore(params, fixture.deadline).ok());
  CHECK(fixture.count("copy") == 50);
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
  hold = false;
  while (fixture.service->list("repo", "_current", false, fixture.deadline)->size() > 0)
    std::this_thread::yield();
  CHECK((*fixture.service->list("repo", "s1", false, fixture.deadline))[0].record.state == "SUCCESS");
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

TEST_CASE("restore: refuses an index that is there, an unknown snapshot, a bad pattern") {
  const auto place = store::memory_store();
  Fixture fixture(*place);
  fixture.fill("books", 0, 5);
  fixture.snapshot("s1");
  const auto there = fixture.service->restore({.repository = "repo", .snapshot = "s1"}, fixture.deadline);
  REQUIRE_FALSE(there.ok());
  CHECK(there.error().code == "snapshot_restore_exception");
  CHECK(fixture.service->restore({.repository = "repo", .snapshot = "s9"}, fixture.deadline)
            .error().code == "snapshot_missing_exception");
  CHECK_FALSE(fixture.service
                  ->restore({.repository = "repo", .snapshot = "s1", .rename_pattern = "(",
                             .rename_replacement = "x"},
                            fixture.deadline)
                  .ok());
  CHECK(fixture.service->restore({.repository = "repo", .snapshot = "s1", .indices = "other"},
                               fixture.deadline).error().code == "index_not_found_exception");
}

TEST_CASE("restore: F02 a crafted snapshot is refused, and leaves no index behind") {
  struct Row {
    const char* what;
    std::function<void(store::Store&, const SnapshotRecord&)> craft;
  };
  const os::Deadline soon = os::Deadline::in_ms(60'000);
  const auto bytes_of = [&](store::Store& place, const std::string& key) {
    const auto object = place.get(key, soon);
    REQUIRE(object.ok());
    return object->bytes;
  };
  /// Puts the JSON of a blob back with every `from` in it changed.
  const auto replace_in = [&](store::Store& place, const std::string& key, const std::string& from,
                              const std::string& to) {
    std::string text = layout::decode(key, bytes_of(place, key))->dump();
    std::size_t count = 0;
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
      ++count;
    }
    REQUIRE_MESSAGE(count > 0, text);
    const auto crafted = parse_json(text);
    REQUIRE(crafted.ok());
    REQUIRE(place.put(key, layout::encode(*crafted), soon).ok());
  };
  const auto data_key_of = [&](store::Store& place) {
    std::string largest;
    std::uint64_t size = 0;
    REQUIRE(store::for_each_object(place, layout::indices_prefix, soon,
                                   [&](const store::ObjectInfo& info) -> Status {
                                     const bool data = layout::parse_key(info.key).kind ==
                                                       layout::Blob::Kind::data;
                                     if (data && info.size_bytes > size) {
                                       largest = info.key;
                                       size = info.size_bytes;
                                     }
                                     return ok_status();
                                   })
                .ok());
    REQUIRE_FALSE(largest.empty());
    return largest;
  };
  const auto name_in = [&](store::Store& place, const std::string& key) {
    const auto meta = layout::decode(key, bytes_of(place, key));
    REQUIRE(meta.ok());
    return meta->find_path("manifest.segments")->as_array().at(0).string_or("name");
  };
  const std::string newest = layout::generation_key(0);
  const std::vector<Row> rows = {
      {"an index id that leads out",
       [&](store::Store& place, const SnapshotRecord& record) {
         replace_in(place, newest, record.indices.at("books"), "../../outside");
       }},
      {"an index name that leads out",
       [&](store::Store& place, const SnapshotRecord&) {
         replace_in(place, newest, "\"books\"", "\"../books\"");
       }},
      {"an absolute index name",
       [&](store::Store& place, const SnapshotRecord&) {
         replace_in(place, newest, "\"books\"", "\"/etc\"");
       }},
      {"an object name that leads out",
       [&](store::Store& place, const SnapshotRecord& record) {
         const auto key = layout::index_key(record.indices.at("books"), record.uuid);
         const std::string name = name_in(place, key);
         replace_in(place, key, name, "../" + name);
       }},
      {"an object of another repository",
       [&](store::Store& place, const SnapshotRecord& record) {
         const auto key = layout::index_key(record.indices.at("books"), record.uuid);
         const std::string name = name_in(place, key);
         replace_in(place, key, name, "../../../../other/indices/x/0/__" + name);
       }},
      {"a flipped byte",
       [&](store::Store& place, const SnapshotRecord&) {
         const std::string key = data_key_of(place);
         std::string bytes = bytes_of(place, key);
         bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
         REQUIRE(place.put(key, bytes, soon).ok());
       }},
      {"a shorter object",
       [&](store::Store& place, const SnapshotRecord&) {
         const std::string key = data_key_of(place);
         const std::string bytes = bytes_of(place, key);
         REQUIRE(place.put(key, bytes.substr(0, bytes.size() - 1), soon).ok());
       }},
      {"an empty object",
       [&](store::Store& place, const SnapshotRecord&) {
         REQUIRE(place.put(data_key_of(place), "", soon).ok());
       }},
      {"a manifest that is none",
       [&](store::Store& place, const SnapshotRecord& record) {
         REQUIRE(place.put(layout::index_key(record.indices.at("books"), record.uuid),
                           layout::encode(Json::object({{"manifest", Json::array()}})), soon)
                     .ok());
       }},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.what));
    const auto place = store::memory_store();
    SnapshotRecord record;
    {
      Fixture fixture(*place);
      fixture.fill("books", 0, 200);
      record = fixture.snapshot("s1");
    }
    row.craft(*place, record);
    Fixture other(*place, "there", 2);
    CHECK_FALSE(other.service->restore({.repository = "repo", .snapshot = "s1"}, other.deadline).ok());
    for (const auto* name : {"books", "../books", "/etc"})
      CHECK_FALSE(other.indices->find(name).ok());
  }
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
