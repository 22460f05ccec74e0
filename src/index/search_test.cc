// SPDX-License-Identifier: Apache-2.0
// Random documents and random queries, compared with the oracle: ids, scores, counts, orders;
// across refreshes, flushes, merges and restarts.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>

#include "base/sanitized.h"
#include "index/oracle.h"
#include "index/query/explain.h"
#include "index/random_searches.h"
#include "index/testing.h"

namespace cairn::index::search_test {
namespace {

using oracle::Document;

/// Of one kind, beside the oracle: other builds ask all.
constexpr int random_queries = sanitized ? 50 : 400;

// The kinds of a query and of what lies below it, by their place in Query::Node.
std::string kinds(const Query& query) {
  std::string out = std::to_string(query.node.index());
  const auto add = [&](const char* name, const std::vector<Query>& list) {
    for (const Query& sub : list) out += std::string(" ") + name + "(" + kinds(sub) + ")";
  };
  if (const auto* b = std::get_if<BoolQuery>(&query.node)) {
    add("must", b->must);
    add("should", b->should);
    add("filter", b->filter);
    add("not", b->must_not);
  }
  if (const auto* c = std::get_if<ConstantScoreQuery>(&query.node)) add("constant", c->filter);
  if (const auto* d = std::get_if<DisMaxQuery>(&query.node)) add("any", d->queries);
  if (const auto* k = std::get_if<KnnQuery>(&query.node)) add("filter", k->filter);
  if (const auto* n = std::get_if<NestedQuery>(&query.node)) add(n->path.c_str(), n->query);
  return out;
}

class World : public oracle::RandomSearches {
 public:
  explicit World(unsigned seed) : RandomSearches(seed) { house_.create("i", oracle::mapping); }

