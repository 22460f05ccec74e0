// SPDX-License-Identifier: Apache-2.0
// One index in one process: documents a second, and queries a second by kind. One thread searches,
// or with CAIRN_CORES more where a search is worth it: then the time by the clock says how long.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "index/indices.h"
#include "os/threads/compute_pool.h"
#include "store/memory_store.h"

namespace cairn::index {
namespace {

constexpr int vocabulary = 200'000;

std::string word(std::mt19937& random) {
  const double u = static_cast<double>(random() % 10'000'000 + 1) / 10'000'001.0;
  return "w" + std::to_string(static_cast<int>(1.0 / u) % vocabulary);
}

std::string text(std::mt19937& random, int words) {
  std::string out;
  for (int i = 0; i < words; ++i) out += word(random) + (i % 12 == 11 ? ". " : " ");
  return out;
}

os::Deadline soon() { return os::Deadline::in_ms(600'000); }

struct Fixture {
  std::unique_ptr<store::Store> store = store::memory_store();
  os::Pool pool{{.name = "bench"}};
  std::unique_ptr<Indices> indices;
  std::shared_ptr<Index> index;

  explicit Fixture(const char* mapping) {
    Options options;
    if (const char* cores = std::getenv("CAIRN_CORES")) {
      static os::ComputePool threads({.slots = std::stoul(cores), .nice = 0});
      options.compute = &threads;
    }
    auto opened =
        Indices::open(*store, pool, os::system_clock(), os::system_random(), options, soon());
    indices = std::move(*opened);
    index = *indices->create("bench", *parse_json(mapping), Json(), soon());
  }
};

constexpr const char* text_mapping =
    R"({"properties": {"body": {"type": "text"}, "tag": {"type": "keyword"},
                       "n": {"type": "long"}}})";

void write(Fixture& fixture, std::mt19937& random, int count, int first) {
  std::vector<WriteOperation> batch;
  for (int i = 0; i < count; ++i) {
    WriteOperation operation;
    operation.id = std::to_string(first + i);
    operation.source = R"({"body": ")" + text(random, 120) + R"(", "tag": "t)" +
                       std::to_string(random() % 20) + R"(", "n": )" +
                       std::to_string(random() % 1000) + "}";
    batch.push_back(std::move(operation));
    if (batch.size() == 1000 || i + 1 == count) {
      if (const auto results = fixture.index->write(batch, soon()); !results) std::abort();
      batch.clear();
    }
  }
}

