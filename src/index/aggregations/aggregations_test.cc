// SPDX-License-Identifier: Apache-2.0
#include "index/aggregations/aggregations.h"

#include <doctest/doctest.h>

#include "index/testing.h"

namespace cairn::index::aggregations_test {
namespace {

constexpr const char* mapping = R"({"properties": {
  "k": {"type": "keyword"}, "n": {"type": "long"}, "p": {"type": "double"},
  "d": {"type": "date"}, "b": {"type": "boolean"}, "t": {"type": "text"}}})";

class Shop {
 public:
  Shop() : index_(house_.create("i", mapping)) {
    const char* documents[] = {
        R"({"k": ["red", "blue"], "n": 1, "p": 1.5, "d": "2026-01-05", "b": true})",
        R"({"k": "red", "n": [3, 5], "p": 2.5, "d": "2026-01-20T12:00:00Z", "b": false})",
        R"({"k": "green", "n": 9, "d": "2026-03-01"})",
        R"({"n": 12, "p": -1, "d": "2026-03-31T23:59:59Z", "b": true})", R"({"k": "blue"})"};
    int id = 0;
    for (const char* source : documents) {
      house_.put(*index_, std::to_string(++id), source);
      if (id == 2) REQUIRE(index_->flush(house_.soon()).ok());  // two segments
    }
    REQUIRE(index_->refresh(house_.soon()).ok());
  }
  Result<TopDocs> run(const std::string& request, bool typed_keys = false) {
    SearchParams params{.size = 0};
    params.typed_keys = typed_keys;
    params.aggregations = Fixture::json(request);
    params.read_query = [](const Json& json) -> Result<Query> {
      const auto& [field, value] = json.find("term")->as_object().front();
      return term(field, value);
    };
    return index_->view()->search({}, params, house_.soon());
  }
  std::string shown(const std::string& request) {
    auto found = run(R"({"x": )" + request + "}");
    INFO((found.ok() ? std::string() : found.error().message));
    REQUIRE(found.ok());
    return found->aggregations.find("x")->dump();
  }
  std::string refused(const std::string& request) {
    const auto found = run(request);
    REQUIRE(!found.ok());
    return found.error().message;
  }

 private:
  Fixture house_;
  std::shared_ptr<Index> index_;
};

TEST_CASE("aggregations: numbers") {
  Shop shop;
  CHECK(shop.shown(R"({"min": {"field": "n"}})") == R"({"value":1.0})");
  CHECK(shop.shown(R"({"max": {"field": "n"}})") == R"({"value":12.0})");
  CHECK(shop.shown(R"({"sum": {"field": "n"}})") == R"({"value":30.0})");
  CHECK(shop.shown(R"({"avg": {"field": "p"}})") == R"({"value":1.0})");
  CHECK(shop.shown(R"({"avg": {"field": "p", "missing": 3.5}})") == R"({"value":2.0})");
  CHECK(shop.shown(R"({"stats": {"field": "n"}})") ==
        R"({"count":5,"min":1.0,"max":12.0,"avg":6.0,"sum":30.0})");
  CHECK(shop.shown(R"({"avg": {"field": "nosuch"}})") == R"({"value":null})");
  CHECK(shop.shown(R"({"avg": {"field": "nosuch", "missing": 7}})") == R"({"value":7.0})");
  CHECK(shop.shown(R"({"value_count": {"field": "k"}})") == R"({"value":5})");
  CHECK(shop.shown(R"({"cardinality": {"field": "k"}})") == R"({"value":3})");
  CHECK(shop.shown(R"({"cardinality": {"field": "n"}})") == R"({"value":5})");
  CHECK(shop.shown(R"({"max": {"field": "d"}})") ==
        R"({"value":1775001599000.0,"value_as_string":"2026-03-31T23:59:59.000Z"})");
}

