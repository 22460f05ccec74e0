// SPDX-License-Identifier: Apache-2.0
// Profiles: which parts a query has and how often each was asked, beside answers that are the same
// as without them.
#include <doctest/doctest.h>

#include <random>

#include "index/testing.h"

namespace cairn::index::profile_test {
namespace {

constexpr const char* mapping = R"({"properties": {
  "body": {"type": "text"}, "tag": {"type": "keyword"}, "n": {"type": "long"},
  "v": {"type": "dense_vector", "dims": 2, "similarity": "l2_norm"}}})";

Query match(const char* text, Operator op = Operator::or_) {
  return {.node = MatchQuery{.field = "body", .value = Json(text), .op = op}};
}
Query tag(const char* value) { return {.node = TermQuery{.field = "tag", .value = Json(value)}}; }
Query from(int n) {
  RangeQuery range;
  range.field = "n";
  range.gte = Json(n);
  return {.node = range};
}

/// 300 documents of two segments.
class World {
 public:
  World() : index_(fixture_.create("i", mapping)) {
    std::mt19937 random(5);
    for (int i = 0; i < 300; ++i) {
      std::string body;
      for (int n = 0; n < 5; ++n) body += "w" + std::to_string(random() % 6) + " ";
      const Json source = Json::object({{"body", body},
                                        {"tag", "t" + std::to_string(i % 3)},
                                        {"n", std::int64_t{i}},
                                        {"v", Json::array({0.1 * i, 1.0})}});
      fixture_.put(*index_, std::to_string(i), source.dump());
      if (i == 150) REQUIRE(index_->flush(fixture_.soon()).ok());
    }
    REQUIRE(index_->refresh(fixture_.soon()).ok());
    view_ = index_->view();
  }
  TopDocs search(const Query& query, const SearchParams& params = {}, bool measured = true) const {
    const auto plan = view_->prepare(query, fixture_.soon(), 0, false, measured);
    REQUIRE(plan.ok());
    auto found = (*plan)->search(params, nullptr, fixture_.soon());
    REQUIRE(found.ok());
    return std::move(*found);
  }
  /// The profile of a query, whose answer is compared with that of one that is not measured.
  SearchProfile profile(const Query& query, const SearchParams& params = {}) const {
    const TopDocs plain = search(query, params, false);
    CHECK(plain.profile == nullptr);
    const TopDocs found = search(query, params);
    CHECK(found.total == plain.total);
    REQUIRE(found.hits.size() == plain.hits.size());
    for (std::size_t i = 0; i < found.hits.size(); ++i) {
      CHECK(found.hits[i].doc == plain.hits[i].doc);
      if (params.sort.empty()) CHECK(found.hits[i].score == plain.hits[i].score);
    }
    REQUIRE(found.profile != nullptr);
    return *found.profile;
  }
  Fixture& fixture() { return fixture_; }

 private:
  Fixture fixture_;
  std::shared_ptr<Index> index_;
  std::shared_ptr<const View> view_;
};

std::uint64_t count(const QueryProfile& profile, QueryStep step) { return profile[step].count; }

TEST_CASE("profile: the terms of a text are parts of it, and are looked through together") {
  World world;
  const SearchProfile found = world.profile(match("w1 w2"));
  REQUIRE(found.queries.size() == 1);
  const QueryProfile& whole = found.queries.front();
  CHECK(whole.type == "BooleanQuery");
  CHECK(whole.description == "body:w1 body:w2");
  CHECK(count(whole, QueryStep::create_weight) == 1);
  CHECK(count(whole, QueryStep::build_scorer) == 2);  // once a segment
  CHECK(count(whole, QueryStep::score) == 2);         // one pass over each
  CHECK(count(whole, QueryStep::next_doc) == 0);
  REQUIRE(whole.parts.size() == 2);
  CHECK(whole.parts[0]->type == "TermQuery");
  CHECK(whole.parts[0]->description == "body:w1");
  CHECK(count(*whole.parts[0], QueryStep::build_scorer) == 2);
  CHECK(found.collector == "SimpleTopScoreDocCollector");
}

