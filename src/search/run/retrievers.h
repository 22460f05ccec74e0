// SPDX-License-Identifier: Apache-2.0
// Retrievers: a tree of ranked lists, fused and reranked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "search/run/execution.h"
#include "search/run/ranking.h"

namespace cairn::search {

struct Retriever {
  enum class Kind { leaf, rrf, linear, reranker };
  struct Child {
    std::unique_ptr<Retriever> retriever;
    float weight = 1;
    Normalizer normalizer = Normalizer::none;
  };
  Kind kind = Kind::leaf;
  Queries queries = {};           // leaf, as read
  PreparedQueries prepared = {};  // leaf, once prepare_leaves() was there
  std::vector<index::SortKey> sort = {};
  std::vector<Child> children = {};
  std::size_t window = 10;    // rank_window_size
  double rank_constant = 60;  // rrf
  std::optional<float> min_score = {};
  std::string field = {};  // reranker: whose text
  std::string text = {};
  std::string inference_id = {};
};

/// Reads a retriever; `filter` of every one is pushed down to the leaves. Errors: those of reading
/// queries; action_request_validation_exception, illegal_argument_exception.
Result<std::unique_ptr<Retriever>> read_retriever(const Json& json, Execution& execution);

/// Plans the queries of all leaves, each once. Gives them as one that matches what any of them
/// matches; empty where there is no leaf.
Result<PreparedQueries> prepare_leaves(Retriever& retriever, Execution& execution);

/// The ranked list of a retriever whose leaves are prepared, at most `window` long for a leaf.
Result<std::vector<Candidate>> run_retriever(const Retriever& retriever, Execution& execution,
                                             std::size_t window);

}  // namespace cairn::search
