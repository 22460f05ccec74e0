// SPDX-License-Identifier: Apache-2.0
// Codes of vectors: what is left of a row beside its centroid, in one, two and four bits a
// dimension, with the two factors each that make an unbiased estimate of a distance (RaBitQ: Gao
// and Long, 2024). docs/internals/vectors.md derives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cairn::index {

/// What is estimated: the squared Euclidean distance, or the product with its sign turned. Less is
/// nearer in both.
enum class Nearness : std::uint8_t { distance = 0, product = 1 };

/// The factors of a code: distance = centroid's distance + add + factor * (code times query).
struct CodeFactors {
  float add = 0;
  float factor = 0;
};

/// Makes the codes of one row after the other. Holds memory for one.
class RowCoder {
 public:
  RowCoder(std::size_t padded, Nearness nearness) : padded_(padded), nearness_(nearness) {}

  /// `row` and `centroid` are rotated.
  void encode(const float* row, const float* centroid);
  /// Sum of squares of what is left beside the centroid.
  float squares() const { return squares_; }
  CodeFactors sign_factors() const { return sign_factors_; }
  CodeFactors fine_factors() const { return fine_factors_; }
  CodeFactors coarse_factors() const { return coarse_factors_; }
  /// Adds the signs to a block as row `row` of its 32. The block was zero there.
  void put_signs(std::uint8_t* block, std::size_t row) const;
  /// Writes padded / 4 bytes: the upper bits of the levels, then the lower ones; dimension i is bit
  /// i % 8 of byte i / 8.
  void put_coarse(std::uint8_t* out) const;
  /// Writes padded / 2 bytes.
  void put_fine(std::uint8_t* out) const;

 private:
  std::size_t padded_;
  Nearness nearness_;
  std::vector<float> rest_;
  std::vector<std::uint8_t> levels_;
  float squares_ = 0;
  CodeFactors sign_factors_, fine_factors_, coarse_factors_;
};

/// Adds the signs of a row whose fine code this is to a block, as row `row` of its 32.
void put_signs_of_fine(const std::uint8_t* fine, std::size_t padded, std::uint8_t* block,
                       std::size_t row);

/// Four bits of a code stand for the odd numbers from -15 to 15: 2 * level - 15; two bits for those
/// from -3 to 3.
inline constexpr float level_offset = 15;
inline constexpr float coarse_offset = 3;

}  // namespace cairn::index
