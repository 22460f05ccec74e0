// SPDX-License-Identifier: Apache-2.0
// Explanations: what the tree says adds up to the score, in the words that clients know; and what
// is answered with where the time for hits is up.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "index/testing.h"

namespace cairn::index::explain_test {
namespace {

constexpr const char* mapping = R"({"properties": {
  "body": {"type": "text"}, "tag": {"type": "keyword"}, "n": {"type": "long"},
  "s": {"type": "sparse_vector"}, "rank": {"type": "rank_feature"}, "day": {"type": "date"},
  "v": {"type": "dense_vector", "dims": 2, "similarity": "l2_norm"}}})";

/// 300 documents of two segments, some of them deleted.
class World {
 public:
  World() : index_(house_.create("i", mapping)) {
    std::mt19937 random(11);
    const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
    for (int i = 0; i < 300; ++i) {
      std::string body;
      for (unsigned n = 2 + below(60); n > 0; --n) body += "w" + std::to_string(below(9)) + " ";
      const Json source =
          Json::object({{"body", body},
                        {"tag", "t" + std::to_string(below(4))},
                        {"n", static_cast<std::int64_t>(below(100))},
                        {"few", static_cast<std::int64_t>(below(4))},
                        {"rank", 1 + static_cast<std::int64_t>(below(50))},
                        {"day", 1'750'000'000'000 + static_cast<std::int64_t>(below(1000))},
                        {"s", Json::object({{"a", 0.5 + below(7)}, {"b", 0.25 + below(3)}})},
                        {"v", Json::array({0.1 * below(50), 0.1 * below(50)})}});
      house_.put(*index_, std::to_string(i), source.dump());
      if (i == 170) REQUIRE(index_->flush(house_.soon()).ok());
    }
    for (int i = 5; i < 300; i += 13) house_.remove(*index_, std::to_string(i));
    REQUIRE(index_->refresh(house_.soon()).ok());
    view_ = index_->view();
  }
  PreparedQueryPtr prepared(const Query& query) const {
    auto plan = view_->prepare(query, house_.soon(), 0, true);
    REQUIRE(plan.ok());
    return *plan;
  }
  TopDocs best(const PreparedQueryPtr& plan, std::size_t size) const {
    auto found = plan->search({.size = size}, nullptr, house_.soon());
    REQUIRE(found.ok());
    return std::move(*found);
  }
  Explanation explain(const PreparedQueryPtr& plan, DocAddress doc) const {
    auto found = plan->explain(doc, house_.soon());
    REQUIRE(found.ok());
    return std::move(*found);
  }
  DocAddress address(const char* id) const { return view_->find(id, house_.soon())->value(); }
  const View& view() const { return *view_; }
  os::Deadline soon() const { return house_.soon(); }

 private:
  mutable Fixture house_;
  std::shared_ptr<Index> index_;
  std::shared_ptr<const View> view_;
};

bool near(double a, double b) { return std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(b)); }

/// What the details come to by what the description says of them.
void check_arithmetic(const Explanation& node) {
  CAPTURE(node.description);
  const auto has = [&](const char* text) {
    return node.description.find(text) != std::string::npos;
  };
  double sum = 0, product = 1, greatest = 0;
  for (const Explanation& part : node.details) {
    check_arithmetic(part);
    const auto value = static_cast<double>(part.value);
    sum += value;
    product *= value;
    greatest = std::max(greatest, value);
  }
  const auto value = static_cast<double>(node.value);
  if (has("sum of:")) CHECK(near(sum, value));
  if (has("max of:")) CHECK(near(greatest, value));
  if (has("max plus 0.5")) CHECK(near(greatest + 0.5 * (sum - greatest), value));
  if (has("product of:") || has("boost * idf * tf") || has("computed as w * S from"))
    CHECK(near(product, value));
  const auto detail = [&](std::size_t i) { return static_cast<double>(node.details.at(i).value); };
  if (has("min of:")) CHECK(near(std::min(detail(0), detail(1)), value));
  if (has("avg of:")) CHECK(near(sum / 2, value));
  if (has("w * S / (S + k)")) CHECK(near(detail(0) * detail(2) / (detail(2) + detail(1)), value));
  if (has("w * log(a + S)")) CHECK(near(detail(0) * std::log(detail(1) + detail(2)), value));
  if (has("w * S^a / (S^a + k^a)")) {
    const double s = std::pow(detail(3), detail(2)), k = std::pow(detail(1), detail(2));
    CHECK(near(detail(0) * s / (s + k), value));
  }
  if (has("score mode [avg]")) CHECK(near(sum / 6, value));  // of weights that come to 6
  if (has("result of:")) CHECK(near(sum, value));
  if (has("computed as log(1 +")) {
    const auto n = static_cast<double>(node.details.at(0).count.value());
    const auto all = static_cast<double>(node.details.at(1).count.value());
    CHECK(near(std::log(1 + (all - n + 0.5) / (n + 0.5)), value));
  }
  if (has("computed as freq /")) {
    REQUIRE(node.details.size() == 5);
    const auto part = [&](std::size_t i) { return static_cast<double>(node.details[i].value); };
    CHECK(near(part(0) / (part(0) + part(1) * (1 - part(2) + part(2) * part(3) / part(4))), value));
  }
}

