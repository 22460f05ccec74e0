// SPDX-License-Identifier: Apache-2.0
// One index in one process: documents a second, and queries a second by kind.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "index/indices.h"
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
    auto opened = Indices::open(*store, pool, os::system_clock(), os::system_random(), {}, soon());
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

// 1,000,000 documents in several segments: `u` has 600,000 values, `tag` has 20.
struct ManyValues {
  static constexpr std::uint32_t documents = 1'000'000, distinct = 600'000;
  Fixture fixture{R"({"properties": {"u": {"type": "keyword"}, "tag": {"type": "keyword"},
                                     "n": {"type": "long"}}})"};
  ManyValues() {
    std::mt19937 random(5);
    std::vector<WriteOperation> batch;
    for (std::uint32_t i = 0; i < documents; ++i) {
      const auto value = i < distinct ? i : static_cast<std::uint32_t>(random() % distinct);
      batch.push_back({});
      batch.back().source = R"({"u": "user-)" + std::to_string(value * 7919ull % distinct) +
                            R"(", "tag": "t)" + std::to_string(random() % 20) + R"(", "n": )" +
                            std::to_string(value) + "}";
      if (batch.size() < 5000) continue;
      if (const auto results = fixture.index->write(batch, soon()); !results) std::abort();
      batch.clear();
      const bool whole = (i + 1) % (documents / 4) == 0;  // four segments
      if (whole && !fixture.index->flush(soon()).ok()) std::abort();
    }
  }
};

void aggregate(benchmark::State& state, const char* request) {
  static ManyValues many;
  SearchParams params{.size = 0};
  params.aggregations = *parse_json(request);
  const auto view = many.fixture.index->view();
  for (auto unused : state) {
    (void)unused;
    const auto found = view->search({}, params, soon());
    if (!found) std::abort();
    benchmark::DoNotOptimize(found->aggregations);
  }
  state.counters["segments"] = static_cast<double>(view->segment_count());
  state.SetItemsProcessed(state.iterations() * ManyValues::documents);
}
BENCHMARK_CAPTURE(aggregate, top_10_of_20, R"({"x": {"terms": {"field": "tag"}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, top_10_of_600000, R"({"x": {"terms": {"field": "u"}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, top_10_of_600000_numbers, R"({"x": {"terms": {"field": "n"}}})")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(aggregate, cardinality_of_600000, R"({"x": {"cardinality": {"field": "u"}}})")
    ->Unit(benchmark::kMillisecond);
// The limit: what every aggregation does, one pass over the column.
BENCHMARK_CAPTURE(aggregate, one_pass, R"({"x": {"value_count": {"field": "u"}}})")
    ->Unit(benchmark::kMillisecond);

void open_again(benchmark::State& state) {
  Fixture& fixture = big_fixture();
  for (auto unused : state) {
    (void)unused;
    auto opened = Indices::open(*fixture.store, fixture.pool, os::system_clock(), os::system_random(),
                                {.background = false}, soon());
    if (!opened) std::abort();
  }
}
BENCHMARK(open_again)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cairn::index

BENCHMARK_MAIN();
