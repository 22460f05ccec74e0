// SPDX-License-Identifier: Apache-2.0
// One plan, asked in every way.
#include "index/prepared_query.h"

#include "index/testing.h"
#include "os/steps.h"

namespace cairn::index::prepared_query_test {
namespace {

/// Six documents in two segments, one of them deleted.
struct World {
  Fixture house;
  std::shared_ptr<Index> index =
      house.create("things", R"({"properties":{"t":{"type":"text"},"n":{"type":"long"},
                    "v":{"type":"dense_vector","dims":2}}})");
  std::shared_ptr<const View> view;

  World() {
    for (int i = 0; i < 6; ++i) {
      house.put(*index, std::to_string(i),
                R"({"t":"word )" + std::string(i % 2 == 0 ? "even" : "odd") + R"(","n":)" +
                    std::to_string(i) + R"(,"v":[1,)" + std::to_string(i) + "]}");
      if (i == 2) REQUIRE(index->refresh(house.soon()).ok());
    }
    house.remove(*index, "4");
    REQUIRE(index->refresh(house.soon()).ok());
    view = index->view();
  }
  PreparedQueryPtr prepare(const Query& query) {
    auto prepared = view->prepare(query, house.soon());
    INFO((prepared.ok() ? std::string() : prepared.error().message));
    REQUIRE(prepared.ok());
    return *prepared;
  }
  DocAddress doc(const char* id) { return view->find(id, house.soon())->value(); }
  std::vector<DocAddress> docs(const std::vector<const char*>& names) {
    std::vector<DocAddress> out;
    for (const char* name : names) out.push_back(doc(name));
    return out;
  }
};

}  // namespace

TEST_CASE("prepared query: searched, counted and asked about documents by one plan") {
  World world;
  const auto even = world.prepare(match("t", "even"));
  CHECK(*even->count(world.house.soon()) == 2);
  const auto found = even->search({}, nullptr, world.house.soon());
  REQUIRE(found.ok());
  REQUIRE(found->hits.size() == 2);
  // In any order, over several segments, and the same one twice.
  const auto docs = world.docs({"5", "2", "0", "3", "2", "1"});
  CHECK(*even->matches(docs, world.house.soon()) ==
        std::vector<bool>{false, true, true, false, true, false});
  const auto scores = even->scores(docs, world.house.soon());
  REQUIRE(scores.ok());
  for (const Hit& hit : found->hits)
    for (std::size_t i = 0; i < docs.size(); ++i)
      if (docs[i] == hit.doc) CHECK((*scores)[i] == hit.score);
  CHECK_FALSE((*scores)[0].has_value());
  CHECK(even->terms("t") == std::vector<std::string>{"even"});
  CHECK(even->terms("n").empty());
}

TEST_CASE("prepared query: another one narrows the hits") {
  World world;
  const auto all = world.prepare({});
  CHECK(*all->count(world.house.soon()) == 5);
  const auto odd = world.prepare(match("t", "odd"));
  const auto found = all->search({}, odd.get(), world.house.soon());
  REQUIRE(found.ok());
  CHECK(found->total == 3);
}

TEST_CASE("prepared query: a labelled part is found again, planned once") {
  World world;
  Query near{.node = KnnQuery{.field = "v", .vector = {1, 0}, .k = 2}};
  near.label = 7;
  Query odd = match("t", "odd");
  odd.label = 8;
  const auto both = world.prepare({.node = BoolQuery{.should = {near, odd}}});
  CHECK(*both->part(7)->matches(world.docs({"0", "1", "2", "3"}), world.house.soon()) ==
        std::vector<bool>{true, true, false, false});
  CHECK(*both->part(8)->count(world.house.soon()) == 3);
  CHECK(both->part(9) == nullptr);
  // Asking for the part scans no vector again: it costs a walk over what was found.
  const std::uint64_t before = os::Steps::total();
  CHECK(both->part(7)->count(world.house.soon()).ok());
  CHECK(os::Steps::total() - before <= 4);
}

