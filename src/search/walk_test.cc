// SPDX-License-Identifier: Apache-2.0
// Walks over many documents: each once, in order, in parts, and on from a place.
#include "search/walk.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "search/service_test_rig.h"

namespace cairn::search::walk_test {

const auto never = os::Deadline::never();

struct Walks : ServiceFixture {
  std::shared_ptr<index::Index> make(const std::string& name, int documents) {
    auto index = indices->create(name, {}, {}, never).value();
    for (int i = 0; i < documents; ++i) write(*index, std::to_string(i), i);
    REQUIRE(index->refresh(never).ok());
    return index;
  }
  static void write(index::Index& index, const std::string& id, int n) {
    const index::WriteOperation one{
        .id = id, .source = Json::object({{"n", n}}).dump(), .routing = n % 7 == 0 ? "r" : ""};
    REQUIRE(!index.write(std::span(&one, 1), never).value().front().error);
  }
  static WalkTarget target(const std::shared_ptr<index::Index>& index, WalkRange range = {}) {
    return {.index = index, .view = index->view(), .range = range};
  }
};

std::vector<WalkedDocument> all_of(DocumentWalk& walk, std::size_t count, std::size_t bytes) {
  std::vector<WalkedDocument> out;
  for (;;) {
    auto page = walk.next(count, bytes, never).value();
    if (page.documents.empty()) return out;
    CHECK(page.documents.size() <= count);
    for (auto& one : page.documents) out.push_back(std::move(one));
  }
}

TEST_CASE("walk: every document comes once, by sequence number, with its source and routing") {
  Walks rig;
  const auto index = rig.make("a", 60);
  for (int i = 0; i < 60; i += 3) rig.write(*index, std::to_string(i), 100 + i);  // written again
  REQUIRE(index->refresh(never).ok());
  REQUIRE(index->force_merge(1, never).ok());
  auto walk = rig.service.walk({rig.target(index)}, {}, never).value();
  CHECK(walk->total() == 60);
  const auto documents = all_of(*walk, 7, 1 << 20);
  REQUIRE(documents.size() == 60);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    ids.insert(documents[i].id);
    if (i > 0) CHECK(documents[i - 1].seq_no < documents[i].seq_no);
    const auto source = parse_json(documents[i].source).value();
    CHECK(documents[i].routing == (source.int_or("n") % 7 == 0 ? "r" : ""));
  }
  CHECK(ids.size() == 60);
}

TEST_CASE("walk: a page ends where its sources take the bytes that it may have") {
  Walks rig;
  auto walk = rig.service.walk({rig.target(rig.make("a", 10))}, {}, never).value();
  CHECK(walk->next(10, 1, never).value().documents.size() == 1);
  CHECK(all_of(*walk, 10, 1).size() == 9);
}

TEST_CASE("walk: goes on behind a number, up to another, and sees what its view sees") {
  Walks rig;
  const auto index = rig.make("a", 30);
  const auto target = rig.target(index, {.after = 9, .until = 19});
  rig.write(*index, "15", 1000);
  REQUIRE(index->refresh(never).ok());
  auto walk = rig.service.walk({target}, {}, never).value();
  const auto documents = all_of(*walk, 4, 1 << 20);
  REQUIRE(documents.size() == 10);
  CHECK(documents.front().id == "10");
  CHECK(documents.back().id == "19");
}

TEST_CASE("walk: a query, several indices, and parts that share the documents out") {
  Walks rig;
  const auto a = rig.make("a", 50), b = rig.make("b", 40);
  const Json query = parse_json(R"({"range": {"n": {"gte": 10}}})").value();
  std::map<std::string, int> seen;
  for (std::uint32_t part = 0; part < 3; ++part) {
    auto walk =
        rig.service
            .walk({rig.target(a), rig.target(b)},
                  {.query = query, .slice = Slice{.field = "_id", .id = part, .max = 3}}, never)
            .value();
    std::uint64_t count = 0;
    std::size_t last = 0;
    for (;;) {
      const auto page = walk->next(9, 1 << 20, never).value();
      if (page.documents.empty()) break;
      CHECK(page.target >= last);
      last = page.target;
      for (const auto& one : page.documents) ++seen[std::to_string(page.target) + one.id];
      count += page.documents.size();
    }
    CHECK(count == walk->total());
  }
  CHECK(seen.size() == 70);
  for (const auto& [id, times] : seen) CHECK_MESSAGE(times == 1, id);
}

TEST_CASE("walk: a query that cannot be read is told with its place") {
  Walks rig;
  const std::string text = R"({"query": {"foo": {}}})";
  const auto walk =
      rig.service.walk({rig.target(rig.make("a", 1))},
                       {.text = text, .query = *parse_json(text).value().find("query")}, never);
  REQUIRE(!walk.ok());
  CHECK(walk.error().message == "unknown query [foo]");
  const auto parsed = rig.service.read_walk(
      "{}", parse_json(R"({"slice": {"id": 0, "max": 2, "field": "_doc"}})").value(), {});
  CHECK(!parsed.ok());
}

TEST_CASE("walk: over no index there is nothing") {
  Walks rig;
  auto walk = rig.service.walk({}, {}, never).value();
  CHECK(walk->total() == 0);
  CHECK(walk->next(5, 5, never).value().documents.empty());
}

}  // namespace cairn::search::walk_test