TEST_CASE("profile: documents that are walked one by one are counted one by one") {
  World world;
  const Query query{.node = DisMaxQuery{.queries = {match("w1"), from(100)}}};
  const SearchProfile found = world.profile(query, {.size = 5});
  const QueryProfile& whole = found.queries.front();
  CHECK(whole.type == "DisjunctionMaxQuery");
  CHECK(count(whole, QueryStep::build_scorer) == 2);
  const std::uint64_t hits = world.search(query).total;
  CHECK(count(whole, QueryStep::next_doc) == hits);
  CHECK(count(whole, QueryStep::score) == hits);
  REQUIRE(whole.parts.size() == 2);
  CHECK(whole.parts[0]->type == "TermQuery");
  CHECK(whole.parts[1]->type == "IndexOrDocValuesQuery");
  CHECK(count(*whole.parts[1], QueryStep::score) == 200);
}

TEST_CASE("profile: clauses, filters and sorted hits") {
  World world;
  BoolQuery clauses;
  clauses.must = {match("w1 w2", Operator::and_)};
  clauses.filter = {tag("t1"), from(50)};
  clauses.must_not = {tag("t2")};
  SearchParams params{.size = 7};
  params.sort = {{.by = SortKey::By::field, .field = "n", .descending = true}};
  for (const bool sorted : {false, true}) {
    CAPTURE(sorted);
    const SearchProfile found =
        world.profile({.node = clauses}, sorted ? params : SearchParams{.size = 7});
    const QueryProfile& whole = found.queries.front();
    CHECK(whole.type == "BooleanQuery");
    REQUIRE(whole.parts.size() == 4);
    CHECK(whole.parts[0]->parts.size() == 2);
    CHECK(whole.parts[1]->type == "TermQuery");
    CHECK(whole.parts[3]->description == "tag:t2");
    CHECK(count(*whole.parts[1], QueryStep::next_doc) + count(*whole.parts[1], QueryStep::advance) >
          0);
    CHECK(found.collector == (sorted ? "SimpleFieldCollector" : "SimpleTopScoreDocCollector"));
  }
  CHECK(world.profile({.node = clauses}, {.size = 0}).collector == "TotalHitCountCollector");
}

TEST_CASE("profile: aggregations and those below them") {
  World world;
  SearchParams params{.size = 0};
  params.aggregations = Fixture::json(R"({"tags": {"terms": {"field": "tag"},
      "aggs": {"mean": {"avg": {"field": "n"}}}}, "most": {"max": {"field": "n"}}})");
  const SearchProfile found = world.profile({}, params);
  CHECK(found.only_counts);
  REQUIRE(found.aggregations.size() == 2);
  const AggregationProfile& tags = found.aggregations[0];
  CHECK(tags.name == "tags");
  CHECK(tags.type == "GlobalOrdinalsStringTermsAggregator");
  CHECK(tags.initialize.count == 1);
  CHECK(tags.build_leaf_collector.count == 2);
  CHECK(tags.collect.count == 2);  // once a chunk
  CHECK(tags.build_aggregation.count == 1);
  REQUIRE(tags.below.size() == 1);
  CHECK(tags.below[0].type == "AvgAggregator");
  CHECK(tags.below[0].collect.count > 0);
  CHECK(tags.below[0].build_aggregation.count == 3);
  CHECK(found.aggregations[1].type == "MaxAggregator");
}

TEST_CASE("profile: the nearest vectors") {
  World world;
  KnnQuery knn{.field = "v", .vector = {3.0f, 1.0f}, .k = 4};
  knn.filter = {tag("t1")};
  const SearchProfile found = world.profile({.node = knn});
  const QueryProfile& whole = found.queries.front();
  CHECK(whole.type == "KnnFloatVectorQuery");
  REQUIRE(whole.vectors);
  CHECK(whole.vectors->operations == 100);  // those that pass, as there is no index of so few
  CHECK(!whole.vectors->is_own_search);
  REQUIRE(whole.parts.size() == 1);
  CHECK(whole.parts[0]->type == "TermQuery");
  CHECK(count(*whole.parts[0], QueryStep::next_doc) == 2);  // all documents of a segment at once
}

TEST_CASE("profile: what is asked again begins anew") {
  World world;
  const auto view = world.search(match("w1"));
  CHECK(view.profile->queries.front().type == "TermQuery");
  CHECK(view.profile->queries.front().steps[0].count == 1);
}

TEST_CASE("profile: long descriptions say how they begin") {
  World world;
  TermsQuery terms{.field = "tag", .values = {}};
  for (int i = 0; i < 2000; ++i) terms.values.emplace_back("ä" + std::to_string(i));
  const SearchProfile found = world.profile({.node = terms});
  const std::string& text = found.queries.front().description;
  CHECK(text.starts_with("tag:("));
  CHECK(text.ends_with("..."));
  CHECK(text.size() < 1'100);
}

}  // namespace
}  // namespace cairn::index::profile_test
