// SPDX-License-Identifier: Apache-2.0
// Arithmetic on codes in plain C++: the meaning of the other versions.
#include <bit>

#include "kernels/codes/codes_versions.h"

namespace cairn::kernels {
namespace {

std::uint32_t block_of_signs(const SignQuery& query, const std::uint8_t* block, const float* add,
                             const float* factor, float limit, float* values) {
  std::uint32_t sums[sign_block_rows] = {};
  for (std::size_t g = 0; g < query.groups; ++g) {
    for (std::size_t j = 0; j < 16; ++j) {
      const std::uint8_t byte = block[g * 16 + j];
      sums[j] += query.table[g * 16 + byte % 16];
      sums[j + 16] += query.table[g * 16 + byte / 16];
    }
  }
  std::uint32_t below = 0;
  for (std::size_t i = 0; i < sign_block_rows; ++i) {
    const float product = query.scale * static_cast<float>(sums[i]);
    const float scaled = factor[i] * (product + query.offset);
    values[i] = (query.base + add[i]) + scaled;
    below |= (values[i] < limit ? 1U : 0U) << i;
  }
  return below;
}

std::int32_t dot_of_nibbles(const std::uint8_t* codes, const std::int8_t* numbers,
                            std::size_t count) {
  std::int32_t sum = 0;
  for (std::size_t j = 0; j < count / 2; ++j) {
    sum += (codes[j] % 16) * numbers[j] + (codes[j] / 16) * numbers[j + count / 2];
  }
  return sum;
}

std::int32_t dot_of_signs(const std::uint8_t* signs, const std::int8_t* numbers,
                          std::size_t count) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += (signs[i / 8] >> (i % 8) & 1) * numbers[i];
  return sum;
}

void hadamard_plain(float* values, std::size_t count) {
  for (std::size_t half = 1; half < count; half *= 2) {
    for (std::size_t i = 0; i < count; i += 2 * half) {
      for (std::size_t j = i; j < i + half; ++j) {
        const float a = values[j];
        const float b = values[j + half];
        values[j] = a + b;
        values[j + half] = a - b;
      }
    }
  }
}

void flip_plain(float* values, const std::uint64_t* bits, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto flip = static_cast<std::uint32_t>(bits[i / 64] >> (i % 64) & 1) << 31;
    values[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(values[i]) ^ flip);
  }
}

}  // namespace

const CodeKernels& scalar_code_kernels() {
  static constexpr CodeKernels table{.name = "scalar",
                                     .sign_block = block_of_signs,
                                     .dot_nibbles = dot_of_nibbles,
                                     .dot_signs = dot_of_signs,
                                     .hadamard = hadamard_plain,
                                     .flip_signs = flip_plain};
  return table;
}

}  // namespace cairn::kernels