  void write_some(std::size_t count, bool deletes) {
    auto& index = *current();
    std::vector<WriteOperation> batch;
    for (std::size_t i = 0; i < count; ++i) {
      WriteOperation operation;
      operation.id = "d" + std::to_string(below(deletes ? 700 : 100'000));
      if (deletes && chance(0.25)) {
        operation.kind = WriteOperation::Kind::remove;
        documents_.erase(operation.id);
      } else {
        if (!deletes && documents_.contains(operation.id)) continue;
        Document d = document(operation.id);
        operation.source = d.json().dump();
        documents_[operation.id] = std::move(d);
      }
      batch.push_back(std::move(operation));
      if (batch.size() > below(40)) flush_batch(index, batch);
    }
    flush_batch(index, batch);
    REQUIRE(index.refresh(house_.soon()).ok());
  }

  void flush_batch(Index& index, std::vector<WriteOperation>& batch) {
    const auto results = index.write(batch, house_.soon());
    REQUIRE(results.ok());
    for (const WriteResult& result : *results) {
      INFO((result.error ? result.error->message : std::string()));
      REQUIRE(!result.error);
    }
    batch.clear();
  }

  std::shared_ptr<Index> current() {
    auto found = house_.indices().find("i");
    REQUIRE(found.ok());
    return *found;
  }

  void check(const Query& query);
  void check_sorted(const Query& query);
  void check_in_order(const Query& query);
  void check_slices(const Query& query);
  void check_collapsed(const Query& query);
  void check_counted_objects(const Query& query);
  void check_sorted_by_objects(const Query& query);
  void check_all(int rounds) {
    const auto view = current()->view();
    REQUIRE(view->document_count() == documents_.size());
    for (int i = 0; i < rounds; i += sanitized ? 3 : 1) {
      const Query q = this->query(2);
      CAPTURE(i);
      CAPTURE(kinds(q));
      check(q);
      if (i % 3 == 0) check_sorted(q);
      if (i % 3 == 1) check_in_order(q);
      if (i % 6 == 2) check_slices(q);
      if (i % 6 == 5) check_collapsed(q);
      if (i % 4 == 0) check_counted_objects(q);
      if (i % 4 == 2) check_sorted_by_objects(q);
    }
  }

  Fixture house_;
  std::map<std::string, Document> documents_;
};

bool close(double a, double b) { return std::abs(a - b) <= 2e-5 * std::max(1.0, std::abs(b)); }

void World::check(const Query& query) {
  const auto view = current()->view();
  oracle::Judge judge(documents_, *view);
  judge.vocabulary = vocabulary();
  const auto expected = judge.all(query);
  std::vector<double> best;
  for (const auto& [id, score] : expected) best.push_back(score);
  std::sort(best.rbegin(), best.rend());

  SearchParams params;
  params.size = chance(0.5) ? 10 : 2000;
  params.from = chance(0.2) ? below(20) : 0;
  params.track_total_hits = chance(0.5) ? UINT64_MAX : below(60);
  const auto found = view->search(query, params, house_.soon());
  INFO((found.ok() ? std::string() : found.error().message));
  REQUIRE(found.ok());
  if (expected.size() > params.track_total_hits) {
    CHECK(found->total == params.track_total_hits);
    CHECK(found->total_is_lower_bound);
  } else {
    CHECK(found->total == expected.size());
    CHECK(!found->total_is_lower_bound);
  }
  const std::size_t shown = std::min(params.size, best.size() - std::min(best.size(), params.from));
  REQUIRE(found->hits.size() == shown);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < found->hits.size(); ++i) {
    const Hit& hit = found->hits[i];
    const auto id = view->id(hit.doc, house_.soon());
    REQUIRE(id.ok());
    CHECK(ids.insert(*id).second);
    const auto at = expected.find(*id);
    CAPTURE(*id);
    REQUIRE(at != expected.end());
    CAPTURE(hit.score);
    CAPTURE(at->second);
    CHECK(close(static_cast<double>(hit.score), at->second));
    CHECK(close(static_cast<double>(hit.score), best[i + params.from]));
  }
  const auto count = view->count(query, house_.soon());
  REQUIRE(count.ok());
  CHECK(*count == expected.size());
}

// Sorted by values, in pages by search_after, the order is the one of the values.
void World::check_sorted(const Query& query) {
  const auto view = current()->view();
  oracle::Judge judge(documents_, *view);
  judge.vocabulary = vocabulary();
  const auto expected = judge.all(query);
  SearchParams params;
  params.size = 7;
  params.sort.push_back({.by = SortKey::By::field,
                         .field = chance(0.5)   ? "n"
                                  : chance(0.5) ? "tags"
                                                : "price",
                         .descending = chance(0.5),
                         .missing_first = chance(0.3)});
  if (chance(0.5)) params.sort.push_back({.by = SortKey::By::score, .descending = true});
  params.sort.push_back({.by = SortKey::By::doc});
  const SortKey& key = params.sort[0];
  // Numbers that are missing are shown as what stands before or behind all others.
  const bool least = key.missing_first != key.descending;
  const auto value_of = [&](const Document& d) -> SortValue {
    if (key.field == "price") return d.price.value_or(least ? -HUGE_VAL : HUGE_VAL);
    if (key.field == "n") {
      if (d.numbers.empty()) return least ? INT64_MIN : INT64_MAX;
      const auto [low, high] = std::minmax_element(d.numbers.begin(), d.numbers.end());
      return key.descending ? *high : *low;
    }
    if (d.tags.empty()) return {};
    return key.descending ? d.tags.back() : d.tags.front();
  };
  std::vector<SortValue> wanted;
  for (const auto& [id, score] : expected) wanted.push_back(value_of(documents_.at(id)));
  std::sort(wanted.begin(), wanted.end(), [&](const SortValue& a, const SortValue& b) {
    const bool none_a = a.index() == 0, none_b = b.index() == 0;
    if (none_a != none_b) return none_a == key.missing_first;
    return key.descending ? b < a : a < b;
  });
  std::vector<SortValue> got;
  std::set<std::string> ids;
  for (;;) {
    const auto found = view->search(query, params, house_.soon());
    INFO((found.ok() ? std::string() : found.error().message));
    REQUIRE(found.ok());
    if (found->hits.empty()) break;
    for (const Hit& hit : found->hits) {
      const auto id = view->id(hit.doc, house_.soon());
      REQUIRE(id.ok());
      CHECK(ids.insert(*id).second);
      got.push_back(hit.sort[0]);
      CHECK(hit.sort[0] == value_of(documents_.at(*id)));
    }
    params.search_after = found->hits.back().sort;
  }
  CHECK(got.size() == wanted.size());
  CHECK(got == wanted);
}

// In pages of the index's own order each document comes once, ascending, whatever is counted.
void World::check_in_order(const Query& query) {
  const auto view = current()->view();
  oracle::Judge judge(documents_, *view);
  judge.vocabulary = vocabulary();
  const auto expected = judge.all(query);
  SearchParams params;
  params.size = 1 + below(40);
  params.sort = {{.by = SortKey::By::doc}};
  params.track_total_hits = chance(0.4) ? 0 : chance(0.5) ? UINT64_MAX : below(60);
  std::set<std::string> ids;
  std::int64_t last = -1;
  for (;;) {
    const auto found = view->search(query, params, house_.soon());
    INFO((found.ok() ? std::string() : found.error().message));
    REQUIRE(found.ok());
    CHECK(found->total == std::min<std::uint64_t>(expected.size(), params.track_total_hits));
    if (params.track_total_hits > 0)
      CHECK(found->total_is_lower_bound == (expected.size() > params.track_total_hits));
    if (found->hits.empty()) break;
    CHECK(found->hits.size() <= params.size);
    for (const Hit& hit : found->hits) {
      CHECK(ids.insert(view->id(hit.doc, house_.soon()).value()).second);
      CHECK(std::get<std::int64_t>(hit.sort[0]) > last);
      last = std::get<std::int64_t>(hit.sort[0]);
    }
    params.search_after = found->hits.back().sort;
  }
  CHECK(ids.size() == expected.size());
  for (const std::string& id : ids) CHECK(expected.contains(id));
}

// Of each group the best is a hit, in the order of the best; all documents are counted.
void World::check_collapsed(const Query& query) {
  const auto view = current()->view();
  oracle::Judge judge(documents_, *view);
  judge.vocabulary = vocabulary();
  std::map<std::optional<std::string>, double> best;
  const auto expected = judge.all(query);
  for (const auto& [id, score] : expected) {
    const auto [at, is_new] = best.try_emplace(documents_.at(id).kind(), score);
    if (!is_new) at->second = std::max(at->second, score);
  }
  std::vector<double> wanted;
  for (const auto& [kind, score] : best) wanted.push_back(score);
  std::sort(wanted.rbegin(), wanted.rend());
  SearchParams params;
  params.collapse = "kind";
  params.from = below(3);
  params.size = 1 + below(9);
  params.track_total_hits = UINT64_MAX;
  const auto found = view->search(query, params, house_.soon());
  INFO((found.ok() ? std::string() : found.error().message));
  REQUIRE(found.ok());
  CHECK(found->total == expected.size());
  const std::size_t shown =
      std::min(params.size, wanted.size() - std::min(wanted.size(), params.from));
  REQUIRE(found->hits.size() == shown);
  std::set<SortValue> groups;
  for (std::size_t i = 0; i < shown; ++i) {
    const Hit& hit = found->hits[i];
    CHECK(hit.sort.empty());
    CHECK(groups.insert(hit.group).second);
    const auto* kind = std::get_if<std::string>(&hit.group);
    const auto group = kind == nullptr ? std::optional<std::string>() : std::optional(*kind);
    CHECK(documents_.at(view->id(hit.doc, house_.soon()).value()).kind() == group);
    CHECK(close(static_cast<double>(hit.score), best.at(group)));
    CHECK(close(static_cast<double>(hit.score), wanted[i + params.from]));
  }
  // By another key: the least price of each group is its price.
  params.sort = {{.by = SortKey::By::field, .field = "price"}};
  params.from = 0;
  std::map<std::optional<std::string>, double> least;
  for (const auto& [id, score] : expected) {
    const double price = documents_.at(id).price.value_or(HUGE_VAL);
    const auto [at, is_new] = least.try_emplace(documents_.at(id).kind(), price);
    if (!is_new) at->second = std::min(at->second, price);
  }
  std::vector<double> prices;
  for (const auto& [kind, price] : least) prices.push_back(price);
  std::sort(prices.begin(), prices.end());
  const auto sorted = view->search(query, params, house_.soon());
  REQUIRE(sorted.ok());
  REQUIRE(sorted->hits.size() == std::min(params.size, prices.size()));
  for (std::size_t i = 0; i < sorted->hits.size(); ++i)
    CHECK(std::get<double>(sorted->hits[i].sort[0]) == prices[i]);
}

// What is counted of objects, and of the documents that they are in, is what walking them gives.
void World::check_counted_objects(const Query& query) {
  const auto view = current()->view();
  oracle::Judge judge(documents_, *view);
  judge.vocabulary = vocabulary();
  std::map<std::string, std::pair<std::int64_t, std::set<std::string>>> tags;  // objects, documents
  std::map<std::string, std::map<std::string, std::int64_t>> kinds;            // of documents
  std::int64_t objects = 0, inner = 0, good = 0;
  double sum = 0;
  std::set<std::string> around_inner;  // outer objects with inner ones
  for (const auto& [id, score] : judge.all(query)) {
    const Document& doc = documents_.at(id);
    for (std::size_t i = 0; i < doc.parts.size(); ++i) {
      const Document& part = doc.parts[i];
      ++objects;
      inner += static_cast<std::int64_t>(part.parts.size());
      if (!part.parts.empty()) around_inner.insert(id + " " + std::to_string(i));
      for (const std::int64_t n : part.numbers) sum += static_cast<double>(n);
      good += !part.numbers.empty() && part.numbers.front() >= 5 ? 1 : 0;
      for (const std::string& tag : part.tags) {
        auto& [count, ids] = tags[tag];
        ++count;
        if (ids.insert(id).second && doc.kind()) ++kinds[tag][*doc.kind()];
      }
    }
  }
  SearchParams params{.size = 0};
  params.read_query = [](const Json&) -> Result<Query> {
    return Query{.node = RangeQuery{.field = "parts.n", .gte = 5}};
  };
  params.aggregations = Fixture::json(R"({"o": {"nested": {"path": "parts"}, "aggs": {
    "tags": {"terms": {"field": "parts.tags", "size": 50}, "aggs": {"docs": {"reverse_nested": {},
      "aggs": {"kinds": {"terms": {"field": "kind", "size": 50}}}}}},
    "sum": {"sum": {"field": "parts.n"}}, "good": {"filter": {"any": {}}},
    "inner": {"nested": {"path": "parts.parts"}, "aggs": {"around": {"reverse_nested": {"path": "parts"}}}}}},
    "straight": {"nested": {"path": "parts.parts"}, "aggs": {"around": {"reverse_nested": {"path": "parts"}}}}})");
  const auto found = view->search(query, params, house_.soon());
  INFO((found.ok() ? std::string() : found.error().message));
  REQUIRE(found.ok());
  const Json& out = found->aggregations;
  const auto count = [&](const char* path) { return out.find_path(path)->as_int(); };
  CHECK(count("o.doc_count") == objects);
  CHECK(count("o.inner.doc_count") == inner);
  CHECK(count("straight.doc_count") == inner);
  CHECK(count("o.inner.around.doc_count") == static_cast<std::int64_t>(around_inner.size()));
  CHECK(count("straight.around.doc_count") == static_cast<std::int64_t>(around_inner.size()));
  CHECK(count("o.good.doc_count") == good);
  CHECK(out.find_path("o.sum.value")->as_double() == sum);
  const auto& buckets = out.find_path("o.tags.buckets")->as_array();
  CHECK(buckets.size() == tags.size());
  for (const Json& bucket : buckets) {
    const auto& [of_objects, ids] = tags[bucket.find("key")->as_string()];
    CHECK(bucket.find("doc_count")->as_int() == of_objects);
    CHECK(bucket.find_path("docs.doc_count")->as_int() == static_cast<std::int64_t>(ids.size()));
    std::map<std::string, std::int64_t> by_kind;
    for (const Json& one : bucket.find_path("docs.kinds.buckets")->as_array())
      by_kind[one.find("key")->as_string()] = one.find("doc_count")->as_int();
    CHECK(by_kind == kinds[bucket.find("key")->as_string()]);
  }
}

