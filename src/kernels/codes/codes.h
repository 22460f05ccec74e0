// SPDX-License-Identifier: Apache-2.0
// Arithmetic on vectors that are kept as codes: one bit or four bits a dimension, and the rotation
// that makes their dimensions alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cairn::kernels {

/// Rows of a block of sign codes.
inline constexpr std::size_t sign_block_rows = 32;
/// All codes have a multiple of so many dimensions.
inline constexpr std::size_t code_dims_step = 64;

/// What a query is to sign codes: for each group of 4 dimensions, the product with each of their 16
/// patterns. Entries of one pattern sum up to 65,535 at most.
struct SignQuery {
  const std::uint8_t* table = nullptr;  // 16 for each group
  std::size_t groups = 0;               // a multiple of 16
  float base = 0;
  float scale = 0;
  float offset = 0;
};

/// One version of the arithmetic. Pointers need no alignment. Every version returns the same bits.
struct CodeKernels {
  std::string_view name;  // "scalar", "avx2", "avx512"
  /// values[i] = base + add[i] + factor[i] * (scale * sum + offset) for the 32 rows of a block,
  /// where sum is that of the table's entries for the row. Bit i of the result: values[i] < limit.
  /// A block has 16 bytes for each group: byte j holds the pattern of row j below that of row j
  /// + 16.
  std::uint32_t (*sign_block)(const SignQuery& query, const std::uint8_t* block, const float* add,
                              const float* factor, float limit, float* values);
  /// Sum of nibble * number. `count` is a multiple of 64, numbers are -127 to 127. Byte j of the
  /// codes holds dimension j below dimension j + count / 2.
  std::int32_t (*dot_nibbles)(const std::uint8_t* codes, const std::int8_t* numbers,
                              std::size_t count);
  /// Sum of the numbers whose bit is set. `count` is a multiple of 64, numbers are -127 to 127. Bit
  /// i % 8 of byte i / 8 is that of number i.
  std::int32_t (*dot_signs)(const std::uint8_t* signs, const std::int8_t* numbers,
                            std::size_t count);
  /// Walsh-Hadamard transform, not scaled. `count` is a power of two, 64 at least.
  void (*hadamard)(float* values, std::size_t count);
  /// Turns the sign where the bit is set. `count` is a multiple of 64, one word each.
  void (*flip_signs)(float* values, const std::uint64_t* bits, std::size_t count);
};

/// The version in use, chosen at the first call.
const CodeKernels& code_kernels();
/// All versions that this processor runs, plainest (scalar) first. For tests and benchmarks.
const std::vector<const CodeKernels*>& usable_code_kernels();

}  // namespace cairn::kernels
