// SPDX-License-Identifier: Apache-2.0
// The features of a query and a document, and the small net over them.
#include "inference/static/static_reranker.h"

#include <algorithm>

#include "kernels/vector.h"

namespace cairn::inference {
namespace {

constexpr std::size_t near_tokens = 8;
constexpr std::size_t window_tokens = 24;
constexpr std::size_t head_tokens = 16;
// Bounds the work of a long query against a long document.
constexpr std::size_t most_query_tokens = 64;

enum Feature : std::size_t {
  bm25,
  coverage,
  soft_coverage,
  expanded,
  cosine_of_texts,
  ordered_pairs,
  near_pairs,
  window_coverage,
  weakest_token,
  document_length,
  query_length,
  first_match,
  head_coverage,
  heaviest_missing,
  focus,
};

std::vector<std::uint32_t> meaningful(const StaticTables& tables, TokenIdSpan text) {
  std::vector<std::uint32_t> out;
  out.reserve(text.size());
  for (const std::uint32_t id : text) {
    if (id < tables.size() && tables.idf[id] > 0) out.push_back(id);
  }
  return out;
}

std::vector<std::uint32_t> sorted_distinct(std::vector<std::uint32_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace

/// Where the tokens of the query stand in a document.
struct RerankQuery::Found {
  struct Match {
    std::size_t place = 0;
    std::size_t token = 0;  // index into distinct_
  };
  std::vector<std::uint32_t> document;  // tokens that carry meaning, in order
  std::vector<std::uint32_t> distinct;  // ascending
  std::vector<Match> matches;           // ascending by place
  std::vector<float> counts;            // by index into distinct_
  float idf_sum = 0;                    // of the document
};

RerankQuery::RerankQuery(const StaticTables& tables, TokenIdSpan query)
    : tables_(tables), sequence_(meaningful(tables, query)), dense_(dense_vector(tables, query)) {
  if (sequence_.size() > most_query_tokens) sequence_.resize(most_query_tokens);
  distinct_ = sorted_distinct(sequence_);
  for (const std::uint32_t id : distinct_) {
    idf_sum_ += tables.idf[id];
    idf_largest_ = std::max(idf_largest_, tables.idf[id]);
  }
  for (const WeightedToken& token : query_tokens(tables, sequence_, 128)) {
    if (!std::binary_search(distinct_.begin(), distinct_.end(), token.id)) {
      expanded_.push_back(token);
    }
  }
}

bool RerankQuery::knows(TokenIdSpan document) const {
  return !distinct_.empty() && !meaningful(tables_, document).empty();
}

void RerankQuery::look_at_tokens(TokenIdSpan document, Found& found) const {
  found.document = meaningful(tables_, document);
  found.distinct = sorted_distinct(found.document);
  found.counts.assign(distinct_.size(), 0);
  for (std::size_t place = 0; place < found.document.size(); ++place) {
    const std::uint32_t id = found.document[place];
    found.idf_sum += tables_.idf[id];
    const auto at = std::lower_bound(distinct_.begin(), distinct_.end(), id);
    if (at == distinct_.end() || *at != id) continue;
    const auto token = static_cast<std::size_t>(at - distinct_.begin());
    found.matches.push_back({place, token});
    found.counts[token] += 1;
  }
}

/// The largest summed idf of distinct query tokens within a window.
float RerankQuery::best_window(const Found& found) const {
  std::vector<std::size_t> inside(distinct_.size(), 0);
  float best = 0;
  float sum = 0;
  std::size_t first = 0;
  for (const Found::Match& match : found.matches) {
    if (inside[match.token]++ == 0) sum += tables_.idf[distinct_[match.token]];
    for (; found.matches[first].place + window_tokens <= match.place; ++first) {
      const std::size_t token = found.matches[first].token;
      if (--inside[token] == 0) sum -= tables_.idf[distinct_[token]];
    }
    best = std::max(best, sum);
  }
  return best;
}

void RerankQuery::look_at_pairs(const Found& found, RerankFeatures& out) const {
  float all = 0;
  float ordered = 0;
  float near = 0;
  for (std::size_t i = 0; i + 1 < sequence_.size(); ++i) {
    const std::uint32_t left = sequence_[i];
    const std::uint32_t right = sequence_[i + 1];
    const float weight = tables_.idf[left] + tables_.idf[right];
    all += weight;
    bool is_ordered = false;
    bool is_near = false;
    for (std::size_t m = 0; m < found.matches.size() && !is_ordered; ++m) {
      if (distinct_[found.matches[m].token] != left) continue;
      const std::size_t place = found.matches[m].place;
      if (place + 1 < found.document.size() && found.document[place + 1] == right) {
        is_ordered = true;
      }
      const auto is_within = [&](const Found::Match& other) {
        const std::size_t apart = other.place > place ? other.place - place : place - other.place;
        return apart <= near_tokens && apart > 0 && distinct_[other.token] == right;
      };
      for (std::size_t n = m; n-- > 0 && place - found.matches[n].place <= near_tokens;) {
        is_near = is_near || is_within(found.matches[n]);
      }
      for (std::size_t n = m + 1;
           n < found.matches.size() && found.matches[n].place - place <= near_tokens; ++n) {
        is_near = is_near || is_within(found.matches[n]);
      }
    }
    if (is_ordered) ordered += weight;
    if (is_ordered || is_near) near += weight;
  }
  if (all > 0) {
    out[ordered_pairs] = ordered / all;
    out[near_pairs] = near / all;
  }
}

RerankFeatures RerankQuery::features_of(TokenIdSpan text) const {
  RerankFeatures out{};
  Found found;
  look_at_tokens(text, found);
  const auto length = static_cast<float>(found.document.size());
  out[document_length] = length / (length + 64);
  out[query_length] =
      static_cast<float>(sequence_.size()) / (static_cast<float>(sequence_.size()) + 8);
  out[cosine_of_texts] =
      kernels::dot_f32(dense_.data(), dense_vector(tables_, text).data(), dense_.size());
  if (distinct_.empty() || found.document.empty()) return out;

  float missing = 0;
  float matched_in_document = 0;
  out[weakest_token] = 1;
  for (std::size_t i = 0; i < distinct_.size(); ++i) {
    const float idf = tables_.idf[distinct_[i]];
    float nearest = 0;
    if (found.counts[i] > 0) {
      nearest = 1;
      out[coverage] += idf;
      out[bm25] += idf * tables_.saturation.of(found.counts[i], length);
      matched_in_document += idf * found.counts[i];
    } else {
      missing = std::max(missing, idf);
      for (const std::uint32_t id : found.distinct) {
        nearest = std::max(nearest, cosine(tables_, distinct_[i], id));
      }
    }
    out[soft_coverage] += idf * nearest;
    out[weakest_token] = std::min(out[weakest_token], nearest);
  }
  std::vector<bool> in_head(distinct_.size(), false);
  for (const Found::Match& match : found.matches) {
    if (match.place >= head_tokens || in_head[match.token]) continue;
    in_head[match.token] = true;
    out[head_coverage] += tables_.idf[distinct_[match.token]];
  }
  if (!found.matches.empty()) {
    out[first_match] = 1 / (1 + static_cast<float>(found.matches.front().place) / 16);
  }
  out[expanded] = dot(expanded_, document_tokens(tables_, found.document));
  out[window_coverage] = best_window(found);
  for (const Feature share :
       {bm25, coverage, soft_coverage, expanded, window_coverage, head_coverage}) {
    out[share] /= idf_sum_;
  }
  out[heaviest_missing] = missing / idf_largest_;
  out[focus] = matched_in_document / found.idf_sum;
  look_at_pairs(found, out);
  return out;
}

float RerankNet::logit(const RerankFeatures& features) const {
  RerankFeatures standard{};
  for (std::size_t f = 0; f < standard.size(); ++f) {
    standard[f] = (features[f] - mean[f]) * inverse_spread[f];
  }
  float out = output_bias;
  for (std::size_t h = 0; h < hidden; ++h) {
    const float sum = hidden_bias[h] + kernels::dot_f32(hidden_weights.data() + h * standard.size(),
                                                        standard.data(), standard.size());
    if (sum > 0) out += output_weights[h] * sum;
  }
  return out;
}

}  // namespace cairn::inference