// Sorted by values of objects that pass a filter, the order is the one of those values.
void World::check_sorted_by_objects(const Query& query) {
  const auto view = current()->view();
  oracle::Judge judge(documents_, *view);
  judge.vocabulary = vocabulary();
  const bool words = chance(0.4), inner = chance(0.3), filtered = chance(0.5);
  SortKey key{.by = SortKey::By::field,
              .field = std::string(inner ? "parts.parts." : "parts.") + (words ? "tags" : "n"),
              .descending = chance(0.5)};
  const std::size_t most = chance(0.3) ? 1 : SIZE_MAX;
  if (inner) key.nested = {{.path = "parts", .filter = filtered ? Json::object() : Json()}};
  key.nested.push_back({.path = inner ? "parts.parts" : "parts",
                        .filter = filtered && !inner ? Json::object() : Json(),
                        .max_children = most});
  static constexpr SortKey::Mode modes[] = {SortKey::Mode::automatic, SortKey::Mode::sum,
                                            SortKey::Mode::avg};
  if (!words) key.mode = modes[below(3)];
  const auto value_of = [&](const Document& doc) -> SortValue {
    std::vector<std::int64_t> numbers;
    std::vector<std::string> tags;
    std::size_t with_value = 0;
    const auto take = [&](const Document& part) {
      if ((words ? part.tags.empty() : part.numbers.empty()) || ++with_value > most) return;
      numbers.insert(numbers.end(), part.numbers.begin(), part.numbers.end());
      tags.insert(tags.end(), part.tags.begin(), part.tags.end());
    };
    for (const Document& part : doc.parts) {
      if (filtered && (part.numbers.empty() || part.numbers.front() < 5)) continue;
      if (!inner) take(part);
      for (const Document& below : part.parts)
        if (inner) take(below);
    }
    if (words) {
      if (tags.empty()) return {};
      const auto [low, high] = std::minmax_element(tags.begin(), tags.end());
      return key.descending ? *high : *low;
    }
    if (numbers.empty()) return key.descending ? INT64_MIN : INT64_MAX;
    double sum = 0;
    for (const std::int64_t n : numbers) sum += static_cast<double>(n);
    if (key.mode == SortKey::Mode::avg) sum /= static_cast<double>(numbers.size());
    if (key.mode != SortKey::Mode::automatic)
      return static_cast<std::int64_t>(std::floor(sum + 0.5));
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    return key.descending ? *high : *low;
  };
  std::vector<SortValue> wanted;
  for (const auto& [id, score] : judge.all(query)) wanted.push_back(value_of(documents_.at(id)));
  std::sort(wanted.begin(), wanted.end(), [&](const SortValue& a, const SortValue& b) {
    const bool none_a = a.index() == 0, none_b = b.index() == 0;
    if (none_a != none_b) return none_b;
    return key.descending ? b < a : a < b;
  });
  SearchParams params{.size = 9, .sort = {key, {.by = SortKey::By::doc}}};
  params.read_query = [](const Json&) -> Result<Query> {
    return Query{.node = RangeQuery{.field = "parts.n", .gte = 5}};
  };
  std::vector<SortValue> got;
  for (;;) {
    const auto found = view->search(query, params, house_.soon());
    INFO((found.ok() ? std::string() : found.error().message));
    REQUIRE(found.ok());
    if (found->hits.empty()) break;
    for (const Hit& hit : found->hits) {
      got.push_back(hit.sort[0]);
      CHECK(hit.sort[0] == value_of(documents_.at(view->id(hit.doc, house_.soon()).value())));
    }
    params.search_after = found->hits.back().sort;
  }
  CHECK(got == wanted);
}

