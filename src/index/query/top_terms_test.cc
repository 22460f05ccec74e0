// SPDX-License-Identifier: Apache-2.0
// The fast way for a few terms against the plain scorers, which look at every document.
#include "index/query/top_terms.h"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "index/testing.h"

namespace cairn::index::top_terms_test {
namespace {

constexpr const char* mapping = R"({"properties": {
  "body": {"type": "text"}, "tag": {"type": "keyword"}, "n": {"type": "long"},
  "s": {"type": "sparse_vector"}}})";

/// Documents of made-up words, rare and frequent ones, of all lengths.
class World {
 public:
  explicit World(std::uint32_t seed, Options options = Fixture::quiet_options())
      : random_(seed), house_(options), index_(house_.create("i", mapping)) {}

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_()) % n; }
  std::string word() {
    const double u = static_cast<double>(below(1'000'000) + 1) / 1'000'001.0;
    return "w" + std::to_string(static_cast<int>(1.0 / u) % 3000);
  }

  void write(std::uint32_t count) {
    std::vector<WriteOperation> batch(count);
    for (WriteOperation& operation : batch) {
      std::string body;
      const std::uint32_t words = below(10) == 0 ? 1 + below(200) : 1 + below(25);
      for (std::uint32_t i = 0; i < words; ++i) body += word() + " ";
      std::string weights;
      for (std::uint32_t i = 0; i < 6; ++i)
        weights += (i == 0 ? "\"t" : ",\"t") + std::to_string(i * 40 + below(40)) +
                   "\":" + std::to_string(1 + below(300)) + "e-2";
      operation.id = std::to_string(written_++);
      operation.source = R"({"body": ")" + body + R"(", "tag": "t)" + std::to_string(below(12)) +
                         R"(", "n": )" + std::to_string(below(1000)) + R"(, "s": {)" + weights +
                         "}}";
    }
    REQUIRE(index_->write(batch, house_.soon()).ok());
  }
  void remove_some(std::uint32_t count) {
    std::vector<WriteOperation> batch(count);
    for (WriteOperation& operation : batch) {
      operation.kind = WriteOperation::Kind::remove;
      operation.id = std::to_string(below(written_));
    }
    REQUIRE(index_->write(batch, house_.soon()).ok());
  }

  Query question() {
    if (below(5) == 0) return sparse();
    MatchQuery match{.field = "body", .value = ""};
    std::string text;
    for (std::uint32_t n = 1 + below(below(5) == 0 ? 20 : 5); n > 0; --n) text += word() + " ";
    match.value = text;
    if (below(5) < 2) match.op = Operator::and_;
    Query query{.node = std::move(match)};
    if (below(4) == 0) query.boost = 0.5f + static_cast<float>(below(5));
    return query;
  }
  Query narrowed(Query query) {
    BoolQuery outer{.must = {std::move(query)}};
    if (below(4) > 0) outer.filter.push_back(term("tag", "t" + std::to_string(below(12))));
    if (below(3) == 0)
      outer.filter.push_back(
          {.node = RangeQuery{.field = "n", .gte = Json(static_cast<std::int64_t>(below(900)))}});
    if (below(3) == 0) outer.must_not.push_back(term("tag", "t" + std::to_string(below(12))));
    return {.node = std::move(outer)};
  }

  /// Compares with a search that is sorted, which nothing is left out of.
  void check(const Query& query, std::size_t size) {
    const auto view = index_->view();
    SearchParams plain{.size = size, .track_total_hits = UINT64_MAX};
    plain.sort = {{.by = SortKey::By::score, .descending = true}, {.by = SortKey::By::doc}};
    const auto wanted = view->search(query, plain, house_.soon());
    REQUIRE(wanted.ok());
    for (const std::uint64_t counted : {std::uint64_t{0}, std::uint64_t{50}, UINT64_MAX}) {
      CAPTURE(counted);
      const auto got =
          view->search(query, {.size = size, .track_total_hits = counted}, house_.soon());
      REQUIRE(got.ok());
      CHECK(got->total == std::min(wanted->total, counted));
      CHECK(got->total_is_lower_bound == (wanted->total > counted));
      REQUIRE(got->hits.size() == wanted->hits.size());
      for (std::size_t i = 0; i < got->hits.size(); ++i) {
        CAPTURE(i);
        REQUIRE(got->hits[i].score == wanted->hits[i].score);
        REQUIRE(got->hits[i].doc == wanted->hits[i].doc);
      }
    }
    const auto count = view->count(query, house_.soon());
    REQUIRE(count.ok());
    CHECK(*count == wanted->total);
  }
  void check_many(int count) {
    for (int i = 0; i < count; ++i) {
      CAPTURE(i);
      const Query query = question();
      const std::size_t size = std::vector<std::size_t>{0, 1, 3, 10, 10, 100}[below(6)];
      check(query, size);
      const Query fewer = narrowed(query);
      for (int again = 0; again < 3; ++again) check(fewer, size);
    }
  }

  Fixture& house() { return house_; }
  Index& index() { return *index_; }

 private:
  Query sparse() {
    SparseQuery query{.field = "s", .weights = {}};
    std::set<std::uint32_t> tokens;
    for (std::uint32_t n = 1 + below(below(2) == 0 ? 24 : 6); n > 0; --n) tokens.insert(below(240));
    for (const std::uint32_t token : tokens)
      query.weights.emplace_back("t" + std::to_string(token),
                                 static_cast<float>(1 + below(100)) / 32.0f);
    return {.node = std::move(query)};
  }

  std::mt19937 random_;
  Fixture house_;
  std::shared_ptr<Index> index_;
  std::uint32_t written_ = 0;
};

}  // namespace

