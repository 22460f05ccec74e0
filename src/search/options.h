// SPDX-License-Identifier: Apache-2.0
// Limits of search requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "index/data_too_large.h"

namespace cairn::search {

struct Options {
  std::size_t max_result_window = 10'000;  // from + size
  std::size_t max_num_candidates = 10'000;
  std::size_t max_query_depth = 30;
  std::size_t max_clauses = 4096;            // of one query; indices have the same limit
  std::size_t max_regexp_states = 100'000;   // that a regexp query may ask for
  std::size_t max_copied_bytes = 16u << 20;  // of a text times the fields that it is sought in
  std::size_t max_msearch_items = 1'000;
  std::size_t max_retriever_depth = 8;
  std::size_t max_retrievers = 128;            // of one request
  std::size_t max_open_contexts = 500;         // scrolls and points in time
  std::size_t max_open_contexts_of_one = 250;  // with one key
  std::size_t max_context_bytes = 64u << 20;   // of the requests of all scrolls
  std::int64_t max_keep_alive_ms = 24 * 60 * 60 * 1000;
  std::uint32_t max_slices = 1'024;                        // of a scroll or a point in time
  std::size_t answer_bytes_max = index::answer_bytes_max;  // of one request, _msearch's too
  std::string node_id = {};                                // of the server, as profiles name it
};

}  // namespace cairn::search