void index_documents(benchmark::State& state) {
  std::mt19937 random(1);
  Fixture fixture(text_mapping);
  // Documents are made beforehand; only writing them is measured.
  std::vector<std::vector<WriteOperation>> batches;
  std::size_t bytes = 0;
  for (int b = 0; b < 20; ++b) {
    batches.emplace_back();
    for (int i = 0; i < 500; ++i) {
      WriteOperation operation;
      operation.source = R"({"body": ")" + text(random, 120) + R"(", "tag": "t1", "n": 5})";
      bytes += operation.source.size();
      batches.back().push_back(std::move(operation));
    }
  }
  for (auto unused : state) {
    (void)unused;
    for (const auto& batch : batches)
      if (const auto results = fixture.index->write(batch, soon()); !results) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * 10'000);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}
BENCHMARK(index_documents)->Unit(benchmark::kMillisecond);

Fixture& big_fixture() {
  static Fixture fixture(text_mapping);
  static const bool filled = [] {
    std::mt19937 random(2);
    write(fixture, random, 200'000, 0);
    return fixture.index->force_merge(1, soon()).ok();
  }();
  if (!filled) std::abort();
  return fixture;
}

// Terms between frequent and rare, as people ask.
std::string query_text(std::mt19937& random, int terms) {
  std::string out;
  for (int i = 0; i < terms; ++i) out += "w" + std::to_string(3 + random() % 400) + " ";
  return out;
}

enum class Kind { any, all, any_filtered, phrase, counted };

void search_text(benchmark::State& state, Kind kind) {
  Fixture& fixture = big_fixture();
  const auto view = fixture.index->view();
  std::mt19937 random(3);
  std::vector<Query> queries;
  for (int i = 0; i < 500; ++i) {
    MatchQuery match{.field = "body", .value = query_text(random, 2 + i % 3)};
    if (kind == Kind::all) match.op = Operator::and_;
    Query query{.node = match};
    if (kind == Kind::any_filtered)
      query.node = BoolQuery{
          .must = {Query{.node = match}},
          .filter = {
              Query{.node = TermQuery{.field = "tag", .value = "t" + std::to_string(i % 20)}}}};
    if (kind == Kind::phrase)
      query.node = MatchPhraseQuery{.field = "body", .value = query_text(random, 2)};
    queries.push_back(std::move(query));
  }
  SearchParams params;
  params.track_total_hits = kind == Kind::counted ? UINT64_MAX : 1000;
  std::size_t at = 0, hits = 0;
  for (auto unused : state) {
    (void)unused;
    const auto found = view->search(queries[at++ % queries.size()], params, soon());
    if (!found) std::abort();
    hits += found->hits.size();
  }
  benchmark::DoNotOptimize(hits);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(search_text, any_of_2_to_4_terms, Kind::any)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(search_text, all_of_2_to_4_terms, Kind::all)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(search_text, any_with_filter, Kind::any_filtered)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(search_text, phrase_of_2, Kind::phrase)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(search_text, any_counted_exactly, Kind::counted)->Unit(benchmark::kMicrosecond);

void search_vectors(benchmark::State& state) {
  constexpr int dims = 256;
  static Fixture fixture(R"({"properties": {"v": {"type": "dense_vector", "dims": 256}}})");
  std::mt19937 random(4);
  const auto vector = [&] {
    std::vector<float> out(dims);
    for (float& v : out) v = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
    return out;
  };
  static const bool filled = [&] {
    std::vector<WriteOperation> batch;
    for (int i = 0; i < 20'000; ++i) {
      batch.push_back({});
      batch.back().source = Json::object({{"v", Json::array_of(vector())}}).dump();
      if (batch.size() < 500) continue;
      if (const auto results = fixture.index->write(batch, soon()); !results) std::abort();
      batch.clear();
    }
    return fixture.index->force_merge(1, soon()).ok();
  }();
  if (!filled) std::abort();
  const auto view = fixture.index->view();
  for (auto unused : state) {
    (void)unused;
    const auto found =
        view->search({.node = KnnQuery{.field = "v", .vector = vector(), .k = 10}}, {}, soon());
    if (!found) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * 20'000);
}
BENCHMARK(search_vectors)->Unit(benchmark::kMicrosecond);

// 1,000,000 documents in several segments: `u` has 600,000 values, `tag` has 20; `n` are whole
// numbers, `x` doubles, `when` moments of a year, `at` ascends.
struct ManyValues {
  static constexpr std::uint32_t documents = 1'000'000, distinct = 600'000;
  Fixture fixture{R"({"properties": {"u": {"type": "keyword"}, "tag": {"type": "keyword"},
                                     "n": {"type": "long"}, "x": {"type": "double"},
                                     "when": {"type": "date"}, "at": {"type": "long"}}})"};
  ManyValues() {
    std::mt19937 random(5);
    std::vector<WriteOperation> batch;
    for (std::uint32_t i = 0; i < documents; ++i) {
      const auto value = i < distinct ? i : static_cast<std::uint32_t>(random() % distinct);
      batch.push_back({});
      batch.back().source =
          R"({"u": "user-)" + std::to_string(value * 7919ull % distinct) + R"(", "tag": "t)" +
          std::to_string(random() % 20) + R"(", "n": )" + std::to_string(value) + R"(, "x": )" +
          std::to_string(static_cast<double>(random() % 1'000'000'007) / 1000) + R"(, "when": )" +
          std::to_string(1'767'225'600'000 + random() % 31'536'000 * 1000ull) + R"(, "at": )" +
          std::to_string(i / 3) + "}";
      if (batch.size() < 5000) continue;
      if (const auto results = fixture.index->write(batch, soon()); !results) std::abort();
      batch.clear();
      const bool whole = (i + 1) % (documents / 4) == 0;  // four segments
      if (whole && !fixture.index->flush(soon()).ok()) std::abort();
    }
  }
};

const View& many_values() {
  static ManyValues many;
  static const auto view = many.fixture.index->view();
  return *view;
}

void aggregate_of(benchmark::State& state, const Query& query, const char* request) {
  SearchParams params{.size = 0};
  params.aggregations = *parse_json(request);
  const View* view = &many_values();
  for (auto unused : state) {
    (void)unused;
    const auto found = view->search(query, params, soon());
    if (!found) std::abort();
    benchmark::DoNotOptimize(found->aggregations);
  }
  state.counters["segments"] = static_cast<double>(view->segment_count());
  state.SetItemsProcessed(state.iterations() * ManyValues::documents);
}
void aggregate(benchmark::State& state, const char* request) { aggregate_of(state, {}, request); }
BENCHMARK_CAPTURE(aggregate, top_10_of_20, R"({"x": {"terms": {"field": "tag"}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, top_10_of_600000, R"({"x": {"terms": {"field": "u"}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, top_10_of_600000_numbers, R"({"x": {"terms": {"field": "n"}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, cardinality_of_600000, R"({"x": {"cardinality": {"field": "u"}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, max, R"({"x": {"max": {"field": "n"}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, stats_of_longs, R"({"x": {"stats": {"field": "n"}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, stats_of_doubles, R"({"x": {"stats": {"field": "x"}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, histogram_of_longs,
                  R"({"x": {"histogram": {"field": "n", "interval": 1000}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, histogram_of_doubles,
                  R"({"x": {"histogram": {"field": "x", "interval": 2500}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, histogram_with_sums,
                  R"({"x": {"histogram": {"field": "n", "interval": 10000},
                            "aggs": {"s": {"sum": {"field": "at"}}}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, days,
                  R"({"x": {"date_histogram": {"field": "when", "calendar_interval": "day"}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, days_in_berlin,
                  R"({"x": {"date_histogram": {"field": "when", "calendar_interval": "day",
                                               "time_zone": "Europe/Berlin"}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, five_ranges,
                  R"({"x": {"range": {"field": "n", "ranges": [{"to": 1000},
                     {"from": 1000, "to": 50000}, {"from": 50000, "to": 200000},
                     {"from": 100000, "to": 400000}, {"from": 400000}]}}})")
    ->Unit(benchmark::kMillisecond);
void aggregate_some(benchmark::State& state) {
  aggregate_of(state, {.node = RangeQuery{.field = "n", .lt = Json(300'000)}},
               R"({"x": {"stats": {"field": "x"}}})");
}
BENCHMARK(aggregate_some)->Unit(benchmark::kMillisecond);

// The limit: one pass over as many numbers of 8 bytes in memory.
void aggregate_beside_one_pass(benchmark::State& state) {
  std::mt19937_64 random(6);
  std::vector<std::int64_t> numbers(ManyValues::documents);
  for (auto& number : numbers) number = static_cast<std::int64_t>(random());
  for (auto unused : state) {
    (void)unused;
    std::int64_t greatest = INT64_MIN;
    for (const std::int64_t number : numbers) greatest = std::max(greatest, number);
    benchmark::DoNotOptimize(greatest);
  }
  state.SetItemsProcessed(state.iterations() * ManyValues::documents);
}
BENCHMARK(aggregate_beside_one_pass)->Unit(benchmark::kMillisecond);

void sort_by(benchmark::State& state, const char* field, bool page) {
  SearchParams params{.size = 10, .sort = {{.by = SortKey::By::field, .field = field}}};
  if (page) params.search_after = {SortValue(std::int64_t{100'000})};
  const View& view = many_values();
  for (auto unused : state) {
    (void)unused;
    const auto found = view.search({}, params, soon());
    if (!found) std::abort();
    benchmark::DoNotOptimize(found->hits);
  }
  state.SetItemsProcessed(state.iterations() * ManyValues::documents);
}
BENCHMARK_CAPTURE(sort_by, random_numbers, "n", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sort_by, ascending_numbers, "at", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sort_by, a_later_page, "at", true)->Unit(benchmark::kMillisecond);

void sort_some(benchmark::State& state) {
  SearchParams params{.size = 10, .sort = {{.by = SortKey::By::field, .field = "x"}}};
  const View& view = many_values();
  const Query query{.node = TermQuery{.field = "tag", .value = Json("t7")}};
  for (auto unused : state) {
    (void)unused;
    const auto found = view.search(query, params, soon());
    if (!found) std::abort();
    benchmark::DoNotOptimize(found->hits);
  }
  state.SetItemsProcessed(state.iterations() * ManyValues::documents / 20);
}
BENCHMARK(sort_some)->Unit(benchmark::kMillisecond);

// Patterns that each match a sixteenth of 600,000 terms or more, in one query and one by one.
void wildcards(benchmark::State& state, bool together) {
  constexpr int count = 20;
  const View& view = many_values();
  BoolQuery all;
  for (int i = 0; i < count; ++i)
    all.should.push_back({.node = WildcardQuery{.field = "u",
                                                .value = "*" + std::to_string(i % 10) + "*" +
                                                         std::to_string(i / 2) + "*"}});
  const auto ask = [&](const Query& query) {
    const auto found = view.search(query, {.size = 10}, soon());
    if (!found) std::abort();
    benchmark::DoNotOptimize(found->hits);
  };
  for (auto unused : state) {
    (void)unused;
    if (together) {
      ask({.node = all});
    } else {
      for (const Query& one : all.should) ask(one);
    }
  }
  state.SetItemsProcessed(state.iterations() * count * ManyValues::distinct);
}
BENCHMARK_CAPTURE(wildcards, twenty_together, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(wildcards, twenty_one_by_one, false)->Unit(benchmark::kMillisecond);

// Every document is scored by a value of its own: by the function for that, and by scripts.
void score_by(benchmark::State& state, const Query& query) {
  const View& view = many_values();
  for (auto unused : state) {
    (void)unused;
    const auto found = view.search(query, {.size = 10}, soon());
    if (!found) std::abort();
    benchmark::DoNotOptimize(found->hits);
  }
  state.SetItemsProcessed(state.iterations() * ManyValues::documents);
}
void score_by_function(benchmark::State& state) {
  FunctionScoreQuery query{.query = {Query{}}};
  query.functions.push_back(
      {.of = FieldValueFunction{.field = "n", .modifier = FieldModifier::ln2p}});
  score_by(state, {.node = std::move(query)});
}
BENCHMARK(score_by_function)->Unit(benchmark::kMillisecond);

void score_by_script(benchmark::State& state, const char* source) {
  score_by(state, {.node = ScriptScoreQuery{
                       .query = {Query{}},
                       .script = {.source = source, .params = Json::object({{"k", 10}})}}});
}
BENCHMARK_CAPTURE(score_by_script, the_same, "_score * Math.log(2 + doc['n'].value)")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(score_by_script, saturation, "saturation(doc['n'].value, params.k)")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(score_by_script, a_keyword, "doc['tag'].value == 't7' ? 2 : 1")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(score_by_script, a_loop,
                  "double s = 0; for (int i = 0; i < 10; i++) { s += i * 0.5 } return s")
    ->Unit(benchmark::kMillisecond);

// The same questions asked of fields that are kept, and of ones whose values are made.
const View& with_made_fields() {
  static const std::shared_ptr<const View> view = [] {
    auto made = many_values().with_runtime_fields(
        *parse_json(R"json({"made_n": {"type": "long", "script": "emit(doc['n'].value)"},
                            "made_tag": {"type": "keyword", "script": "emit(doc['tag'].value)"}})json"));
    if (!made) std::abort();
    return *made;
  }();
  return *view;
}
void ask_field(benchmark::State& state, const Query& query, const SearchParams& params) {
  const View& view = with_made_fields();
  for (auto unused : state) {
    (void)unused;
    const auto planned = view.prepare(query, soon());
    if (!planned) std::abort();
    const auto ready = PreparedQuery::with_values(*planned, params, soon());
    if (!ready) std::abort();
    const auto found = (*ready)->search(params, nullptr, soon());
    if (!found) std::abort();
    benchmark::DoNotOptimize(found->total);
  }
  state.SetItemsProcessed(state.iterations() * ManyValues::documents);
}

void range_of(benchmark::State& state, const char* field) {
  RangeQuery range{.field = field};
  range.gte = Json(100);
  range.lt = Json(200);
  ask_field(state, {.node = std::move(range)}, {.size = 10, .track_total_hits = UINT64_MAX});
}
BENCHMARK_CAPTURE(range_of, kept, "n")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(range_of, made, "made_n")->Unit(benchmark::kMillisecond);

void order_by(benchmark::State& state, const char* field) {
  SearchParams params{.size = 10};
  params.sort = {{.by = SortKey::By::field, .field = field}};
  ask_field(state, {}, params);
}
BENCHMARK_CAPTURE(order_by, kept, "n")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(order_by, made, "made_n")->Unit(benchmark::kMillisecond);

void count_terms_of(benchmark::State& state, const char* field) {
  SearchParams params{.size = 0};
  params.aggregations = Json::object(
      {{"a", Json::object({{"terms", Json::object({{"field", std::string(field)}})}})}});
  ask_field(state, {}, params);
}
BENCHMARK_CAPTURE(count_terms_of, kept, "tag")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(count_terms_of, made, "made_tag")->Unit(benchmark::kMillisecond);

void open_again(benchmark::State& state) {
  Fixture& fixture = big_fixture();
  for (auto unused : state) {
    (void)unused;
    auto opened = Indices::open(*fixture.store, fixture.pool, os::system_clock(),
                                os::system_random(), {.background = false}, soon());
    if (!opened) std::abort();
  }
}
BENCHMARK(open_again)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cairn::index

BENCHMARK_MAIN();