// Slices share a query's documents out: each is in one.
void World::check_slices(const Query& query) {
  const auto view = current()->view();
  const auto all = view->count(query, house_.soon()).value();
  for (const char* field : {"_id", "_doc", "n"}) {
    const auto max = static_cast<std::uint32_t>(2 + below(4));
    std::uint64_t sum = 0;
    for (std::uint32_t id = 0; id < max; ++id) {
      BoolQuery both;
      both.must.push_back(query);
      both.filter.push_back({.node = SliceQuery{.field = field, .id = id, .max = max}});
      sum += view->count({.node = both}, house_.soon()).value();
      if (std::string_view(field) != "_doc") check({.node = std::move(both)});
    }
    CHECK(sum == all);
  }
}

TEST_CASE("search: a slice needs a part that there is, and numbers") {
  World world(3);
  world.write_some(20, false);
  const auto view = world.current()->view();
  const auto soon = world.house_.soon();
  for (const SliceQuery& slice : {SliceQuery{.field = "_id", .id = 2, .max = 2},
                                  SliceQuery{.field = "_id", .id = 0, .max = 0},
                                  SliceQuery{.field = "body", .id = 0, .max = 2},
                                  SliceQuery{.field = "absent", .id = 0, .max = 2}})
    CHECK(view->count({.node = slice}, soon).error().code == "illegal_argument_exception");
}

