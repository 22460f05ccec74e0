// SPDX-License-Identifier: Apache-2.0
// The numbers of a static model (model_type cairn-static): what is known of each token, and the
// arithmetic on texts that needs nothing else. The program that trains models uses the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::inference {

using TokenIdSpan = std::span<const std::uint32_t>;

/// How often a token counts: term frequency as BM25 saturates it, with a fixed average length.
struct TermSaturation {
  float k1 = 1.2F;
  float b = 0.4F;
  float average_length = 64;

  float of(float count, float length) const {
    return count * (k1 + 1) / (count + k1 * (1 - b + b * length / average_length));
  }
};

/// A related token of a query token, and how much it counts (at most 0.3 of the token itself).
struct Expansion {
  std::uint32_t id = 0;
  float weight = 0;
};

/// What is known of each token id. Ids at or above size() are ignored by every function.
struct StaticTables {
  std::size_t dimensions = 0;
  std::span<const std::int8_t> vectors;       // size() x dimensions; the owner is elsewhere
  std::vector<float> scales;                  // of the rows, the token's weight in a text included
  std::vector<float> inverse_norms;           // of the int8 rows; 0 for a row of zeros
  std::vector<float> idf;                     // 0: carries no meaning (punctuation, unknown)
  std::vector<std::uint32_t> expansion_ends;  // into `expansions`, by id
  std::vector<Expansion> expansions;
  TermSaturation saturation;

  std::size_t size() const { return idf.size(); }
  const std::int8_t* vector(std::uint32_t id) const { return vectors.data() + id * dimensions; }
  std::span<const Expansion> expansions_of(std::uint32_t id) const;
  void compute_inverse_norms();
};

/// Cosine of two tokens' vectors; 0 where one has none.
float cosine(const StaticTables& tables, std::uint32_t a, std::uint32_t b);

/// The text's embedding, of length 1; a text without a known token gets the uniform vector.
std::vector<float> dense_vector(const StaticTables& tables, TokenIdSpan text);

struct WeightedToken {
  std::uint32_t id = 0;
  float weight = 0;

  friend bool operator==(const WeightedToken&, const WeightedToken&) = default;
};

/// A text as weighted tokens, ascending by id: sqrt(idf), by count. The dot product of a query's
/// and a document's tokens is a BM25 score with the model's own idf.
std::vector<WeightedToken> document_tokens(const StaticTables& tables, TokenIdSpan text);
/// The same for a query, with at most `most_expansions` related tokens added.
std::vector<WeightedToken> query_tokens(const StaticTables& tables, TokenIdSpan text,
                                        std::size_t most_expansions);
/// The dot product of two lists ascending by id.
float dot(std::span<const WeightedToken> a, std::span<const WeightedToken> b);

}  // namespace cairn::inference
