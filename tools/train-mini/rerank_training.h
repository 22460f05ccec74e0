// SPDX-License-Identifier: Apache-2.0
// Learning of the reranker: the right answer of a query against near misses.
#pragma once

#include <cstddef>
#include <vector>

#include "inference/static/static_reranker.h"
#include "questions.h"
#include "random.h"

namespace cairn::mini {

struct RerankOptions {
  std::size_t hidden = 24;
  std::size_t queries = 2000;   // of each set
  std::size_t candidates = 24;  // of each search
  std::size_t rounds = 8;
};

/// A net whose logits order the answers first (softmax over each query's candidates), then scaled
/// so that its sigmoid is the share of right answers among candidates with that score.
inference::RerankNet learn_reranker(const inference::StaticTables& tables,
                                    const std::vector<Questions>& sets,
                                    const RerankOptions& options, Random& random);

}  // namespace cairn::mini
