// SPDX-License-Identifier: Apache-2.0
// Limits of search requests.
#pragma once

#include <cstddef>

namespace cairn::search {

struct Options {
  std::size_t max_result_window = 10'000;  // from + size
  std::size_t max_num_candidates = 10'000;
  std::size_t max_query_depth = 30;
  std::size_t max_msearch_items = 1'000;
  std::size_t max_retriever_depth = 8;
};

}  // namespace cairn::search
