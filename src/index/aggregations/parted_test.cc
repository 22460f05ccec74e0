// SPDX-License-Identifier: Apache-2.0
// Searches whose documents several threads count and sort answer as those of one thread do, to the
// last bit.
#include <doctest/doctest.h>

#include <random>

#include "index/testing.h"

namespace cairn::index::parted_test {
namespace {

constexpr const char* mapping = R"({"properties": {
  "k": {"type": "keyword"}, "n": {"type": "long"}, "p": {"type": "double"}, "t": {"type": "text"},
  "d": {"type": "date"}, "o": {"type": "nested", "properties": {"q": {"type": "double"}}}}})";

Options one_thread() {
  Options out;
  out.background = false;
  return out;
}

/// The same documents, some of them deleted, in three segments, of which two have several chunks.
class Twice {
 public:
  Twice() {
    for (Fixture* fixture : {&alone_, &shared_}) {
      auto index = fixture->create("i", mapping);
      std::mt19937_64 random(11);
      std::vector<WriteOperation> batch;
      for (int i = 0; i < 16'000; ++i) {
        WriteOperation operation;
        operation.id = std::to_string(i);
        operation.source = source(random);
        batch.push_back(std::move(operation));
        if (batch.size() < 1000) continue;
        REQUIRE(index->write(batch, fixture->soon()).ok());
        batch.clear();
        if (i == 8'999 || i == 9'999) REQUIRE(index->flush(fixture->soon()).ok());
      }
      for (int i = 0; i < 16'000; i += 97) fixture->remove(*index, std::to_string(i));
      REQUIRE(index->refresh(fixture->soon()).ok());
      (fixture == &alone_ ? one_ : many_) = std::move(index);
    }
    REQUIRE(one_->view()->segments().size() == 3);
  }

  void compare(const Query& query, const SearchParams& params) {
    auto expected = one_->view()->search(query, params, alone_.soon());
    auto found = many_->view()->search(query, params, shared_.soon());
    REQUIRE(expected.ok() == found.ok());
    if (!expected.ok()) {
      CHECK(found.error().code == expected.error().code);
      CHECK(found.error().message == expected.error().message);
      return;
    }
    CHECK(found->aggregations.dump() == expected->aggregations.dump());
    CHECK(found->total == expected->total);
    CHECK(found->total_is_lower_bound == expected->total_is_lower_bound);
    CHECK(found->max_score == expected->max_score);
    REQUIRE(found->hits.size() == expected->hits.size());
    for (std::size_t i = 0; i < found->hits.size(); ++i) {
      CHECK(found->hits[i].doc == expected->hits[i].doc);
      CHECK(found->hits[i].sort == expected->hits[i].sort);
      if (params.sort.empty()) CHECK(found->hits[i].score == expected->hits[i].score);
    }
  }
  void aggregate(const Query& query, const std::string& request) {
    CAPTURE(request);
    SearchParams params{.size = 3};
    params.aggregations = Fixture::json(request);
    params.read_query = [](const Json& json) -> Result<Query> {
      const auto& [field, value] = json.find("term")->as_object().front();
      return term(field, value);
    };
    compare(query, params);
  }

 private:
  static std::string source(std::mt19937_64& random) {
    // Sums of these depend on the order in which they are added.
    const double size = std::ldexp(1.0, static_cast<int>(random() % 120) - 60);
    const double price = (static_cast<double>(random() % 2'000'000) - 1e6) / 7 * size;
    std::string out =
        R"({"n": )" + std::to_string(random() % 500) + R"(, "p": )" + Json(price).dump() +
        R"(, "t": ")" + (random() % 3 == 0 ? "some words here" : "words alone") + R"(", "d": )" +
        std::to_string(1'700'000'000'000 + static_cast<std::int64_t>(random() % 9'000'000'000));
    if (random() % 5 != 0) out += R"(, "k": "k)" + std::to_string(random() % 3000) + '"';
    out += R"(, "o": [{"q": 0.1}, {"q": )" + Json(price * 3).dump() + "}]";
    return out + "}";
  }

  Fixture alone_{one_thread()};
  Fixture shared_{Fixture::shared(one_thread())};
  std::shared_ptr<Index> one_, many_;
};

TEST_CASE("parts of a search: aggregations are those of one thread") {
  Twice both;
  for (const Query& query : {Query{}, match("t", "words"), match("t", "some")}) {
    for (const char* request :
         {R"({"s": {"stats": {"field": "p"}}, "c": {"cardinality": {"field": "k"}}})",
          R"({"t": {"terms": {"field": "k", "size": 20}}})",
          R"({"t": {"terms": {"field": "k", "missing": "none", "order": {"s.value": "desc"}},
               "aggs": {"s": {"sum": {"field": "p"}}}}})",
          R"({"t": {"terms": {"field": "n", "size": 7, "order": {"_key": "asc"}},
               "aggs": {"t": {"terms": {"field": "k", "size": 2}}}}})",
          R"({"h": {"histogram": {"field": "p", "interval": 1e20, "min_doc_count": 1},
               "aggs": {"a": {"avg": {"field": "p"}}, "c": {"value_count": {"field": "k"}}}}})",
          R"({"d": {"date_histogram": {"field": "d", "calendar_interval": "day"},
               "aggs": {"s": {"stats": {"field": "p"}}}}})",
          R"({"r": {"range": {"field": "n", "ranges": [{"to": 100}, {"from": 50, "to": 400}]},
               "aggs": {"m": {"max": {"field": "p"}}}}, "m": {"missing": {"field": "k"},
               "aggs": {"s": {"sum": {"field": "p"}}}}})",
          R"({"f": {"filters": {"filters": {"a": {"term": {"n": 7}}, "b": {"term": {"k": "k9"}}},
               "other_bucket": true}, "aggs": {"s": {"sum": {"field": "p"}}}}})",
          R"({"o": {"nested": {"path": "o"}, "aggs": {"s": {"stats": {"field": "o.q"}},
               "r": {"reverse_nested": {}, "aggs": {"s": {"sum": {"field": "p"}}}}}}})"})
      both.aggregate(query, request);
  }
}

TEST_CASE("parts of a search: too many buckets are told as by one thread") {
  Twice both;
  both.aggregate(Query{}, R"({"h": {"histogram": {"field": "n", "interval": 0.001}}})");
}

TEST_CASE("parts of a search: hits sorted by fields are those of one thread") {
  Twice both;
  const auto by = [](const char* field, bool descending) {
    return SortKey{.by = SortKey::By::field, .field = field, .descending = descending};
  };
  for (const Query& query : {Query{}, match("t", "words"), match("t", "some")}) {
    for (const std::uint64_t counted : {std::uint64_t{100}, std::uint64_t{UINT64_MAX}}) {
      for (const auto& sort : std::vector<std::vector<SortKey>>{
               {by("n", false)}, {by("k", true), by("n", true)}, {by("p", true)}}) {
        SearchParams params{.size = 25};
        params.sort = sort;
        params.track_total_hits = counted;
        both.compare(query, params);
        params.track_scores = true;
        both.compare(query, params);
      }
      SearchParams groups{.size = 25};
      groups.sort = {by("p", false)};
      groups.collapse = "k";
      groups.track_total_hits = counted;
      both.compare(query, groups);
    }
  }
}

}  // namespace
}  // namespace cairn::index::parted_test