TEST_CASE("search: similar terms are those that few edits lead to") {
  World world(8);
  world.write_some(200, false);
  REQUIRE(world.current()->flush(world.house_.soon()).ok());
  world.write_some(100, false);
  const auto view = world.current()->view();
  const auto soon = world.house_.soon();
  for (int i = 0; i < 40; ++i) {
    std::string word = world.word();
    if (world.chance(0.8)) word[world.below(word.size())] = 'x';
    CAPTURE(word);
    const std::size_t edits = 1 + world.below(2), prefix = world.below(3);
    std::map<std::string, std::size_t> wanted;
    for (const std::string& other : world.vocabulary()) {
      const std::size_t apart = oracle::Judge::edits(word, other);
      const auto found = view->term_statistics("body", other, soon);
      if (apart > 0 && apart <= edits && other.substr(0, prefix) == word.substr(0, prefix) &&
          found->doc_freq > 0)
        wanted[other] = apart;
    }
    const auto similar = view->similar_terms("body", word, edits, prefix, soon);
    REQUIRE(similar.ok());
    CHECK(similar->size() == wanted.size());
    for (const SimilarTerm& one : *similar) {
      CHECK(wanted[one.term] == one.edits);
      CHECK(view->term_statistics("body", one.term, soon)->doc_freq == one.doc_freq);
    }
  }
}