TEST_CASE("top terms: equal the plain scorers, over segments, with filters and deletions") {
  World world(7);
  world.write(11'000);
  REQUIRE(world.index().flush(world.house().soon()).ok());
  world.check_many(40);
  world.write(3'000);
  REQUIRE(world.index().refresh(world.house().soon()).ok());
  world.check_many(25);
  world.remove_some(40);
  REQUIRE(world.index().refresh(world.house().soon()).ok());
  world.check_many(25);
  world.remove_some(3'000);
  REQUIRE(world.index().refresh(world.house().soon()).ok());
  world.check_many(25);
  REQUIRE(world.index().force_merge(1, world.house().soon()).ok());
  REQUIRE(world.index().view()->segment_count() == 1);
  world.check_many(40);
}

TEST_CASE("top terms: the same where several threads take ranges of documents") {
  World world(8, Fixture::shared(Fixture::quiet_options()));
  world.write(11'000);
  REQUIRE(world.index().flush(world.house().soon()).ok());
  world.check_many(40);
  world.write(5'000);
  world.remove_some(2'000);
  REQUIRE(world.index().refresh(world.house().soon()).ok());
  world.check_many(40);
}

TEST_CASE("top terms: documents of one content keep their order, whatever is passed over") {
  Fixture house;
  const auto index = house.create("i", mapping);
  std::vector<WriteOperation> batch(9'000);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch[i].id = std::to_string(i);
    batch[i].source = i % 3 == 0 ? R"({"body": "a b c"})" : R"({"body": "a b d"})";
  }
  REQUIRE(index->write(batch, house.soon()).ok());
  REQUIRE(index->refresh(house.soon()).ok());
  for (const char* text : {"a", "a c", "a b c", "c d", "d"}) {
    CAPTURE(text);
    const auto found =
        house.search(*index, match("body", text), {.size = 20, .track_total_hits = 0});
    REQUIRE(found.hits.size() == 20);
    for (std::size_t i = 1; i < 20; ++i)
      CHECK((found.hits[i].score < found.hits[i - 1].score ||
             found.hits[i].doc > found.hits[i - 1].doc));
    CHECK(found.hits[0].doc.doc < 3);
  }
}

TEST_CASE("top terms: the best are kept, and a floor that is known keeps others out") {
  TopScores top(2);
  CHECK(top.threshold() < 0);
  top.add(1, {.segment = 0, .doc = 1});
  top.raise(0.5f);
  CHECK(top.threshold() == 0.5f);
  top.add(3, {.segment = 0, .doc = 2});
  CHECK(top.threshold() == 1);
  top.raise(0.75f);
  CHECK(top.threshold() == 1);
  top.add(2, {.segment = 0, .doc = 3});
  const auto best = top.take();
  REQUIRE(best.size() == 2);
  CHECK(best[0].doc.doc == 2);
  CHECK(best[1].doc.doc == 3);
}

}  // namespace cairn::index::top_terms_test
