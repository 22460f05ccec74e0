// SPDX-License-Identifier: Apache-2.0
// Searching small collections in memory, and how good an order is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inference/static/static_tables.h"
#include "text/analyzer.h"

namespace cairn::mini {

struct Hit {
  std::uint32_t document = 0;
  float score = 0;
};

/// The best `count` of `scores`, by score, then by document. Scores of 0 are no hits.
std::vector<Hit> best_of(std::span<const float> scores, std::size_t count);

/// Sparse vectors by token.
class SparseIndex {
 public:
  void add(std::span<const inference::WeightedToken> document);
  std::vector<Hit> search(std::span<const inference::WeightedToken> query, std::size_t count) const;

 private:
  std::vector<std::vector<Hit>> postings_;
  std::uint32_t documents_ = 0;
};

/// BM25 (k1 1.2, b 0.75) with the idf of the collection, over the terms of an analyzer.
class Bm25 {
 public:
  Bm25(std::shared_ptr<const text::Analyzer> analyzer, const std::vector<std::string>& documents);
  std::vector<Hit> search(std::string_view query, std::size_t count) const;

 private:
  std::shared_ptr<const text::Analyzer> analyzer_;
  std::unordered_map<std::string, std::vector<Hit>> postings_;  // score: of one query term
  std::uint32_t documents_ = 0;
};

/// Means over queries that have one right answer each.
struct Quality {
  double mrr_10 = 0;      // 1 / rank, 0 beyond the tenth
  double recall_10 = 0;   // found among ten
  double recall_100 = 0;  // found among a hundred

  /// Adds one query: the rank of its answer from 1, or 0 where it was not found.
  void add(std::size_t rank);
  Quality mean() const;
  std::size_t queries = 0;
};

/// The rank of a document in an order, from 1; 0 where it is missing.
std::size_t rank_of(std::uint32_t document, std::span<const Hit> order);

}  // namespace cairn::mini