TEST_CASE("search: hits collapse by one value of a keyword or a number") {
  World world(6);
  world.write_some(100, false);
  const auto view = world.current()->view();
  const auto fault = [&](const char* field) {
    SearchParams params;
    params.collapse = field;
    const auto found = view->search({}, params, world.house_.soon());
    return found.ok() ? std::string("no error") : found.error().message;
  };
  CHECK(fault("absent") == "no mapping found for `absent` in order to collapse on");
  CHECK(fault("body") == "collapse is not supported for the field [body] of the type [text]");
  CHECK(fault("day") == "collapse is not supported for the field [day] of the type [date]");
  CHECK(fault("tags").find("the collapse field must be single valued") != std::string::npos);
  CHECK(fault("price") == "no error");
}

TEST_CASE("search: functions of scores say what cannot be") {
  World world(4);
  world.write_some(200, false);
  const auto view = world.current()->view();
  const auto soon = world.house_.soon();
  const auto with = [&](ScoreFunction function, std::optional<float> least = {}) {
    FunctionScoreQuery q;
    q.query.push_back({});
    q.functions.push_back(std::move(function));
    q.min_score = least;
    return view->search({.node = std::move(q)}, {.size = 500}, soon);
  };
  const auto fault = [&](ScoreFunction function) {
    const auto found = with(std::move(function));
    return found.ok() ? std::string("no error") : found.error().message;
  };
  using Value = FieldValueFunction;
  CHECK(fault({.of = Value{.field = "price"}}) == "Missing value for field [price]");
  CHECK(fault({.of = Value{.field = "absent"}}).find("No 'missing' value defined") !=
        std::string::npos);
  CHECK(fault({.of = Value{.field = "body"}}).find("needs numbers") != std::string::npos);
  CHECK(fault({.of = Value{.field = "price", .factor = -1, .missing = 1.0}})
            .find("must not produce negative scores") != std::string::npos);
  CHECK(fault({.of = Value{.field = "n", .modifier = FieldModifier::reciprocal, .missing = 0.0}}) !=
        "no error");
  CHECK(fault({.of = DecayFunction{.field = "n", .scale = 3}}) ==
        "both [scale] and [origin] must be set for numeric fields.");
  CHECK(fault({.of = DecayFunction{.field = "n", .origin = 3, .scale = 0}}).find("scale must be") !=
        std::string::npos);
  CHECK(fault({.of = DecayFunction{.field = "day", .scale = "2 weeks"}}) != "no error");
  CHECK(fault({.of = DecayFunction{.field = "day", .scale = "2d"}}) == "no error");
  // What scores less than the least is not there.
  const auto all = with({.of = RandomFunction{.seed = 9, .field = "_seq_no"}});
  const auto few = with({.of = RandomFunction{.seed = 9, .field = "_seq_no"}}, 0.5f);
  REQUIRE(all.ok());
  REQUIRE(few.ok());
  const auto high = std::count_if(all->hits.begin(), all->hits.end(),
                                  [](const Hit& hit) { return hit.score >= 0.5f; });
  CHECK(few->total == static_cast<std::uint64_t>(high));
  CHECK(high > 50);
  CHECK(high < 150);
}

