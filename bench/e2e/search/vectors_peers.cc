// SPDX-License-Identifier: Apache-2.0
// The same vectors and questions as vectors_bench.cc for hnswlib and faiss: vectors_peers
// clustered|uniform COUNT [FILE]. vectors_run.sh builds it; it is no part of the program's build.
// FILE gets them for programs in other languages: three numbers of 32 bits (vectors, questions,
// dimensions), the vectors, the questions, and the numbers of the nearest 10 of each.
#include <faiss/IndexFlat.h>
#include <faiss/IndexIVFFlat.h>
#include <faiss/IndexRefine.h>
#include <faiss/impl/IDSelector.h>
#include <faiss/index_factory.h>
#include <hnswlib/hnswlib.h>
#include <omp.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "vectors_data.h"

namespace {

using vectors::dims, vectors::wanted;

void hnsw(const vectors::Data& data) {
  const std::size_t count = data.count;
  hnswlib::InnerProductSpace space(vectors::dims);
  hnswlib::HierarchicalNSW<float> graph(&space, count, 16, 100);
  const double start = vectors::thread_seconds();
  for (std::size_t i = 0; i < count; ++i) graph.addPoint(data.row(i), i);
  const double seconds = vectors::thread_seconds() - start;
  std::printf(
      "hnswlib, M 16, ef_construction 100: %zu vectors in %.1f s (%.0f vectors/s a core), %.0f "
      "MB\n",
      count, seconds, static_cast<double>(count) / seconds,
      static_cast<double>(graph.max_elements_ * graph.size_data_per_element_) / 1e6);
  for (const std::size_t ef : {10, 20, 40, 80, 160, 320}) {
    graph.setEf(ef);
    vectors::measure(data, "hnswlib, ef " + std::to_string(ef),
                     [&](const float* question, unsigned* found) {
                       auto best = graph.searchKnn(question, vectors::wanted);
                       std::size_t n = 0;
                       for (; !best.empty(); best.pop())
                         found[n++] = static_cast<unsigned>(best.top().second);
                       return n;
                     });
  }
}

// Lists by centroids with codes of four bits, and the floats of the best of them; and lists of
// floats, of which a filter leaves some.
void faiss_lists(const vectors::Data& data) {
  using idx_t = faiss::Index::idx_t;
  const std::size_t lists = data.count / 128;
  const auto take = [](const std::vector<idx_t>& ids, unsigned* found) {
    std::size_t n = 0;
    for (const idx_t id : ids)
      if (id >= 0) found[n++] = static_cast<unsigned>(id);
    return n;
  };
  std::vector<float> scores(wanted);
  std::vector<idx_t> ids(wanted);
  {
    const std::string kind =
        "IVF" + std::to_string(lists) + ",PQ" + std::to_string(dims / 2) + "x4fs,RFlat";
    const std::unique_ptr<faiss::Index> index(
        faiss::index_factory(dims, kind.c_str(), faiss::METRIC_INNER_PRODUCT));
    const double start = vectors::thread_seconds();
    index->train(static_cast<idx_t>(data.count), data.rows.data());
    index->add(static_cast<idx_t>(data.count), data.rows.data());
    const double seconds = vectors::thread_seconds() - start;
    std::printf("faiss, %s: %zu vectors in %.1f s (%.0f vectors/s a core)\n", kind.c_str(),
                data.count, seconds, static_cast<double>(data.count) / seconds);
    auto& refined = dynamic_cast<faiss::IndexRefine&>(*index);
    refined.k_factor = 5;
    for (const std::size_t probes : {1, 2, 4, 16, 64}) {
      dynamic_cast<faiss::IndexIVF&>(*refined.base_index).nprobe = probes;
      vectors::measure(data, "faiss, codes, nprobe " + std::to_string(probes),
                       [&](const float* question, unsigned* found) {
                         index->search(1, question, wanted, scores.data(), ids.data());
                         return take(ids, found);
                       });
    }
  }
  faiss::IndexFlatIP centroids(dims);
  faiss::IndexIVFFlat index(&centroids, dims, lists, faiss::METRIC_INNER_PRODUCT);
  index.train(static_cast<idx_t>(data.count), data.rows.data());
  index.add(static_cast<idx_t>(data.count), data.rows.data());
  for (const std::size_t share : {1000, 50, 10}) {
    // The same documents as of the program's filters.
    std::vector<idx_t> passing;
    for (std::size_t i = 0; i < data.count; ++i)
      if (i * 7919 % 1000 < share) passing.push_back(static_cast<idx_t>(i));
    faiss::IDSelectorBatch selector(passing.size(), passing.data());
    for (const std::size_t probes : {std::size_t{16}, std::size_t{64}, lists}) {
      faiss::IVFSearchParameters parameters;
      parameters.nprobe = probes;
      if (share < 1000) parameters.sel = &selector;
      vectors::measure(
          data,
          "faiss, floats, nprobe " + std::to_string(probes) + ", filter of " +
              std::to_string(share) + "/1000",
          [&](const float* question, unsigned* found) {
            index.search(1, question, wanted, scores.data(), ids.data(), &parameters);
            return take(ids, found);
          },
          1);
    }
  }
}

void save(const vectors::Data& data, const char* path) {
  std::FILE* const file = std::fopen(path, "wb");
  if (file == nullptr) {
    std::fprintf(stderr, "%s cannot be written\n", path);
    std::exit(1);
  }
  const unsigned head[] = {static_cast<unsigned>(data.count), static_cast<unsigned>(data.queries),
                           static_cast<unsigned>(dims)};
  std::fwrite(head, sizeof head, 1, file);
  std::fwrite(data.rows.data(), sizeof(float), data.rows.size(), file);
  std::fwrite(data.questions.data(), sizeof(float), data.questions.size(), file);
  std::fwrite(data.nearest.data(), sizeof(unsigned), data.nearest.size(), file);
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: vectors_peers clustered|uniform COUNT [FILE]\n");
    return 2;
  }
  omp_set_num_threads(1);
  const auto count = static_cast<std::size_t>(std::atoll(argv[2]));
  const vectors::Data data = vectors::make(std::strcmp(argv[1], "clustered") == 0, count, 500);
  if (argc == 4) save(data, argv[3]);
  hnsw(data);
  faiss_lists(data);
  return 0;
}
