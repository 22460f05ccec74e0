// SPDX-License-Identifier: Apache-2.0
// An index without a log, which follows what its owner keeps.
#include <doctest/doctest.h>

#include <map>

#include "index/document/document.h"
#include "index/testing.h"

namespace cairn::index::follow_test {
namespace {

Options no_log() {
  Options out = Fixture::quiet_options();
  out.logged = false;
  return out;
}

struct Follower {
  Fixture house{no_log()};
  std::shared_ptr<Index> index = house.create("i", R"({"properties":{"n":{"type":"long"}}})");

  ParsedOperation put(const std::string& id, int n, bool is_new = false) {
    auto parsed =
        parse_document(id, R"({"n":)" + std::to_string(n) + "}", {}, index->mapping(), {});
    REQUIRE(parsed.ok());
    return {.is_new = is_new, .document = std::move(*parsed)};
  }
  static ParsedOperation remove(const std::string& id) {
    ParsedOperation out{.kind = WriteOperation::Kind::remove};
    out.document.id = id;
    return out;
  }
  void follow(std::string note, std::vector<ParsedOperation> operations) {
    REQUIRE(index->follow(operations, std::move(note), house.soon()).ok());
  }
  void reopen() { index = *house.reopen()->find("i"); }
  std::string content() {
    std::string out = index->note() + ":";
    std::map<std::string, std::string> all;
    const auto view = index->view();
    const auto found = view->search({}, {.size = 100}, house.soon());
    REQUIRE(found.ok());
    for (const Hit& hit : found->hits) {
      CHECK(all.emplace(*view->id(hit.doc, house.soon()), *view->source(hit.doc, house.soon()))
                .second);
    }
    for (const auto& [id, source] : all) out += " " + id + source;
    return out;
  }
};

}  // namespace

TEST_CASE("follow: documents and the note are there at once, and after a flush for good") {
  Follower one;
  one.follow("1", {one.put("a", 1, true), one.put("b", 2, true)});
  CHECK(one.content() == R"(1: a{"n":1} b{"n":2})");
  CHECK(one.index->kept_note().empty());
  REQUIRE(one.index->flush(one.house.soon()).ok());
  CHECK(one.index->kept_note() == "1");
  one.follow("2", {one.put("a", 3), Follower::remove("b"), one.put("c", 4, true)});
  one.house.clock().advance_ms(60'000);
  CHECK(one.content() == R"(2: a{"n":3} c{"n":4})");
  CHECK(one.index->kept_note() == "1");
  one.reopen();
  CHECK(one.content() == R"(1: a{"n":1} b{"n":2})");
  one.follow("2", {one.put("a", 3), Follower::remove("b"), one.put("c", 4, true)});
  REQUIRE(one.index->flush(one.house.soon()).ok());
  one.reopen();
  CHECK(one.content() == R"(2: a{"n":3} c{"n":4})");
  CHECK(one.index->kept_note() == "2");
}

TEST_CASE("follow: a note alone is kept too, and merges keep the one of the last flush") {
  Follower one;
  one.follow("0", {});
  REQUIRE(one.index->flush(one.house.soon()).ok());
  for (int i = 1; i <= 10; ++i) {
    one.follow(std::to_string(i), {one.put(std::to_string(i), i, true)});
    REQUIRE(one.index->flush(one.house.soon()).ok());
  }
  one.follow("11", {one.put("x", 11, true)});
  REQUIRE(one.index->refresh(one.house.soon()).ok());
  const std::size_t before = one.index->statistics().segments;
  REQUIRE(one.index->maintain(one.house.soon()).ok());
  CHECK(one.index->statistics().segments < before);
  CHECK(one.index->note() == "11");
  CHECK(one.index->kept_note() == "10");
  one.reopen();
  CHECK(one.index->note() == "10");
  CHECK(one.index->view()->document_count() == 10);
}

TEST_CASE("follow: searched of late, an index is refreshed; else the next search does it") {
  Follower one;
  const auto seen = [&] { return one.index->view()->document_count(); };
  one.house.clock().advance_ms(60'000);
  one.follow("1", {one.put("a", 1, true)});
  REQUIRE(one.index->refresh_for_searches(one.house.soon()).ok());
  CHECK(one.index->statistics().segments == 0);
  CHECK(seen() == 1);
  one.follow("2", {one.put("b", 2, true)});
  CHECK(seen() == 1);
  REQUIRE(one.index->refresh_for_searches(one.house.soon()).ok());
  CHECK(seen() == 2);
}

TEST_CASE("follow: an index with a log does not, nor one whose mapping is another") {
  Fixture house;
  const auto logged = house.create("i");
  std::vector<ParsedOperation> none;
  CHECK(logged->follow(none, "1", house.soon()).error().kind == ErrorKind::invalid_argument);
  Follower one;
  ParsedOperation old = one.put("a", 1);
  REQUIRE(
      one.index
          ->put_mapping(Fixture::json(R"({"properties":{"m":{"type":"long"}}})"), one.house.soon())
          .ok());
  std::vector<ParsedOperation> operations;
  operations.push_back(std::move(old));
  CHECK(one.index->follow(operations, "1", one.house.soon()).error().kind ==
        ErrorKind::invalid_argument);
  CHECK(one.index->read_only_face()->follow(none, "1", one.house.soon()).error().code ==
        "cluster_block_exception");
}

}  // namespace cairn::index::follow_test
