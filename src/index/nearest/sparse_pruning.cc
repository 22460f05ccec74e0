// SPDX-License-Identifier: Apache-2.0
#include "index/nearest/sparse_pruning.h"

#include <algorithm>
#include <cmath>

#include "index/errors.h"

namespace cairn::index {
namespace {

struct TokenTotals {
  double documents = 0;      // that have the field
  double average_share = 0;  // of them, that a token stands in
};

TokenTotals token_totals(const ViewState& view, std::string_view field) {
  double documents = 0, pairs = 0, tokens = 0;
  for (const SegmentView& s : view.segments) {
    const FieldStatistics* statistics = s.segment->footer().field(field);
    if (statistics == nullptr) continue;
    documents += static_cast<double>(statistics->doc_count);
    pairs += static_cast<double>(statistics->sum_doc_freq);
    tokens = std::max(tokens, static_cast<double>(statistics->term_count));
  }
  if (documents == 0 || tokens == 0) return {};
  return {.documents = documents, .average_share = pairs / documents / tokens};
}

}  // namespace

Result<TokenWeights> scored_tokens(const QueryContext& context, const SparseQuery& query) {
  float heaviest = 0;
  for (const auto& [token, weight] : query.weights) {
    if (!(weight > 0) || !std::isfinite(weight))
      return illegal_argument("[sparse_vector] weights must be greater than 0, got [" +
                              Json(weight).dump() + "] for [" + token + "]");
    heaviest = std::max(heaviest, weight);
  }
  if (!query.pruning) return query.weights;
  const SparsePruning& pruning = *query.pruning;
  const TokenTotals totals = token_totals(context.view, query.field);
  TokenWeights out;
  for (const auto& [token, weight] : query.weights) {
    CAIRN_TRY(const auto found, find_term(context, query.field, token));
    const auto documents = static_cast<double>(doc_freq_of(*found));
    // What no document has is neither kept nor pruned.
    if (documents == 0) continue;
    const bool rare = documents / totals.documents <
                      static_cast<double>(pruning.freq_ratio_threshold) * totals.average_share;
    const bool kept = rare || weight > pruning.weight_threshold * heaviest;
    if (kept != pruning.only_pruned) out.emplace_back(token, weight);
  }
  return out;
}

}  // namespace cairn::index
