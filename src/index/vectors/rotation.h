// SPDX-License-Identifier: Apache-2.0
// A fixed rotation that spreads what a vector holds evenly over its dimensions, so that codes of
// few bits are as good for any data as for noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cairn::index {

/// Turns signs and transforms by Walsh and Hadamard four times. The signs are a function of the
/// number of dimensions alone: all segments of a field are rotated alike. Every processor gives the
/// same bits.
class Rotation {
 public:
  /// Of 1 to 4,096 dimensions.
  explicit Rotation(std::size_t dims);
  std::size_t dims() const { return dims_; }
  /// What rotated vectors have: the next multiple of 64.
  std::size_t padded() const { return padded_; }
  static std::size_t padded(std::size_t dims) { return (dims + 63) / 64 * 64; }
  /// `values` has padded() numbers, zeros behind the first dims(). Keeps lengths and products.
  void apply(float* values) const;

 private:
  static constexpr std::size_t rounds = 4;
  std::size_t dims_ = 0;
  std::size_t padded_ = 0;
  std::size_t power_ = 0;  // of two: what is transformed at once
  float scale_ = 1;
  std::vector<std::uint64_t> signs_;  // of each round
};

}  // namespace cairn::index
