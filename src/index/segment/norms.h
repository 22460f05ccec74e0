// SPDX-License-Identifier: Apache-2.0
// The length of a text field in one byte, and BM25 with it, as the platform's engine computes them.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace cairn::index {

/// Lengths below 24 are exact; above, four significant bits are kept (rounded down).
std::uint8_t encode_length(std::uint32_t length);
std::uint32_t decode_length(std::uint8_t norm);

inline constexpr float bm25_k1 = 1.2f;
inline constexpr float bm25_b = 0.75f;

/// ln(1 + (N - n + 0.5) / (n + 0.5)), N: documents with the field, n: those with the term.
float bm25_idf(std::uint64_t doc_count, std::uint64_t doc_freq);

/// 1 / (k1 * (1 - b + b * length / average)) for each norm byte.
using InverseLengths = std::array<float, 256>;
InverseLengths inverse_lengths(float average_length);

/// weight - weight / (1 + tf * inverse), where weight = boost * (k1 + 1) * idf.
inline float bm25_score(float weight, float tf, float inverse) {
  return weight - weight / (1.0f + tf * inverse);
}

/// An upper bound, over all average lengths, of tf/(tf+K) is this share at the segment's own
/// average; another average A changes it by at most A/A_segment (see bound_scale).
inline float bm25_share(float tf, float inverse) { return 1.0f - 1.0f / (1.0f + tf * inverse); }

/// By how much a share taken at `segment_average` may grow at `average`.
inline float bound_scale(float average, float segment_average) {
  return average > segment_average && segment_average > 0 ? average / segment_average : 1.0f;
}

}  // namespace cairn::index