TEST_CASE("search: equals the oracle over several segments, stored and in memory") {
  for (const unsigned seed : {1u, 2u}) {
    CAPTURE(seed);
    World world(seed);
    world.write_some(300, false);
    world.check_all(60);
    REQUIRE(world.current()->flush(world.house_.soon()).ok());
    world.write_some(200, false);
    world.check_all(60);
    world.house_.reopen();
    world.check_all(30);
    REQUIRE(world.current()->force_merge(1, world.house_.soon()).ok());
    CHECK(world.current()->statistics().segments == 1);
    world.check_all(60);
  }
}

TEST_CASE("search: pieces of texts are those that the oracle finds") {
  for (const unsigned seed : {31u, 32u}) {
    CAPTURE(seed);
    World world(seed);
    world.write_some(300, false);
    REQUIRE(world.current()->flush(world.house_.soon()).ok());
    world.write_some(150, false);
    for (int i = 0; i < random_queries; ++i) {
      const SpanQuery q = world.spans(4);
      CAPTURE(i);
      CAPTURE(span_text(q));
      world.check({.node = q, .boost = 1.5f});
    }
  }
}

TEST_CASE("search: intervals of texts are those that the oracle finds") {
  for (const unsigned seed : {41u, 42u}) {
    CAPTURE(seed);
    World world(seed);
    world.write_some(300, false);
    REQUIRE(world.current()->flush(world.house_.soon()).ok());
    world.write_some(150, false);
    for (int i = 0; i < random_queries; ++i) {
      const Query q{.node = IntervalsQuery{.field = "body", .rule = {world.rule(3)}},
                    .boost = 1.5f};
      CAPTURE(i);
      CAPTURE(world.current()->view()->prepare(q, world.house_.soon()).value()->text());
      world.check(q);
    }
  }
}

