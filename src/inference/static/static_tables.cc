// SPDX-License-Identifier: Apache-2.0
// Dense and sparse vectors of a text from tables of its tokens.
#include "inference/static/static_tables.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "kernels/vector.h"

namespace cairn::inference {
namespace {

bool by_id(const WeightedToken& a, const WeightedToken& b) { return a.id < b.id; }

/// The tokens that carry meaning with their counts, ascending by id.
std::vector<WeightedToken> counted(const StaticTables& tables, TokenIdSpan text) {
  std::vector<std::uint32_t> ids;
  ids.reserve(text.size());
  for (const std::uint32_t id : text) {
    if (id < tables.size() && tables.idf[id] > 0) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  std::vector<WeightedToken> out;
  for (const std::uint32_t id : ids) {
    if (!out.empty() && out.back().id == id) {
      out.back().weight += 1;
    } else {
      out.push_back({id, 1});
    }
  }
  return out;
}

}  // namespace

std::span<const Expansion> StaticTables::expansions_of(std::uint32_t id) const {
  if (id >= expansion_ends.size()) return {};
  const std::size_t begin = id == 0 ? 0 : expansion_ends[id - 1];
  return std::span(expansions).subspan(begin, expansion_ends[id] - begin);
}

void StaticTables::compute_inverse_norms() {
  inverse_norms.assign(size(), 0);
  for (std::uint32_t id = 0; id < size(); ++id) {
    const auto square = kernels::dot_i8(vector(id), vector(id), dimensions);
    if (square > 0) inverse_norms[id] = 1 / std::sqrt(static_cast<float>(square));
  }
}

float cosine(const StaticTables& tables, std::uint32_t a, std::uint32_t b) {
  if (a >= tables.size() || b >= tables.size()) return 0;
  const auto product = kernels::dot_i8(tables.vector(a), tables.vector(b), tables.dimensions);
  return static_cast<float>(product) * tables.inverse_norms[a] * tables.inverse_norms[b];
}

std::vector<float> dense_vector(const StaticTables& tables, TokenIdSpan text) {
  std::vector<float> sum(tables.dimensions, 0);
  for (const std::uint32_t id : text) {
    if (id >= tables.size() || tables.scales[id] == 0) continue;
    kernels::add_scaled_i8(sum.data(), tables.vector(id), tables.scales[id], tables.dimensions);
  }
  const float square = kernels::dot_f32(sum.data(), sum.data(), sum.size());
  if (square > 0) {
    const float factor = 1 / std::sqrt(square);
    for (float& number : sum) number *= factor;
  } else {
    std::fill(sum.begin(), sum.end(), 1 / std::sqrt(static_cast<float>(sum.size())));
  }
  return sum;
}

std::vector<WeightedToken> document_tokens(const StaticTables& tables, TokenIdSpan text) {
  std::vector<WeightedToken> out = counted(tables, text);
  float length = 0;
  for (const WeightedToken& token : out) length += token.weight;
  for (WeightedToken& token : out) {
    token.weight = std::sqrt(tables.idf[token.id]) * tables.saturation.of(token.weight, length);
  }
  return out;
}

std::vector<WeightedToken> query_tokens(const StaticTables& tables, TokenIdSpan text,
                                        std::size_t most_expansions) {
  std::vector<WeightedToken> own = counted(tables, text);
  std::vector<WeightedToken> related;
  for (WeightedToken& token : own) {
    token.weight *= std::sqrt(tables.idf[token.id]);
    for (const Expansion& expansion : tables.expansions_of(token.id)) {
      if (expansion.id >= tables.size() || tables.idf[expansion.id] <= 0) continue;
      related.push_back({expansion.id, token.weight * expansion.weight});
    }
  }
  // Of a token related to several, the strongest relation counts.
  std::sort(related.begin(), related.end(), [](const WeightedToken& a, const WeightedToken& b) {
    return a.id != b.id ? a.id < b.id : a.weight > b.weight;
  });
  std::uint32_t last = UINT32_MAX;
  const auto is_new = [&](const WeightedToken& token) {
    const bool again = token.id == last;
    last = token.id;
    return !again && !std::binary_search(own.begin(), own.end(), token, by_id);
  };
  std::vector<WeightedToken> kept;
  std::copy_if(related.begin(), related.end(), std::back_inserter(kept), is_new);
  std::sort(kept.begin(), kept.end(), [](const WeightedToken& a, const WeightedToken& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.id < b.id;
  });
  if (kept.size() > most_expansions) kept.resize(most_expansions);
  own.insert(own.end(), kept.begin(), kept.end());
  std::sort(own.begin(), own.end(), by_id);
  return own;
}

float dot(std::span<const WeightedToken> a, std::span<const WeightedToken> b) {
  float sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].id == b[j].id) {
      sum += a[i++].weight * b[j++].weight;
    } else if (a[i].id < b[j].id) {
      ++i;
    } else {
      ++j;
    }
  }
  return sum;
}

}  // namespace cairn::inference
