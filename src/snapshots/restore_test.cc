// SPDX-License-Identifier: Apache-2.0
// Restoring: what is refused, and what a restore that ends early leaves behind.
#include "snapshots/service.h"

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "base/encode.h"
#include "os/step_clock.h"
#include "snapshots/installation_test.h"
#include "snapshots/layout.h"
#include "store/memory_store.h"

namespace cairn::snapshots::restore_test {
namespace {

using namespace installation;

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

}  // namespace
}  // namespace cairn::snapshots::restore_test
