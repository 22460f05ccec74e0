// SPDX-License-Identifier: Apache-2.0
// How well a document answers a query, from counts and vectors of their tokens.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "inference/static/static_tables.h"

namespace cairn::inference {

/// What is looked at, in the order of the numbers. A model file names them, so that a model made
/// for others is refused. Shares are of the summed idf of the query's distinct tokens.
inline constexpr std::array<std::string_view, 15> rerank_feature_names{
    "bm25",              // over the sum of idf
    "coverage",          // share of the query found in the document
    "soft_coverage",     // share found, a token counting by its nearest vector in the document
    "expanded",          // related tokens found, over the sum of idf
    "cosine",            // of the dense vectors
    "ordered_pairs",     // share of neighbouring query tokens that are neighbours here, in order
    "near_pairs",        // the same, at most 8 apart in any order
    "window_coverage",   // best share found within 24 tokens
    "weakest_token",     // the nearest vector of the query token that has the farthest
    "document_length",   // n / (n + 64)
    "query_length",      // n / (n + 8)
    "first_match",       // 1 / (1 + place / 16) of the first token that matches
    "head_coverage",     // share found within the first 16 tokens
    "heaviest_missing",  // largest idf not found, over the largest
    "focus",             // share of the document's idf that is the query's
};
using RerankFeatures = std::array<float, rerank_feature_names.size()>;

/// A query, looked at once for many documents. Refers to the tables. Safe from any thread.
class RerankQuery {
 public:
  RerankQuery(const StaticTables& tables, TokenIdSpan query);
  RerankFeatures features_of(TokenIdSpan document) const;
  /// False where the query or the document has no token that carries meaning: their features then
  /// say nothing.
  bool knows(TokenIdSpan document) const;
  std::size_t token_count() const { return distinct_.size(); }  // that are sought, each once

 private:
  struct Found;
  void look_at_tokens(TokenIdSpan document, Found& found) const;
  void look_at_pairs(const Found& found, RerankFeatures& out) const;
  float best_window(const Found& found) const;

  const StaticTables& tables_;
  std::vector<std::uint32_t> sequence_;  // tokens that carry meaning, in order
  std::vector<std::uint32_t> distinct_;  // ascending
  std::vector<WeightedToken> expanded_;  // related tokens alone, ascending by id
  std::vector<float> dense_;
  float idf_sum_ = 0;
  float idf_largest_ = 0;
};

/// One hidden layer over standardized features.
struct RerankNet {
  std::size_t hidden = 0;
  std::vector<float> mean;            // of the features
  std::vector<float> inverse_spread;  // of the features
  std::vector<float> hidden_weights;  // hidden x features
  std::vector<float> hidden_bias;
  std::vector<float> output_weights;
  float output_bias = 0;

  /// The logarithm of the odds that the document answers the query.
  float logit(const RerankFeatures& features) const;
};

}  // namespace cairn::inference