TEST_CASE("aggregations: typed names, and what the caller wants back") {
  Shop shop;
  const auto named = [&](const std::string& request) {
    auto found = shop.run(R"({"x": )" + request + "}", true);
    REQUIRE(found.ok());
    return found->aggregations.as_object().front().first;
  };
  CHECK(named(R"({"avg": {"field": "n"}})") == "avg#x");
  CHECK(named(R"({"terms": {"field": "k"}})") == "sterms#x");
  CHECK(named(R"({"terms": {"field": "b"}})") == "lterms#x");
  CHECK(named(R"({"terms": {"field": "p"}})") == "dterms#x");
  CHECK(named(R"({"terms": {"field": "none"}})") == "umterms#x");
  CHECK(named(R"({"date_histogram": {"field": "d", "calendar_interval": "day"}})") ==
        "date_histogram#x");
  const auto below = shop.run(
      R"({"x": {"filter": {"term": {"k": "red"}}, "aggs": {"y": {"max": {"field": "n"}}}}})", true);
  CHECK(below->aggregations.dump() == R"({"filter#x":{"doc_count":2,"max#y":{"value":5.0}}})");
  CHECK(shop.shown(R"({"max": {"field": "n"}, "meta": {"colour": "red"}})") ==
        R"({"meta":{"colour":"red"},"value":12.0})");
  CHECK(shop.refused(R"({"x": {"max": {"field": "n"}, "meta": 1}})") ==
        "[meta] of [x] must be an object");
}

TEST_CASE("aggregations: terms") {
  Shop shop;
  CHECK(
      shop.shown(R"({"terms": {"field": "k"}})") ==
      R"({"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[)"
      R"({"key":"blue","doc_count":2},{"key":"red","doc_count":2},{"key":"green","doc_count":1}]})");
  CHECK(shop.shown(R"({"terms": {"field": "k", "size": 1, "order": {"_key": "desc"}}})") ==
        R"({"doc_count_error_upper_bound":0,"sum_other_doc_count":3,"buckets":[)"
        R"({"key":"red","doc_count":2}]})");
  CHECK(shop.shown(R"({"terms": {"field": "b"}})") ==
        R"({"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[)"
        R"({"key":1,"key_as_string":"true","doc_count":2},)"
        R"({"key":0,"key_as_string":"false","doc_count":1}]})");
  CHECK(shop.shown(R"({"terms": {"field": "k", "order": {"m": "desc"}, "missing": "none"},
                       "aggs": {"m": {"max": {"field": "n"}}}})") ==
        R"({"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[)"
        R"({"key":"none","doc_count":1,"m":{"value":12.0}},)"
        R"({"key":"green","doc_count":1,"m":{"value":9.0}},)"
        R"({"key":"red","doc_count":2,"m":{"value":5.0}},)"
        R"({"key":"blue","doc_count":2,"m":{"value":1.0}}]})");
}

TEST_CASE("aggregations: terms that are chosen by pattern or by name") {
  Shop shop;
  const auto keys = [&](const std::string& field, const std::string& choice) {
    const Json shown = Fixture::json(shop.shown(
        R"({"terms": {"field": ")" + field + R"(", "order": {"_key": "asc"}, )" + choice + "}}"));
    std::string out;
    for (const Json& bucket : shown.find("buckets")->as_array())
      out += bucket.find("key")->dump() + ":" + bucket.find("doc_count")->dump() + " ";
    return out + "+" + shown.find("sum_other_doc_count")->dump();
  };
  CHECK(keys("k", R"("include": ".*e.*")") == R"("blue":2 "green":1 "red":2 +0)");
  CHECK(keys("k", R"("include": "[bg].*")") == R"("blue":2 "green":1 +0)");
  CHECK(keys("k", R"("include": "re.*")") == R"("red":2 +0)");
  CHECK(keys("k", R"("include": "re")") == "+0");
  CHECK(keys("k", R"("exclude": "re.*")") == R"("blue":2 "green":1 +0)");
  CHECK(keys("k", R"("include": ["red", "none", "blue"])") == R"("blue":2 "red":2 +0)");
  CHECK(keys("k", R"("include": ["red", "blue"], "size": 1)") == R"("blue":2 +2)");
  CHECK(keys("k", R"("exclude": ["red", "none"])") == R"("blue":2 "green":1 +0)");
  CHECK(keys("k", R"("include": ".*e.*", "exclude": ["red"])") == R"("blue":2 "green":1 +0)");
  CHECK(keys("k", R"("include": ["red", "blue"], "exclude": "b.*")") == R"("red":2 +0)");
  CHECK(keys("k", R"("include": [])") == "+0");
  CHECK(keys("k", R"("missing": "none", "include": "n.*")") == R"("none":1 +0)");
  CHECK(keys("k", R"("missing": "none", "include": ["red"])") == R"("red":2 +0)");
  CHECK(keys("k", R"("missing": "none", "exclude": ["none", "red", "green"])") == R"("blue":2 +0)");
  CHECK(keys("n", R"("include": [5, "9", 100])") == "5:1 9:1 +0");
  CHECK(keys("n", R"("exclude": [5, 9], "missing": 9)") == "1:1 3:1 12:1 +0");
  CHECK(keys("p", R"("include": [2.5, -1])") == "-1.0:1 2.5:1 +0");
  CHECK(keys("d", R"("include": ["2026-01-05"])") == "1767571200000:1 +0");
  CHECK(keys("b", R"("exclude": [false])") == "1:2 +0");
  CHECK(keys("nosuch", R"("include": "a")") == "+0");
  CHECK(shop.shown(R"({"terms": {"field": "k", "include": ["red"]},
                       "aggs": {"m": {"max": {"field": "n"}}}})") ==
        R"({"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[)"
        R"({"key":"red","doc_count":2,"m":{"value":5.0}}]})");
}

