// SPDX-License-Identifier: Apache-2.0
// Copies of an index by its checkpoints, as snapshots make them.
#include <doctest/doctest.h>

#include <map>

#include "index/testing.h"

namespace cairn::index::checkpoint_test {
namespace {

/// What a snapshot keeps: objects by name, and the manifest.
struct Copy {
  std::map<std::string, std::string> objects;
  Json manifest;
};

std::size_t copy_new(const Checkpoint& checkpoint, Copy& to) {
  std::size_t copied = 0;
  for (const CheckpointObject& object : checkpoint.objects()) {
    if (to.objects.contains(object.name)) continue;
    const auto bytes =
        checkpoint.read(object.name, 0, object.size_bytes, os::Deadline::in_ms(60'000));
    REQUIRE(bytes.ok());
    REQUIRE(bytes->size() == object.size_bytes);
    to.objects[object.name] = *bytes;
    ++copied;
  }
  to.manifest = checkpoint.manifest();
  return copied;
}

FetchObject fetch_from(const Copy& copy) {
  return [&copy](const CheckpointObject& object,
                 const std::function<Status(std::string_view)>& sink) -> Status {
    const std::string& bytes = copy.objects.at(object.name);
    CAIRN_CHECK(sink(std::string_view(bytes).substr(0, bytes.size() / 2)));
    return sink(std::string_view(bytes).substr(bytes.size() / 2));
  };
}

TEST_CASE("checkpoint: an unchanged index has nothing new to copy; a restored one answers alike") {
  Fixture fixture;
  auto index = fixture.create("i");
  for (int i = 0; i < 50; ++i)
    fixture.put(*index, std::to_string(i), R"({"t": "word)" + std::to_string(i % 7) + R"( x"})");
  Copy copy;
  {
    const auto first = index->checkpoint(fixture.soon());
    REQUIRE(first.ok());
    CHECK(first->index_name() == "i");
    CHECK(copy_new(*first, copy) == 1);
    const auto second = index->checkpoint(fixture.soon());
    REQUIRE(second.ok());
    CHECK(copy_new(*second, copy) == 0);
    CHECK(second->manifest() == first->manifest());
    CHECK(!first->read("nosuch", 0, 1, fixture.soon()).ok());
  }
  fixture.remove(*index, "3");
  fixture.put(*index, "4", R"({"t": "changed"})");
  const auto third = index->checkpoint(fixture.soon());
  REQUIRE(third.ok());
  CHECK(copy_new(*third, copy) == 2);  // a small segment, and the deletions

  Fixture other;
  const auto restored =
      other.indices().restore("again", copy.manifest, fetch_from(copy), other.soon());
  INFO((restored.ok() ? std::string() : restored.error().message));
  REQUIRE(restored.ok());
  CHECK((*restored)->uuid() != index->uuid());
  for (const char* text : {"word1", "changed", "x", "word3 word4"}) {
    const TopDocs a = fixture.search(*index, match("t", text));
    const TopDocs b = other.search(**restored, match("t", text));
    REQUIRE(a.hits.size() == b.hits.size());
    CHECK(a.total == b.total);
    for (std::size_t i = 0; i < a.hits.size(); ++i) CHECK(a.hits[i].score == b.hits[i].score);
  }
  CHECK((*(*restored)->get("4", other.soon()))->version == 2);
  CHECK(!(*restored)->get("3", other.soon())->has_value());
  CHECK(other.put(**restored, "4", R"({"t": "more"})").version == 3);
  auto reopened = other.reopen()->find("again");
  REQUIRE(reopened.ok());
  CHECK((*(*reopened)->get("4", other.soon()))->version == 3);
}

TEST_CASE("checkpoint: its objects stay while it lives, and go afterwards") {
  Fixture fixture;
  auto index = fixture.create("i");
  fixture.put(*index, "1", R"({"t": "x"})");
  auto held = std::make_optional(*index->checkpoint(fixture.soon()));
  const std::string object = held->objects().at(0).name;
  const std::string key = "index/data/" + index->uuid() + "/" + object;
  fixture.put(*index, "2", R"({"t": "y"})");
  REQUIRE(index->force_merge(1, fixture.soon()).ok());
  REQUIRE(index->maintain(fixture.soon()).ok());
  CHECK(fixture.store().head(key, fixture.soon())->has_value());
  REQUIRE(held->read(object, 0, 8, fixture.soon()).ok());
  held.reset();
  REQUIRE(index->maintain(fixture.soon()).ok());
  CHECK(!fixture.store().head(key, fixture.soon())->has_value());
}

TEST_CASE("checkpoint: a view outlives the merge of its segments") {
  Fixture fixture;
  auto index = fixture.create("i");
  fixture.put(*index, "1", R"({"t": "x"})");
  REQUIRE(index->flush(fixture.soon()).ok());
  const auto view = index->view();
  fixture.put(*index, "1", R"({"t": "y"})");
  REQUIRE(index->force_merge(1, fixture.soon()).ok());
  REQUIRE(index->maintain(fixture.soon()).ok());
  const auto found = view->search(match("t", "x"), {}, fixture.soon());
  REQUIRE(found.ok());
  REQUIRE(found->hits.size() == 1);
  CHECK(*view->source(found->hits[0].doc, fixture.soon()) == R"({"t": "x"})");
}

TEST_CASE("restore: what fails leaves nothing behind") {
  Fixture fixture;
  auto index = fixture.create("i");
  fixture.put(*index, "1", R"({"t": "x"})");
  Copy copy;
  copy_new(*index->checkpoint(fixture.soon()), copy);
  copy.objects.begin()->second[40] ^= 1;
  Fixture other;
  auto restored = other.indices().restore("r", copy.manifest, fetch_from(copy), other.soon());
  REQUIRE(!restored.ok());
  CHECK(restored.error().kind == ErrorKind::corrupt);
  CHECK(other.indices().all().empty());
  const auto fails = [](const CheckpointObject&,
                        const std::function<Status(std::string_view)>&) -> Status {
    return Error{.kind = ErrorKind::unavailable, .message = "away"};
  };
  CHECK(other.indices().restore("r", copy.manifest, fails, other.soon()).error().kind ==
        ErrorKind::unavailable);
  std::size_t left = 0;
  REQUIRE(
      store::for_each_object(other.store(), "index/", other.soon(), [&](const store::ObjectInfo&) {
        return ++left, ok_status();
      }).ok());
  CHECK(left == 0);
  CHECK(!fixture.indices().restore("i", copy.manifest, fails, fixture.soon()).ok());
}

}  // namespace
}  // namespace cairn::index::checkpoint_test
