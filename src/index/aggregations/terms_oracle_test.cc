// SPDX-License-Identifier: Apache-2.0
// terms and cardinality beside the slow, obvious way to count: random documents in several
// segments, some of them deleted, with no value, one, or several.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "index/testing.h"

namespace cairn::index::terms_oracle_test {
namespace {

constexpr const char* mapping = R"({"properties": {
  "k": {"type": "keyword"}, "n": {"type": "long"}, "g": {"type": "keyword"},
  "m": {"type": "long"}}})";

struct Doc {
  std::vector<std::string> keys;  // k, in any order, some of them twice
  std::vector<std::int64_t> numbers;
  std::string group;
  std::int64_t measure = 0;
  bool deleted = false;

  std::string source() const {
    Json out = Json::object({{"g", group}, {"m", measure}});
    if (!keys.empty()) out.set("k", Json::array_of(keys));
    if (!numbers.empty()) out.set("n", Json::array_of(numbers));
    return out.dump();
  }
};

struct Shape {
  int documents = 0;
  int distinct = 0;
  int segments = 1;
  unsigned seed = 1;
};

struct Ask {
  std::string field = "k";
  std::string group = {};  // empty: all documents
  int size = 10;
  int least = 1;
  std::string order = "count";  // count, key or measure
  bool descending = true;
  std::string missing = {};
  bool below = false;                     // counts groups below each value
  std::string ends = {};                  // keywords: only those that end so
  std::vector<std::string> without = {};  // not these

  std::string text() const {
    Json terms = Json::object({{"field", field}, {"size", size}, {"min_doc_count", least}});
    const std::string by = order == "measure" ? "sum" : "_" + order;
    terms.set("order", Json::object({{by, descending ? "desc" : "asc"}}));
    if (!missing.empty()) terms.set("missing", field == "k" ? Json(missing) : Json(7));
    if (!ends.empty()) terms.set("include", "k[0-9]*" + ends);
    if (!without.empty()) terms.set("exclude", Json::array_of(without));
    Json out = Json::object({{"terms", terms}});
    Json subs = Json::object();
    if (order == "measure" || below)
      subs.set("sum", Json::object({{"sum", Json::object({{"field", "m"}})}}));
    if (below) subs.set("of", Json::object({{"terms", Json::object({{"field", "g"}})}}));
    if (!subs.as_object().empty()) out.set("aggs", subs);
    return out.dump();
  }
};

bool is_chosen(const Ask& ask, const std::string& key) {
  const auto& without = ask.without;
  return key.ends_with(ask.ends) && std::find(without.begin(), without.end(), key) == without.end();
}

struct Count {
  Json key;
  std::int64_t docs = 0;
  double sum = 0;
  std::map<std::string, std::int64_t> groups;
};

class World {
 public:
  explicit World(Shape shape, Options options = Fixture::quiet_options())
      : shape_(shape), random_(shape.seed), house_(options), index_(house_.create("i", mapping)) {
    const int each = shape.documents / shape.segments;
    for (int segment = 0; segment < shape.segments; ++segment) {
      std::vector<WriteOperation> batch;
      for (int i = 0; i < each; ++i) {
        docs_.push_back(make());
        batch.push_back({.id = std::to_string(docs_.size() - 1), .source = docs_.back().source()});
      }
      REQUIRE(index_->write(batch, house_.soon()).ok());
      // The last segment stays in memory.
      if (segment + 1 < shape.segments) REQUIRE(index_->flush(house_.soon()).ok());
    }
    for (std::size_t i = 0; i < docs_.size(); ++i) {
      if (below(8) != 0) continue;
      docs_[i].deleted = true;
      house_.remove(*index_, std::to_string(i));
    }
    REQUIRE(index_->refresh(house_.soon()).ok());
  }