TEST_CASE("aggregations: a choice of terms that makes no sense is refused") {
  Shop shop;
  const auto refused = [&](const std::string& field, const std::string& choice) {
    return shop.refused(R"({"x": {"terms": {"field": ")" + field + R"(", )" + choice + "}}}");
  };
  CHECK(refused("n", R"("include": "1.*")") ==
        "Aggregation [x] cannot support regular expression style include/exclude settings as they "
        "can only be applied to string fields. Use an array of values for include/exclude clauses");
  CHECK(refused("n", R"("include": ["one"])").find("one") != std::string::npos);
  for (const auto* least : {"0", "-1"})
    CHECK(refused("k", R"("min_doc_count": )" + std::string(least)).find("at least 1") !=
          std::string::npos);
  CHECK(refused("k", R"("include": {"partition": 0, "num_partitions": 2})").find("Partitions") ==
        0);
  CHECK(refused("k", R"("exclude": 7)") ==
        "[exclude] of [x] must be a regular expression or a list of values");
  CHECK(refused("k", R"("include": [["a"]])") ==
        "Array elements in include/exclude clauses should be string values");
  CHECK(refused("k", R"("include": "(a")").find("expected") != std::string::npos);
  CHECK(refused("k", R"("include": ")" + std::string(1001, 'a') + "\"")
            .find("The length of regex [1001] used in the request has exceeded") == 0);
}

TEST_CASE("aggregations: a value stands in for a field that is not mapped") {
  Shop shop;
  const auto bucket = [](const std::string& key) {
    return R"({"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":)" + key +
           R"(,"doc_count":5}]})";
  };
  CHECK(shop.shown(R"({"terms": {"field": "nosuch", "missing": "q"}})") == bucket("\"q\""));
  CHECK(shop.shown(R"({"terms": {"field": "nosuch", "missing": 3}})") == bucket("3"));
  CHECK(
      shop.shown(R"({"date_histogram": {"field": "nosuch", "missing": "2026-01-05",
                       "calendar_interval": "month"}})") ==
      R"({"buckets":[{"key_as_string":"2026-01-01T00:00:00.000Z","key":1767225600000,"doc_count":5}]})");
}