TEST_CASE("prepared query: any of several, with the parts of each") {
  World world;
  Query even = match("t", "even");
  even.label = 1;
  const auto any = PreparedQuery::any_of({world.prepare(even), world.prepare(term("n", Json(3)))});
  CHECK(*any->count(world.house.soon()) == 3);
  CHECK(*any->part(1)->count(world.house.soon()) == 2);
}

TEST_CASE("prepared query: a document of another view is refused, and the deadline is heeded") {
  World world;
  const auto all = world.prepare({});
  const auto wrong = all->matches({{.segment = 9, .doc = 0}}, world.house.soon());
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().message == "the document is not of this view");
}

TEST_CASE("queries: numbers of a terms query are looked for in one walk over the column") {
  World world;
  TermsQuery some{.field = "n",
                  .values = {Json(1), Json(3), Json(4), Json(1), Json(2.5), Json(99)}};
  CHECK(*world.prepare({.node = some})->count(world.house.soon()) == 2);
  some.values = {Json("5"), Json("0")};
  CHECK(*world.prepare({.node = some})->count(world.house.soon()) == 2);
  some.values = {Json("five")};
  CHECK_FALSE(world.view->prepare({.node = some}, world.house.soon()).ok());
}

TEST_CASE("queries: clauses are counted over the whole query, and no lenient one hides it") {
  Options options = Fixture::quiet_options();
  options.max_clauses = 8;
  Fixture house(options);
  const auto index = house.create("things", R"({"properties":{"t":{"type":"text"}}})");
  house.put(*index, "1", R"({"t":"a b c"})");
  REQUIRE(index->refresh(house.soon()).ok());
  const auto view = index->view();
  const auto prepared = [&](const Query& query) { return view->prepare(query, house.soon()); };
  CHECK(prepared(match("t", "a b c d e f g h")).ok());
  Query nine = match("t", "a b c d e f g h i");
  CHECK_FALSE(prepared(nine).ok());
  nine.lenient = true;
  CHECK_FALSE(prepared(nine).ok());
  const Query five = match("t", "a b c d e");
  CHECK(prepared({.node = BoolQuery{.should = {five}}}).ok());
  const auto ten = prepared({.node = BoolQuery{.should = {five, five}}});
  REQUIRE_FALSE(ten.ok());
  CHECK(ten.error().message ==
        "Query contains too many nested clauses; maxClauseCount is set to 8");
  Query phrase{.node = MatchPhraseQuery{.field = "t", .value = "a b c a b c a b c"}};
  CHECK_FALSE(prepared(phrase).ok());
  std::get<MatchPhraseQuery>(phrase.node).value = "a b c";
  CHECK(*prepared(phrase).value()->count(house.soon()) == 1);
}

TEST_CASE("queries: a phrase that repeats words is found where it stands") {
  Fixture house;
  const auto index = house.create("things", R"({"properties":{"t":{"type":"text"}}})");
  house.put(*index, "1", R"({"t":"to be or not to be"})");
  house.put(*index, "2", R"({"t":"to or to be be"})");
  house.put(*index, "3", R"({"t":"to to to to"})");
  REQUIRE(index->refresh(house.soon()).ok());
  const auto ids = [&](const char* text, std::size_t slop) {
    return house.ids(*index, {.node = MatchPhraseQuery{.field = "t", .value = text, .slop = slop}});
  };
  CHECK(ids("to be or not to be", 0) == std::vector<std::string>{"1"});
  CHECK(ids("to to to", 0) == std::vector<std::string>{"3"});
  CHECK(ids("to be", 0).size() == 2);
  CHECK(ids("be be", 0) == std::vector<std::string>{"2"});
  CHECK(ids("be be", 4).size() == 2);
}

}  // namespace cairn::index::prepared_query_test
