// SPDX-License-Identifier: Apache-2.0
// Inverted lists in memory, and measures of order.
#include "ranking.h"

#include <algorithm>
#include <map>
#include <utility>

#include "random.h"

namespace cairn::mini {

std::vector<Hit> best_of(std::span<const float> scores, std::size_t count) {
  std::vector<Hit> hits;
  for (std::uint32_t d = 0; d < scores.size(); ++d) {
    if (scores[d] > 0) hits.push_back({d, scores[d]});
  }
  count = std::min(count, hits.size());
  const auto better = [](const Hit& a, const Hit& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  };
  std::partial_sort(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(count), hits.end(),
                    better);
  hits.resize(count);
  return hits;
}

void SparseIndex::add(std::span<const inference::WeightedToken> document) {
  for (const auto& token : document) {
    if (token.id >= postings_.size()) postings_.resize(token.id + 1);
    postings_[token.id].push_back({documents_, token.weight});
  }
  ++documents_;
}

std::vector<Hit> SparseIndex::search(std::span<const inference::WeightedToken> query,
                                     std::size_t count) const {
  std::vector<float> scores(documents_, 0);
  for (const auto& token : query) {
    if (token.id >= postings_.size()) continue;
    for (const Hit& hit : postings_[token.id]) scores[hit.document] += token.weight * hit.score;
  }
  return best_of(scores, count);
}

Bm25::Bm25(std::shared_ptr<const text::Analyzer> analyzer,
           const std::vector<std::string>& documents)
    : analyzer_(std::move(analyzer)), documents_(static_cast<std::uint32_t>(documents.size())) {
  std::vector<double> lengths;
  double total = 0;
  for (std::uint32_t d = 0; d < documents.size(); ++d) {
    std::map<std::string, float> counts;
    lengths.push_back(0);
    for (std::string& term : text::terms_of(*analyzer_, documents[d])) {
      counts[std::move(term)] += 1;
      lengths.back() += 1;
    }
    total += lengths.back();
    for (const auto& [term, count] : counts) postings_[term].push_back({d, count});
  }
  const double average = total / std::max<double>(1, documents_);
  for (auto& [term, hits] : postings_) {
    const double n = static_cast<double>(hits.size());
    const double idf = log_of(1 + (documents_ - n + 0.5) / (n + 0.5));
    for (Hit& hit : hits) {
      const double norm = 1.2 * (1 - 0.75 + 0.75 * lengths[hit.document] / average);
      hit.score = static_cast<float>(idf * hit.score * 2.2 / (hit.score + norm));
    }
  }
}

std::vector<Hit> Bm25::search(std::string_view query, std::size_t count) const {
  std::vector<float> scores(documents_, 0);
  for (const std::string& term : text::terms_of(*analyzer_, query)) {
    const auto found = postings_.find(term);
    if (found == postings_.end()) continue;
    for (const Hit& hit : found->second) scores[hit.document] += hit.score;
  }
  return best_of(scores, count);
}

void Quality::add(std::size_t rank) {
  ++queries;
  if (rank == 0) return;
  if (rank <= 10) mrr_10 += 1.0 / static_cast<double>(rank);
  if (rank <= 10) recall_10 += 1;
  if (rank <= 100) recall_100 += 1;
}

Quality Quality::mean() const {
  const double n = std::max<double>(1, static_cast<double>(queries));
  Quality out;
  out.mrr_10 = mrr_10 / n;
  out.recall_10 = recall_10 / n;
  out.recall_100 = recall_100 / n;
  out.queries = queries;
  return out;
}

std::size_t rank_of(std::uint32_t document, std::span<const Hit> order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i].document == document) return i + 1;
  }
  return 0;
}

}  // namespace cairn::mini