TEST_CASE("aggregations: ranges and histograms") {
  Shop shop;
  CHECK(shop.shown(R"({"range": {"field": "n", "ranges": [{"to": 3}, {"from": 3, "to": 9},
                                                         {"from": 9, "key": "many"}]}})") ==
        R"({"buckets":[{"key":"*-3.0","to":3.0,"doc_count":1},)"
        R"({"key":"3.0-9.0","from":3.0,"to":9.0,"doc_count":1},)"
        R"({"key":"many","from":9.0,"doc_count":2}]})");
  CHECK(shop.shown(R"({"histogram": {"field": "n", "interval": 5}})") ==
        R"({"buckets":[{"key":0.0,"doc_count":2},{"key":5.0,"doc_count":2},)"
        R"({"key":10.0,"doc_count":1}]})");
  CHECK(shop.shown(R"({"date_histogram": {"field": "d", "calendar_interval": "month",
                                          "format": "yyyy-MM"}})") ==
        R"({"buckets":[{"key_as_string":"2026-01","key":1767225600000,"doc_count":2},)"
        R"({"key_as_string":"2026-02","key":1769904000000,"doc_count":0},)"
        R"({"key_as_string":"2026-03","key":1772323200000,"doc_count":2}]})");
  CHECK(shop.shown(R"({"date_histogram": {"field": "d", "fixed_interval": "60d",
                                          "min_doc_count": 2}})")
            .find(R"("doc_count":2)") != std::string::npos);
  CHECK(shop.shown(R"({"date_range": {"field": "d", "format": "yyyy-MM",
                       "ranges": [{"from": "2026-02", "to": "2026-04"}]}})") ==
        R"({"buckets":[{"key":"2026-02-2026-04","from":1769904000000.0,)"
        R"("from_as_string":"2026-02","to":1775001600000.0,"to_as_string":"2026-04",)"
        R"("doc_count":2}]})");
}

TEST_CASE("aggregations: filters and what is missing") {
  Shop shop;
  CHECK(
      shop.shown(R"({"filter": {"term": {"k": "red"}}, "aggs": {"s": {"sum": {"field": "n"}}}})") ==
      R"({"doc_count":2,"s":{"value":9.0}})");
  CHECK(shop.shown(R"({"filters": {"other_bucket": true, "filters":
                       {"a": {"term": {"k": "red"}}, "b": {"term": {"k": "blue"}}}}})") ==
        R"({"buckets":{"a":{"doc_count":2},"b":{"doc_count":2},"_other_":{"doc_count":2}}})");
  CHECK(shop.shown(R"({"missing": {"field": "p"}})") == R"({"doc_count":2})");
}

TEST_CASE("aggregations: mistakes are named") {
  Shop shop;
  CHECK(shop.refused(R"({"x": {"nosuch": {}}})") == "Unknown aggregation type [nosuch]");
  CHECK(shop.refused(R"({"x": {"terms": {"field": "k", "foo": 1}}})") ==
        "[terms] unknown field [foo]");
  CHECK(shop.refused(R"({"x": {"terms": {"field": "t"}}})").starts_with("Fielddata is disabled"));
  CHECK(shop.refused(R"({"x": {"avg": {"field": "k"}}})").find("[keyword] is not supported") !=
        std::string::npos);
  CHECK(shop.refused(R"({"x": {"avg": {"field": "n"}, "aggs": {"y": {"max": {"field": "n"}}}}})")
            .find("cannot accept sub-aggregations") != std::string::npos);
  CHECK(shop.refused(R"({"x": {}})").find("Missing definition") != std::string::npos);
  CHECK(shop.refused(R"({"x": {"histogram": {"field": "n", "interval": 0}}})").find(">0") !=
        std::string::npos);
  CHECK(shop.refused(R"({"x": {"histogram": {"field": "n", "interval": 0.00001}}})")
            .starts_with("Trying to create too many buckets"));
}

/// 1,000 documents, each with values of its own, over two segments.
class ManyValues {
 public:
  explicit ManyValues(Options options) : house_(options), index_(house_.create("i", mapping)) {
    std::vector<WriteOperation> operations;
    for (int i = 0; i < 1000; ++i) {
      const std::string n = std::to_string(i);
      const std::string group = R"("b":)" + std::string(i % 4 == 0 ? "true" : "false");
      operations.push_back(
          {.id = n, .source = R"({"k":"value number )" + n + R"(","n":)" + n + "," + group + "}"});
    }
    const std::span<const WriteOperation> all(operations);
    REQUIRE(index_->write(all.first(500), house_.soon()).ok());
    REQUIRE(index_->flush(house_.soon()).ok());
    REQUIRE(index_->write(all.subspan(500), house_.soon()).ok());
    REQUIRE(index_->refresh(house_.soon()).ok());
  }
  static Options options(std::size_t buckets, std::size_t bytes) {
    Options out = Fixture::quiet_options();
    out.max_buckets = buckets;
    out.aggregation_bytes_max = bytes;
    return out;
  }
  Result<TopDocs> run(const std::string& request) {
    SearchParams params{.size = 0};
    params.aggregations = Fixture::json(R"({"x": )" + request + "}");
    return index_->view()->search({}, params, house_.soon());
  }
  std::string error(const std::string& request) {
    const auto found = run(request);
    return found.ok() ? std::string() : found.error().code;
  }

