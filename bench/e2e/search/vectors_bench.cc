// SPDX-License-Identifier: Apache-2.0
// The nearest of many vectors in one process: vectors_bench clustered|uniform COUNT [FOLDER]. Times
// are the thread's own, so that what else the machine does counts little. With a folder the index
// lies there and is opened anew before it is asked, so that what the process holds is the index and
// its cache alone; it stays for the next run. vectors_peers.cc is the same for others.
#include <cstdlib>
#include <cstring>

#include <malloc.h>

#include "index/indices.h"
#include "measured.h"
#include "store/memory_store.h"
#include "stores/folder_store.h"
#include "vectors_data.h"

namespace cairn::index {
namespace {

os::Deadline soon() { return os::Deadline::in_ms(3'600'000); }

[[noreturn]] void fail(const char* what, const Error& error) {
  std::fprintf(stderr, "%s: %s\n", what, error.message.c_str());
  std::exit(1);
}

std::string source(const float* row, std::size_t number) {
  std::string out = R"({"tags": ["all")";
  for (const std::size_t share : {500, 200, 100, 50, 10, 1})
    if (number * 7919 % 1000 < share) out += ",\"of" + std::to_string(share) + "\"";
  out += R"(], "v": [)";
  char text[32];
  for (std::size_t i = 0; i < vectors::dims; ++i) {
    std::snprintf(text, sizeof text, i == 0 ? "%.8g" : ",%.8g", static_cast<double>(row[i]));
    out += text;
  }
  return out + "]}";
}

std::unique_ptr<Indices> open(store::Store& store, os::Pool& pool, std::size_t cache_bytes) {
  Options options;
  options.background = false;
  options.cache_bytes = cache_bytes;
  auto opened =
      Indices::open(store, pool, os::system_clock(), os::system_random(), options, soon());
  if (!opened) fail("open", opened.error());
  return std::move(*opened);
}

// Processor time of it.
double flush(Index& index) {
  const double start = vectors::thread_seconds();
  if (const auto done = index.flush(soon()); !done.ok()) fail("flush", done.error());
  return vectors::thread_seconds() - start;
}

std::shared_ptr<Index> build(Indices& indices, const vectors::Data& data) {
  constexpr std::size_t flushed_at_once = 200'000;
  const std::size_t count = data.count;
  auto index = *indices.create(
      "v", *parse_json(R"({"properties": {"tags": {"type": "keyword"}, "v": {"type": "dense_vector",
                    "dims": 384, "similarity": "dot_product"}}})"),
      Json(), soon());
  double writing = 0, flushing = 0;
  std::vector<WriteOperation> batch;
  for (std::size_t i = 0; i < count; ++i) {
    WriteOperation operation;
    operation.id = std::to_string(i);
    operation.source = source(data.row(i), i);
    batch.push_back(std::move(operation));
    if (batch.size() < 500 && i + 1 < count) continue;
    const double start = vectors::thread_seconds();
    const auto results = index->write(batch, soon());
    if (!results) fail("write", results.error());
    writing += vectors::thread_seconds() - start;
    batch.clear();
    if ((i + 1) % flushed_at_once == 0 && i + 1 < count) flushing += flush(*index);
  }
  flushing += flush(*index);
  const double start = vectors::thread_seconds();
  if (const auto done = index->force_merge(1, soon()); !done.ok()) fail("merge", done.error());
  const double merging = vectors::thread_seconds() - start;
  std::printf(
      "%zu vectors: writing %.1f s, flush with its index %.1f s (%.0f vectors/s a core), "
      "merge to one %.1f s (%.0f vectors/s)\n",
      count, writing, flushing, static_cast<double>(count) / flushing, merging,
      static_cast<double>(count) / merging);
  return index;
}

void run(bool clustered, std::size_t count, const char* folder) {
  constexpr std::size_t cache_bytes = 64u << 20;
  // What is true of many takes long to find out.
  vectors::Data data = vectors::make(clustered, count, count < 1'000'000 ? 500 : 100);
  const auto store =
      folder == nullptr ? store::memory_store() : bench::must(stores::folder_store(folder));
  os::Pool pool{{.name = "bench"}};
  auto opened = open(*store, pool, cache_bytes);
  std::shared_ptr<Index> index;
  if (const auto known = opened->find("v"); known.ok()) index = *known;
  if (index == nullptr) index = build(*opened, data);
  if (folder != nullptr) {
    index.reset();
    opened.reset();
    std::vector<float>().swap(data.rows);  // = {} would keep the memory
    malloc_trim(0);
    std::printf("resident before it is opened anew: %.0f MB\n", bench::resident_mb());
    opened = open(*store, pool, cache_bytes);
    index = *opened->find("v");
  }
  const auto view = index->view();
  std::uint64_t structures = 0, stored = 0;
  for (const SegmentFacts& segment : view->segments()) {
    structures += segment.memory_bytes;
    stored += segment.size_bytes;
  }
  std::printf("memory of the open index %.1f MB, and a cache of %.0f MB; stored %.1f MB\n",
              static_cast<double>(structures) / 1e6, static_cast<double>(cache_bytes) / 1e6,
              static_cast<double>(stored) / 1e6);
  const auto ask = [&](const float* question, unsigned* found, std::vector<Query> filter,
                       std::size_t candidates) {
    KnnQuery knn{.field = "v",
                 .vector = std::vector<float>(question, question + vectors::dims),
                 .k = vectors::wanted};
    knn.num_candidates = candidates;
    knn.filter = std::move(filter);
    const auto top = view->search({.node = std::move(knn)}, {}, soon());
    if (!top) fail("search", top.error());
    std::size_t n = 0;
    // Documents stand in the order in which they were written.
    for (const Hit& hit : top->hits) found[n++] = hit.doc.doc;
    return n;
  };
  for (const std::size_t candidates : {std::size_t{0}, std::size_t{50}, std::size_t{200}})
    vectors::measure(data, "cairn, num_candidates " + std::to_string(candidates),
                     [&](const float* question, unsigned* found) {
                       return ask(question, found, {}, candidates);
                     });
  for (const int share : {500, 200, 100, 50, 10, 1}) {
    const TermQuery tag{.field = "tags", .value = Json("of" + std::to_string(share))};
    vectors::measure(data, "cairn, filter of " + std::to_string(share) + "/1000 (recall not of it)",
                     [&](const float* question, unsigned* found) {
                       return ask(question, found, {Query{.node = tag}}, 0);
                     });
  }
  if (folder != nullptr) std::printf("resident: %.0f MB\n", bench::resident_mb());
}

}  // namespace
}  // namespace cairn::index

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: vectors_bench clustered|uniform COUNT [FOLDER]\n");
    return 2;
  }
  cairn::index::run(std::strcmp(argv[1], "clustered") == 0,
                    static_cast<std::size_t>(std::atoll(argv[2])), argc == 4 ? argv[3] : nullptr);
  return 0;
}