Query functions(Query inner, FunctionScoreQuery::ScoreMode score,
                FunctionScoreQuery::BoostMode boost) {
  FunctionScoreQuery q;
  q.query.push_back(std::move(inner));
  q.functions = {
      {.of = FieldValueFunction{.field = "n", .modifier = FieldModifier::log1p}, .weight = 3.0f},
      {.of = DecayFunction{.field = "n", .origin = 50, .scale = 20}, .weight = 2.0f},
      {.of = RandomFunction{.seed = 4, .field = "n"}}};
  q.score_mode = score;
  q.boost_mode = boost;
  return {.node = std::move(q)};
}

std::vector<Query> queries() {
  const auto with_boost = [](Query query, float boost) {
    query.boost = boost;
    return query;
  };
  const Query range{.node = RangeQuery{.field = "n", .gte = Json(20)}};
  const Query words = match("body", "w1 w2 w3");
  return {
      term("tag", "t1"),
      with_boost(match("body", "w1"), 3),
      words,
      {.node = MatchQuery{.field = "body", .value = "w1 w2", .op = Operator::and_}},
      {.node = MatchPhraseQuery{.field = "body", .value = "w1 w2"}},
      {.node = MatchPhraseQuery{.field = "body", .value = "w1 w2 w3", .slop = 4}},
      {.node = BoolQuery{.must = {words},
                         .should = {term("tag", "t2"), with_boost(range, 2)},
                         .filter = {range},
                         .must_not = {term("tag", "t3")}}},
      {.node = ConstantScoreQuery{.filter = {term("tag", "t2")}}, .boost = 1.5f},
      {.node = DisMaxQuery{.queries = {words, term("tag", "t1"), range}}},
      {.node = DisMaxQuery{.queries = {words, term("tag", "t1"), range}, .tie_breaker = 0.5f}},
      {.node = BoostingQuery{.positive = {words}, .negative = {range}, .negative_boost = 0.25f}},
      {.node = KnnQuery{.field = "v", .vector = {1, 2}, .k = 40}},
      {.node = SparseQuery{.field = "s", .weights = {{"a", 1.5f}, {"b", 0.5f}}}},
      {.node = CombinedFieldsQuery{.fields = {{"body", 2.0f}}, .value = "w1 w2"}, .boost = 2},
      {.node = RegexpQuery{.field = "body", .value = "w[1-3]"}},
      {.node = DistanceFeatureQuery{.field = "day", .origin = 1'750'000'000'500, .pivot_ms = 100},
       .boost = 2},
      {.node = RankFeatureQuery{.field = "rank", .pivot = 8.0f}, .boost = 3},
      {.node = RankFeatureQuery{.field = "rank"}},
      {.node =
           RankFeatureQuery{
               .field = "rank", .shape = RankFeatureQuery::Shape::log, .scaling_factor = 2}},
      {.node = RankFeatureQuery{.field = "rank",
                                .shape = RankFeatureQuery::Shape::sigmoid,
                                .pivot = 8.0f,
                                .exponent = 0.6f}},
      {.node = RankFeatureQuery{.field = "rank", .shape = RankFeatureQuery::Shape::linear}},
      functions(words, FunctionScoreQuery::ScoreMode::avg, FunctionScoreQuery::BoostMode::sum),
      functions(words, FunctionScoreQuery::ScoreMode::avg, FunctionScoreQuery::BoostMode::avg),
      functions(range, FunctionScoreQuery::ScoreMode::avg, FunctionScoreQuery::BoostMode::multiply),
      functions(range, FunctionScoreQuery::ScoreMode::avg, FunctionScoreQuery::BoostMode::replace),
      {.node = TermsSetQuery{.field = "body", .values = {"w1", "w2", "w3"}, .least_field = "few"}},
      {.node = ScriptScoreQuery{.query = {words},
                                .script = {.source = "_score * 2 + doc['n'].value"}},
       .boost = 1.5f},
      {.node = ScriptScoreQuery{.query = {range},
                                .script = {.source = "doc['n'].value * params.a",
                                           .params = Json::object({{"a", 0.5}})},
                                .min_score = 20.0f}},
      {.node = FunctionScoreQuery{.query = {words},
                                  .functions = {{.of = Script{.source = "_score + 1"},
                                                 .weight = 2.0f}}}},
      {.node = BoolQuery{.must = {words, {.node = ScriptQuery{{.source = "doc['n'].value > 50"}}}},
                         .filter = {{.node = ScriptQuery{{.source = "doc['few'].value != 1"}}}},
                         .must_not = {{.node = ScriptQuery{{.source = "doc['few'].value == 2"}}}}}},
      range,
      Query{}};
}

