// SPDX-License-Identifier: Apache-2.0
#include "index/vectors/vector_query.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/vector.h"

namespace cairn::index {
namespace {

// The usual error of an estimate, in lengths of the query times the code's factor: for signs the
// sine of the angle between a row and its code (0.6), for fine codes 0.107 times the length of such
// a code in deviations (5.97).
constexpr float sign_error = 0.6f;
constexpr float fine_error = 0.64f;
// The same of coarse codes, which are 0.367 times their length (1.77) off.
constexpr float coarse_error = 0.65f;

}  // namespace

VectorQuery::VectorQuery(Nearness nearness, std::span<const float> vector)
    : nearness_(nearness), dims_(vector.size()) {
  const Rotation rotation(dims_);
  const std::size_t padded = rotation.padded();
  rotated_.assign(padded, 0);
  std::copy(vector.begin(), vector.end(), rotated_.begin());
  rotation.apply(rotated_.data());
  length_ = std::sqrt(kernels::dot_f32(rotated_.data(), rotated_.data(), padded));

  std::vector<float> sums(padded * 4);
  float least = 0, most = 0, total = 0, greatest = 0;
  for (std::size_t g = 0; g < padded / 4; ++g) {
    float* const entry = sums.data() + g * 16;
    const float* const q = rotated_.data() + g * 4;
    entry[0] = 0;
    for (std::size_t p = 1; p < 16; ++p) {
      const auto bit = static_cast<std::size_t>(std::bit_width(p) - 1);
      entry[p] = entry[p - (std::size_t{1} << bit)] + q[bit];
      least = std::min(least, entry[p]);
      most = std::max(most, entry[p]);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      total += q[i];
      greatest = std::max(greatest, std::abs(q[i]));
    }
  }
  const auto levels = static_cast<float>(std::min<std::size_t>(255, 65535 / (padded / 4)));
  table_step_ = most > least ? (most - least) / levels : 1;
  table_offset_ = 2 * static_cast<float>(padded / 4) * least - total;
  table_.resize(padded * 4);
  for (std::size_t i = 0; i < table_.size(); ++i)
    table_[i] = static_cast<std::uint8_t>(
        std::min(levels, std::floor((sums[i] - least) / table_step_ + 0.5f)));

  number_scale_ = greatest > 0 ? greatest / 127 : 1;
  numbers_.resize(padded);
  std::int32_t number_sum = 0;
  for (std::size_t i = 0; i < padded; ++i) {
    const float level = std::floor(rotated_[i] / number_scale_ + 0.5f);
    // In this order also what is no number, of a vector whose length is none, stays in bounds.
    numbers_[i] = static_cast<std::int8_t>(std::max(-127.0f, std::min(127.0f, level)));
    number_sum += numbers_[i];
  }
  number_sum_ = static_cast<float>(number_sum);
  number_offset_ = -level_offset * number_scale_ * static_cast<float>(number_sum);
}

float VectorQuery::distance(const float* rotated) const {
  const std::size_t padded = rotated_.size();
  const float out = nearness_ == Nearness::distance
                        ? kernels::l2_f32(rotated_.data(), rotated, padded)
                        : -kernels::dot_f32(rotated_.data(), rotated, padded);
  // Damaged numbers compare as far away.
  return std::isnan(out) ? std::numeric_limits<float>::infinity() : out;
}

float VectorQuery::length(float centroid_distance) const {
  return nearness_ == Nearness::distance ? std::sqrt(centroid_distance) : length_;
}

kernels::SignQuery VectorQuery::signs(float centroid_distance, float slack) const {
  return {.table = table_.data(),
          .groups = table_.size() / 16,
          .base = centroid_distance,
          .scale = 2 * table_step_,
          // Factors are negative: what is added here is taken off the estimate.
          .offset = table_offset_ + slack * sign_error * length(centroid_distance)};
}

VectorQuery::Estimate VectorQuery::estimate(float centroid_distance,
                                            const std::uint8_t* fine) const {
  const std::size_t padded = rotated_.size();
  CodeFactors factors;
  std::memcpy(&factors, fine + padded / 2, sizeof factors);
  const auto sum =
      static_cast<float>(kernels::code_kernels().dot_nibbles(fine, numbers_.data(), padded));
  const float product = 2 * number_scale_ * sum + number_offset_;
  return {.distance = centroid_distance + factors.add + factors.factor * product,
          .error = fine_error * std::abs(factors.factor) * length(centroid_distance)};
}

VectorQuery::Estimate VectorQuery::estimate_coarse(float center_distance,
                                                   const std::uint8_t* coarse) const {
  const std::size_t padded = rotated_.size();
  const auto& kernels = kernels::code_kernels();
  CodeFactors factors;
  std::memcpy(&factors, coarse + padded / 4, sizeof factors);
  const std::int32_t upper = kernels.dot_signs(coarse, numbers_.data(), padded);
  const std::int32_t lower = kernels.dot_signs(coarse + padded / 8, numbers_.data(), padded);
  const auto sum = static_cast<float>(4 * upper + 2 * lower);
  const float product = number_scale_ * (sum - coarse_offset * number_sum_);
  return {.distance = center_distance + factors.add + factors.factor * product,
          .error = coarse_error * std::abs(factors.factor) * length(center_distance)};
}

}  // namespace cairn::index
