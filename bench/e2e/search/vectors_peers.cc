// SPDX-License-Identifier: Apache-2.0
// The same vectors and questions as vectors_bench.cc for hnswlib: vectors_peers clustered|uniform
// COUNT. vectors_run.sh builds it; it is no part of the program's build.
#include <hnswlib/hnswlib.h>

#include <cstdlib>
#include <cstring>

#include "vectors_data.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: vectors_peers clustered|uniform COUNT\n");
    return 2;
  }
  const auto count = static_cast<std::size_t>(std::atoll(argv[2]));
  const vectors::Data data = vectors::make(std::strcmp(argv[1], "clustered") == 0, count, 500);
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
  return 0;
}