TEST_CASE("explain: the tree of every hit adds up to its score") {
  const World world;
  for (const Query& query : queries()) {
    const auto plan = world.prepared(query);
    const TopDocs found = world.best(plan, 400);
    REQUIRE(!found.hits.empty());
    std::vector<DocAddress> hits;
    for (const Hit& hit : found.hits) {
      const Explanation whole = world.explain(plan, hit.doc);
      CAPTURE(whole.description);
      CHECK(whole.matches);
      CHECK(whole.value == hit.score);
      check_arithmetic(whole);
      hits.push_back(hit.doc);
    }
    for (int i = 0; i < 300; ++i) {
      const auto doc = world.view().find(std::to_string(i), world.soon());
      REQUIRE(doc.ok());
      if (!doc->has_value() || std::find(hits.begin(), hits.end(), **doc) != hits.end()) continue;
      const Explanation none = world.explain(plan, **doc);
      CHECK(!none.matches);
      CHECK(none.value == 0);
      CHECK(!none.description.empty());
    }
  }
}

TEST_CASE("explain: the words of the field's engine") {
  const World world;
  const auto plan = world.prepared(match("body", "w1"));
  const Hit best = world.best(plan, 1).hits.front();
  const Explanation whole = world.explain(plan, best.doc);
  CHECK(whole.description ==
        "weight(body:w1 in " + std::to_string(best.doc.doc) + ") [PerFieldSimilarity], result of:");
  const Explanation& score = whole.details.at(0);
  CHECK(score.description.starts_with("score(freq="));
  CHECK(score.description.ends_with("), computed as boost * idf * tf from:"));
  CHECK(score.details.at(0).description == "boost");
  CHECK(near(static_cast<double>(score.details.at(0).value), 2.2));
  CHECK(score.details.at(1).description ==
        "idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:");
  CHECK(score.details.at(2).description ==
        "tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:");
  CHECK(world.explain(world.prepared({}), best.doc).description == "*:*");
  const auto range = world.prepared({.node = RangeQuery{.field = "n", .gte = Json(200)}});
  CHECK(world.explain(range, best.doc).description ==
        "n:[200 TO *] doesn't match id " + std::to_string(best.doc.doc));
  const auto both = world.prepared(
      {.node = BoolQuery{.must = {match("body", "nosuch")}, .filter = {term("tag", "t1")}}});
  CHECK(!world.explain(both, best.doc).matches);
  const auto strange = plan->explain({.segment = 9, .doc = 1}, world.soon());
  CHECK(!strange.ok());
}

TEST_CASE("searching: where the time for hits is up, what was found is answered with") {
  Fixture house;
  const auto index = house.create("i", R"({"properties": {"n": {"type": "long"}}})");
  std::vector<WriteOperation> batch;
  for (int i = 0; i < 20'000; ++i)
    batch.push_back({.source = R"({"n":)" + std::to_string(i * 7919 % 20'000) + "}"});
  REQUIRE(index->write(batch, house.soon()).ok());
  REQUIRE(index->refresh(house.soon()).ok());
  const auto search = [&](SearchParams params) {
    params.collect_until = os::Deadline::in_ms(0);
    auto found = index->view()->search({}, params, house.soon());
    REQUIRE(found.ok());
    CHECK(found->timed_out);
    CHECK(found->total > 0);
    CHECK(found->total < 20'000);
    return std::move(*found);
  };
  CHECK(search({.track_total_hits = UINT64_MAX}).hits.size() == 10);
  SearchParams sorted{.track_total_hits = UINT64_MAX};
  sorted.sort = {{.by = SortKey::By::field, .field = "n"},
                 {.by = SortKey::By::score, .descending = true}};
  const TopDocs found = search(sorted);
  REQUIRE(found.hits.size() == 10);
  CHECK(std::is_sorted(found.hits.begin(), found.hits.end(),
                       [](const Hit& a, const Hit& b) { return a.sort < b.sort; }));
  // The time of the caller itself is an error, and so is that of a caller who left.
  SearchParams both;
  both.collect_until = os::Deadline::in_ms(0);
  CHECK(!index->view()->search({}, both, os::Deadline::in_ms(0)).ok());
  SearchParams counted{.size = 0};
  counted.aggregations = Fixture::json(R"({"x": {"value_count": {"field": "n"}}})");
  counted.collect_until = os::Deadline::in_ms(0);
  const auto few = index->view()->search({}, counted, house.soon());
  REQUIRE(few.ok());
  CHECK(few->timed_out);
  CHECK(few->aggregations.find("x")->find("value")->as_int() < 20'000);
}

}  // namespace
}  // namespace cairn::index::explain_test
