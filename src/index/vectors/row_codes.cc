// SPDX-License-Identifier: Apache-2.0
#include "index/vectors/row_codes.h"

#include <algorithm>
#include <cmath>

namespace cairn::index {
namespace {

// The step between levels that loses least of a normal distribution, in its deviations.
constexpr float best_step = 0.335f;
// The same of four levels, in steps of sixteen: levels 0 to 4, 5 to 7, 8 to 10 and 11 to 15.
constexpr std::uint8_t inner_levels = 3;

std::uint8_t coarse_level(std::uint8_t level) {
  if (level >= 8) return level >= 8 + inner_levels ? 3 : 2;
  return level >= 8 - inner_levels ? 1 : 0;
}

// `sign(i)`: whether dimension i is on the upper side.
template <class Sign>
void put_pattern(std::size_t padded, std::uint8_t* block, std::size_t row, Sign sign) {
  const unsigned shift = row < 16 ? 0 : 4;
  for (std::size_t i = 0; i < padded; i += 4) {
    unsigned pattern = 0;
    for (unsigned j = 0; j < 4; ++j) pattern |= (sign(i + j) ? 1u : 0u) << j;
    block[i * 4 + row % 16] |= static_cast<std::uint8_t>(pattern << shift);
  }
}

}  // namespace

void RowCoder::encode(const float* row, const float* centroid) {
  rest_.resize(padded_);
  levels_.resize(padded_);
  float squares = 0, sum = 0, sign_centroid = 0;
  for (std::size_t i = 0; i < padded_; ++i) {
    const float r = row[i] - centroid[i];
    rest_[i] = r;
    squares += r * r;
    sum += std::abs(r);
    sign_centroid += r >= 0 ? centroid[i] : -centroid[i];
  }
  squares_ = squares;
  // A row that is its centroid, or so near that numbers end: the centroid's distance is its own.
  const float step = best_step * std::sqrt(squares / static_cast<float>(padded_));
  const float inverse = 1 / step;
  if (!(sum > 0) || !(squares > 0) || !std::isfinite(inverse)) {
    std::fill(levels_.begin(), levels_.end(), std::uint8_t{0});
    sign_factors_ = fine_factors_ = coarse_factors_ = {};
    return;
  }
  float fine_product = 0, fine_centroid = 0, coarse_product = 0, coarse_centroid = 0;
  for (std::size_t i = 0; i < padded_; ++i) {
    // In this order also what is no number stays in bounds.
    const float level = std::max(0.0f, std::min(15.0f, std::floor(rest_[i] * inverse) + 8));
    levels_[i] = static_cast<std::uint8_t>(level);
    const float value = 2 * level - level_offset;
    fine_product += value * rest_[i];
    fine_centroid += value * centroid[i];
    const float coarse = 2 * static_cast<float>(coarse_level(levels_[i])) - coarse_offset;
    coarse_product += coarse * rest_[i];
    coarse_centroid += coarse * centroid[i];
  }
  const auto factors = [&](float product, float with_centroid) -> CodeFactors {
    const float f = squares / product;
    if (nearness_ == Nearness::product) return {.add = 0, .factor = -f};
    return {.add = squares + 2 * f * with_centroid, .factor = -2 * f};
  };
  sign_factors_ = factors(sum, sign_centroid);
  fine_factors_ = factors(fine_product, fine_centroid);
  coarse_factors_ = factors(coarse_product, coarse_centroid);
}

void RowCoder::put_signs(std::uint8_t* block, std::size_t row) const {
  put_pattern(padded_, block, row, [&](std::size_t i) { return levels_[i] >= 8; });
}

void RowCoder::put_coarse(std::uint8_t* out) const {
  std::fill_n(out, padded_ / 4, std::uint8_t{0});
  for (std::size_t i = 0; i < padded_; ++i) {
    const unsigned level = coarse_level(levels_[i]);
    std::uint8_t& upper = out[i / 8];
    std::uint8_t& lower = out[padded_ / 8 + i / 8];
    upper = static_cast<std::uint8_t>(upper | (level >> 1) << i % 8);
    lower = static_cast<std::uint8_t>(lower | (level & 1) << i % 8);
  }
}

void RowCoder::put_fine(std::uint8_t* out) const {
  const std::size_t half = padded_ / 2;
  for (std::size_t i = 0; i < half; ++i)
    out[i] = static_cast<std::uint8_t>(levels_[i] | levels_[i + half] << 4);
}

void put_signs_of_fine(const std::uint8_t* fine, std::size_t padded, std::uint8_t* block,
                       std::size_t row) {
  const std::size_t half = padded / 2;
  put_pattern(padded, block, row, [&](std::size_t i) {
    return i < half ? (fine[i] & 8) != 0 : (fine[i - half] & 128) != 0;
  });
}

}  // namespace cairn::index
