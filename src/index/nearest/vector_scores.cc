// SPDX-License-Identifier: Apache-2.0
#include "index/nearest/vector_scores.h"

#include <algorithm>
#include <cmath>

#include "kernels/vector.h"

namespace cairn::index {

VectorScoring::VectorScoring(Similarity similarity, bool bytes, std::vector<float> query, bool bits)
    : similarity_(similarity), bytes_(bytes), bits_(bits), query_(std::move(query)) {
  if (!bytes_) return;
  for (const float v : query_) byte_query_.push_back(static_cast<std::int8_t>(v));
  squares_ = static_cast<float>(
      kernels::dot_i8(byte_query_.data(), byte_query_.data(), byte_query_.size()));
}

float VectorScoring::to_score(float raw) const {
  if (bits_) {
    const auto dims = static_cast<float>(query_.size() * 8);
    return (dims - raw) / dims;
  }
  switch (similarity_) {
    case Similarity::cosine:
      return std::max((1.0f + raw) / 2.0f, 0.0f);
    case Similarity::dot_product:
      if (bytes_) return 0.5f + raw / (32768.0f * static_cast<float>(query_.size()));
      return std::max((1.0f + raw) / 2.0f, 0.0f);
    case Similarity::l2_norm:
      return 1.0f / (1.0f + raw);
    case Similarity::max_inner_product:
      return raw < 0 ? 1.0f / (1.0f - raw) : raw + 1.0f;
  }
  return 0;
}

float VectorScoring::least_score(float similarity) const {
  if (bits_) return to_score(similarity);
  return to_score(similarity_ == Similarity::l2_norm ? similarity * similarity : similarity);
}

float VectorScoring::raw(const char* row) const {
  const std::size_t n = query_.size();
  if (!bytes_) {
    const auto* v = reinterpret_cast<const float*>(row);
    return similarity_ == Similarity::l2_norm ? kernels::l2_f32(query_.data(), v, n)
                                              : kernels::dot_f32(query_.data(), v, n);
  }
  if (bits_) return static_cast<float>(kernels::differing_bits(byte_query_.data(), row, n));
  const auto* v = reinterpret_cast<const std::int8_t*>(row);
  if (similarity_ == Similarity::l2_norm)
    return static_cast<float>(kernels::l2_i8(byte_query_.data(), v, n));
  const auto dot = static_cast<float>(kernels::dot_i8(byte_query_.data(), v, n));
  if (similarity_ != Similarity::cosine) return dot;
  const auto own = static_cast<float>(kernels::dot_i8(v, v, n));
  const float length = std::sqrt(own) * std::sqrt(squares_);
  return length > 0 ? dot / length : 0.0f;
}

float VectorScoring::distance(float raw) const {
  if (similarity_ == Similarity::l2_norm) return raw;
  const bool product = similarity_ == Similarity::max_inner_product ||
                       (similarity_ == Similarity::dot_product && bytes_);
  return product ? -raw : 2 - 2 * raw;
}

std::vector<float> VectorScoring::compared() const {
  std::vector<float> out = query_;
  if (!bytes_ || similarity_ != Similarity::cosine || !(squares_ > 0)) return out;
  for (float& v : out) v /= std::sqrt(squares_);
  return out;
}

}  // namespace cairn::index