 private:
  Fixture house_;
  std::shared_ptr<Index> index_;
};

TEST_CASE("aggregations: buckets count towards the limit where they are answered with") {
  ManyValues many(ManyValues::options(20, 10u << 20));
  const std::string refused = "too_many_buckets_exception";
  for (const char* field : {"k", "n"}) {
    const auto terms = [&](int size, const std::string& more = "", const std::string& below = "") {
      return R"({"terms":{"field":")" + std::string(field) + R"(","size":)" + std::to_string(size) +
             more + "}" + below + "}";
    };
    const auto found = many.run(terms(20));
    REQUIRE(found.ok());
    const Json& x = *found->aggregations.find("x");
    CHECK(x.find("buckets")->as_array().size() == 20);
    CHECK(x.find("sum_other_doc_count")->as_int() == 980);
    CHECK(many.error(terms(21)) == refused);
    // Those below count with the buckets that are answered with, also where they order them.
    const std::string ranges =
        R"(,"aggs":{"r":{"range":{"field":"n","ranges":[{"to":5},{"from":5}]}}})";
    CHECK(many.error(terms(6, "", ranges)).empty());
    CHECK(many.error(terms(7, "", ranges)) == refused);
    const std::string filtered =
        R"(,"aggs":{"m":{"missing":{"field":"n"},"aggs":{"t":{"terms":{"field":"n"}}}}})";
    CHECK(many.error(terms(20, R"(,"order":{"m.doc_count":"asc"})", filtered)).empty());
  }
  CHECK(many.error(R"({"histogram":{"field":"n","interval":50}})").empty());
  CHECK(many.error(R"({"histogram":{"field":"n","interval":47}})") == refused);
  CHECK(many.error(R"({"histogram":{"field":"n","interval":0.001}})") == refused);
  CHECK(many.error(R"({"terms":{"field":"b"},"aggs":{"h":{"terms":{"field":"n","size":9}}}})")
            .empty());
  CHECK(many.error(R"({"terms":{"field":"b"},"aggs":{"h":{"terms":{"field":"n","size":10}}}})") ==
        refused);
}

TEST_CASE("aggregations: what is held on the way is bounded in bytes") {
  const std::string refused = "circuit_breaking_exception";
  ManyValues tight(ManyValues::options(20, 20'000));
  CHECK(tight.error(R"({"terms":{"field":"k","size":1}})") == refused);
  CHECK(tight.error(R"({"terms":{"field":"n","size":1}})") == refused);
  CHECK(tight.error(R"({"cardinality":{"field":"n"}})") == refused);
  CHECK(tight.error(R"({"terms":{"field":"b"},"aggs":{"s":{"sum":{"field":"n"}}}})").empty());
  ManyValues wide(ManyValues::options(20, 100'000));
  CHECK(wide.error(R"({"terms":{"field":"k","size":1}})").empty());
  // What is counted below each value is held with it.
  CHECK(wide.error(R"({"terms":{"field":"k","size":1},"aggs":{"s":{"sum":{"field":"n"}}}})") ==
        refused);
  // What is chosen is held too: a pattern of many states, and a list.
  CHECK(wide.error(R"({"terms":{"field":"k","include":"a{100}"}})").empty());
  CHECK(wide.error(R"({"terms":{"field":"k","include":"(a{90}){100}"}})") == refused);
  Json names = Json::array();
  for (int i = 0; i < 3'000; ++i) names.push(std::to_string(i));
  CHECK(wide.error(R"({"terms":{"field":"k","include":)" + names.dump() + "}}") == refused);
}

}  // namespace
}  // namespace cairn::index::aggregations_test