  void check(const Ask& ask) {
    CAPTURE(ask.text());
    CAPTURE(ask.group);
    CHECK(answer(ask) == expected(ask));
  }
  void check_cardinality(const std::string& field, const std::string& group) {
    CAPTURE(field);
    CAPTURE(group);
    std::set<std::string> values;
    for (const Doc& doc : docs_) {
      if (!matches(doc, group)) continue;
      if (field == "k") values.insert(doc.keys.begin(), doc.keys.end());
      if (field == "n")
        for (const std::int64_t n : doc.numbers) values.insert(std::to_string(n));
    }
    const Json found = run(R"({"cardinality": {"field": ")" + field + "\"}}", group);
    CHECK(found.find("value")->as_int() == static_cast<std::int64_t>(values.size()));
  }
  /// With every order, size and field.
  void check_all(const std::string& group) {
    for (const char* field : {"k", "n"})
      for (const char* order : {"count", "key", "measure"})
        for (const bool descending : {true, false})
          for (const int size : {1, 10, 40'000})
            check({.field = field,
                   .group = group,
                   .size = size,
                   .least = size == 10 ? 2 : 1,
                   .order = order,
                   .descending = descending,
                   .missing = size == 1    ? ""
                              : size == 10 ? "k7"
                                           : "k7x",
                   .below = size == 10 || shape_.distinct < 100});
    check_chosen(group);
    check_cardinality("k", group);
    check_cardinality("n", group);
  }
  void check_chosen(const std::string& group) {
    for (const bool below : {true, false}) {
      for (const char* missing : {"", "k7", "k17"}) {
        check({.group = group, .missing = missing, .below = below, .ends = "7"});
        check({.group = group, .missing = missing, .below = below, .without = {"k1", "k7", "x"}});
        check({.group = group,
               .order = "key",
               .missing = missing,
               .below = below,
               .ends = "7",
               .without = {"k17"}});
      }
      check({.field = "n", .group = group, .missing = "7", .below = below, .without = {"7", "-2"}});
    }
  }
  Result<TopDocs> search(const std::string& request, const os::Deadline& deadline) {
    SearchParams params{.size = 0};
    params.aggregations = Fixture::json(R"({"x": )" + request + "}");
    return index_->view()->search({}, params, deadline);
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  Doc make() {
    Doc doc;
    for (int n = below(4); n > 0; --n) {
      doc.keys.push_back("k" + std::to_string(below(shape_.distinct)));
      doc.numbers.push_back(below(shape_.distinct) - 5);
    }
    if (below(4) == 0 && !doc.keys.empty()) {
      doc.keys.push_back(doc.keys.front());
      doc.numbers.push_back(doc.numbers.front());
    }
    // Groups of very different sizes: a rare one asks for few values.
    const int group = below(1000);
    doc.group = group < 5 ? "rare" : group < 100 ? "some" : "many";
    doc.measure = below(50);
    return doc;
  }
  static bool matches(const Doc& doc, const std::string& group) {
    return !doc.deleted && (group.empty() || doc.group == group);
  }
  Json run(const std::string& request, const std::string& group) {
    SearchParams params{.size = 0};
    params.aggregations = Fixture::json(R"({"x": )" + request + "}");
    const Query query = group.empty() ? Query{} : term("g", group);
    auto found = index_->view()->search(query, params, house_.soon());
    INFO((found.ok() ? std::string() : found.error().message));
    REQUIRE(found.ok());
    return *found->aggregations.find("x");
  }
  std::string answer(const Ask& ask) { return run(ask.text(), ask.group).dump(); }

  std::string expected(const Ask& ask) const {
    std::map<std::string, Count> keywords;
    std::map<std::int64_t, Count> numbers;
    const auto count = [&](Count& to, Json key, const Doc& doc) {
      to.key = std::move(key);
      ++to.docs;
      to.sum += static_cast<double>(doc.measure);
      ++to.groups[doc.group];
    };
    for (const Doc& doc : docs_) {
      if (!matches(doc, ask.group)) continue;
      std::set<std::string> keys(doc.keys.begin(), doc.keys.end());
      std::set<std::int64_t> own(doc.numbers.begin(), doc.numbers.end());
      if (keys.empty() && !ask.missing.empty()) keys.insert(ask.missing);
      if (own.empty() && !ask.missing.empty()) own.insert(7);
      std::erase_if(keys, [&](const std::string& key) { return !is_chosen(ask, key); });
      std::erase_if(own, [&](std::int64_t n) { return !is_chosen(ask, std::to_string(n)); });
      if (ask.field == "k")
        for (const std::string& key : keys) count(keywords[key], key, doc);
      else
        for (const std::int64_t n : own) count(numbers[n], n, doc);
    }
    std::vector<Count> all;  // by key
    for (auto& [key, one] : keywords) all.push_back(one);
    for (auto& [key, one] : numbers) all.push_back(one);
    return shown(ask, std::move(all));
  }
  static std::string shown(const Ask& ask, std::vector<Count> all) {
    std::erase_if(all, [&](const Count& one) { return one.docs < ask.least; });
    if (ask.order == "key" && ask.descending) std::reverse(all.begin(), all.end());
    if (ask.order != "key")
      std::stable_sort(all.begin(), all.end(), [&](const Count& a, const Count& b) {
        const double x = ask.order == "count" ? static_cast<double>(a.docs) : a.sum;
        const double y = ask.order == "count" ? static_cast<double>(b.docs) : b.sum;
        return ask.descending ? x > y : x < y;
      });
    std::int64_t others = 0;
    Json buckets = Json::array();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i >= static_cast<std::size_t>(ask.size)) {
        others += all[i].docs;
        continue;
      }
      Json one = Json::object({{"key", all[i].key}, {"doc_count", all[i].docs}});
      if (ask.below || ask.order == "measure")
        one.set("sum", Json::object({{"value", all[i].sum}}));
      if (ask.below) one.set("of", Json(groups_shown(all[i].groups)));
      buckets.push(std::move(one));
    }
    return Json::object({{"doc_count_error_upper_bound", 0},
                         {"sum_other_doc_count", others},
                         {"buckets", std::move(buckets)}})
        .dump();
  }
  static Json groups_shown(const std::map<std::string, std::int64_t>& groups) {
    std::vector<std::pair<std::string, std::int64_t>> all(groups.begin(), groups.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    Json buckets = Json::array();
    for (const auto& [key, docs] : all)
      buckets.push(Json::object({{"key", key}, {"doc_count", docs}}));
    return Json::object({{"doc_count_error_upper_bound", 0},
                         {"sum_other_doc_count", 0},
                         {"buckets", std::move(buckets)}});
  }

  Shape shape_;
  std::mt19937 random_;
  Fixture house_;
  std::shared_ptr<Index> index_;
  std::vector<Doc> docs_;
};

Options many_buckets() {
  Options out = Fixture::quiet_options();
  out.max_buckets = 1u << 20;
  return out;
}

TEST_CASE("terms: as the slow way, one segment") {
  World world({.documents = 600, .distinct = 40, .segments = 1, .seed = 1}, many_buckets());
  for (const char* group : {"", "rare", "some"}) world.check_all(group);
}

TEST_CASE("terms: as the slow way, few values in many segments") {
  World world({.documents = 900, .distinct = 30, .segments = 6, .seed = 2}, many_buckets());
  for (const char* group : {"", "rare", "some"}) world.check_all(group);
}

TEST_CASE("terms: as the slow way, many values in several segments") {
  World world({.documents = 4000, .distinct = 5000, .segments = 4, .seed = 3}, many_buckets());
  for (const char* group : {"", "rare", "some"}) world.check_all(group);
}

TEST_CASE("terms: as the slow way, where the numbers of all terms would take too much memory") {
  // 4 segments with some 2,000 terms each; half of this is less than 4 bytes for each of them.
  Options options = many_buckets();
  options.aggregation_bytes_max = 60'000;
  World world({.documents = 4000, .distinct = 5000, .segments = 4, .seed = 4}, options);
  for (const char* order : {"count", "key", "measure"})
    world.check({.group = "rare", .size = 20, .order = order, .missing = "k7"});
  for (const char* group : {"rare", "some"}) world.check_cardinality("n", group);
  const auto found = world.search(R"({"terms": {"field": "k"}})", os::Deadline::in_ms(60'000));
  REQUIRE(!found.ok());
  CHECK(found.error().code == "circuit_breaking_exception");
}

TEST_CASE("cardinality: a term that stands in for missing values is one of them") {
  World world({.documents = 400, .distinct = 30, .segments = 3, .seed = 5});
  const auto count = [&](const std::string& more) {
    const auto found =
        world.search(R"({"cardinality": {"field": "k")" + more + "}}", os::Deadline::in_ms(60'000));
    REQUIRE(found.ok());
    return found->aggregations.find("x")->find("value")->as_int();
  };
  CHECK(count(R"(,"missing": "k7")") == count(""));
  CHECK(count(R"(,"missing": "none")") == count("") + 1);
}

TEST_CASE("terms: walking over dictionaries ends when the caller has gone") {
  World world({.documents = 8000, .distinct = 20'000, .segments = 4, .seed = 6});
  for (const char* request :
       {R"({"terms": {"field": "k"}})", R"({"terms": {"field": "k", "include": "k1.*7"}})",
        R"({"cardinality": {"field": "k"}})"}) {
    std::stop_source gone;
    gone.request_stop();
    const auto found = world.search(request, os::Deadline::in_ms(60'000, gone.get_token()));
    REQUIRE(!found.ok());
    CHECK(found.error().kind == ErrorKind::cancelled);
  }
}

}  // namespace
}  // namespace cairn::index::terms_oracle_test
