// SPDX-License-Identifier: Apache-2.0
#include "index/vectors/rotation.h"

#include <bit>
#include <cmath>

#include "kernels/codes/codes.h"

namespace cairn::index {
namespace {

// SplitMix64: the numbers are part of the format of segments.
std::uint64_t next_word(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ull;
  std::uint64_t z = state;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

}  // namespace

Rotation::Rotation(std::size_t dims)
    : dims_(dims),
      padded_(padded(dims)),
      power_(std::bit_floor(padded_)),
      scale_(1 / std::sqrt(static_cast<float>(power_))) {
  std::uint64_t state = padded_;
  signs_.resize(rounds * padded_ / 64);
  for (std::uint64_t& word : signs_) word = next_word(state);
}

void Rotation::apply(float* values) const {
  const kernels::CodeKernels& kernels = kernels::code_kernels();
  for (std::size_t round = 0; round < rounds; ++round) {
    kernels.flip_signs(values, signs_.data() + round * padded_ / 64, padded_);
    // Both ends in turn, where one transform does not reach over all.
    float* const part = round % 2 == 0 ? values : values + padded_ - power_;
    kernels.hadamard(part, power_);
    for (std::size_t i = 0; i < power_; ++i) part[i] *= scale_;
  }
}

}  // namespace cairn::index