TEST_CASE("search: statistics of terms are those of the documents") {
  World world(5);
  world.write_some(400, false);
  REQUIRE(world.current()->flush(world.house_.soon()).ok());
  world.write_some(100, false);
  const auto view = world.current()->view();
  for (const std::string& word : world.vocabulary()) {
    std::uint64_t docs = 0, with = 0, sum = 0;
    for (const auto& [id, d] : world.documents_) {
      docs += d.body.empty() ? 0 : 1;
      sum += d.body.size();
      with += std::count(d.body.begin(), d.body.end(), word) > 0 ? 1 : 0;
    }
    const auto s = view->term_statistics("body", word, world.house_.soon());
    REQUIRE(s.ok());
    CHECK(s->doc_count == docs);
    CHECK(s->doc_freq == with);
    CHECK(s->sum_total_freq == sum);
  }
}

TEST_CASE("search: equals the oracle while documents are replaced and deleted") {
  for (const unsigned seed : {11u, 12u}) {
    CAPTURE(seed);
    World world(seed);
    for (int round = 0; round < 8; ++round) {
      CAPTURE(round);
      world.write_some(150, true);
      if (round % 3 == 1) REQUIRE(world.current()->flush(world.house_.soon()).ok());
      if (round % 4 == 3) REQUIRE(world.current()->maintain(world.house_.soon()).ok());
      if (round == 5) world.house_.reopen();
      world.check_all(25);
    }
    REQUIRE(world.current()->force_merge(1, world.house_.soon()).ok());
    CHECK(world.current()->view()->deleted_count() == 0);
    world.check_all(40);
  }
}

TEST_CASE("search: pruning finds the same as looking at everything") {
  World world(21);
  for (int i = 0; i < 6; ++i) world.write_some(4000, false);
  REQUIRE(world.current()->force_merge(1, world.house_.soon()).ok());
  const auto view = world.current()->view();
  for (int i = 0; i < 150; ++i) {
    std::string text;
    for (std::size_t n = 1 + world.below(6); n > 0; --n) text += world.word() + " ";
    MatchQuery m;
    m.field = "body";
    m.value = text;
    if (world.chance(0.4)) m.op = Operator::and_;
    Query query{.node = m};
    if (world.chance(0.4))
      query.node = BoolQuery{.must = {Query{.node = m}},
                             .filter = {term("tags", "t" + std::to_string(world.below(12)))}};
    const auto pruned = view->search(query, {.track_total_hits = 0}, world.house_.soon());
    const auto whole = view->search(query, {.track_total_hits = UINT64_MAX}, world.house_.soon());
    REQUIRE(pruned.ok());
    REQUIRE(whole.ok());
    REQUIRE(pruned->hits.size() == whole->hits.size());
    for (std::size_t h = 0; h < whole->hits.size(); ++h) {
      CHECK(pruned->hits[h].doc == whole->hits[h].doc);
      CHECK(pruned->hits[h].score == whole->hits[h].score);
    }
  }
}

}  // namespace
}  // namespace cairn::index::search_test
