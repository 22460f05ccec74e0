// SPDX-License-Identifier: Apache-2.0
// Products and distances of vectors, by the widest instructions that this processor runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cairn::kernels {

/// One version of the vector arithmetic. Pointers need no alignment; any count, 0 included.
/// Every version returns the same bits for the same numbers (NaN payloads aside). Floating-point
/// sums run in 64 lanes and are joined in a fixed tree; products are rounded before they are added.
struct VectorKernels {
  std::string_view name;  // "scalar", "avx2", "avx512"
  float (*dot_f32)(const float* a, const float* b, std::size_t count);
  float (*l2_f32)(const float* a, const float* b, std::size_t count);
  std::int32_t (*dot_i8)(const std::int8_t* a, const std::int8_t* b, std::size_t count);
  std::int32_t (*l2_i8)(const std::int8_t* a, const std::int8_t* b, std::size_t count);
  std::uint64_t (*differing_bits)(const void* a, const void* b, std::size_t bytes);
  void (*add_scaled_f32)(float* sum, const float* row, float scale, std::size_t count);
  void (*add_scaled_i8)(float* sum, const std::int8_t* row, float scale, std::size_t count);
};

/// The version in use, chosen at the first call.
const VectorKernels& vector_kernels();
/// All versions that this processor runs, plainest (scalar) first. For tests and benchmarks.
const std::vector<const VectorKernels*>& usable_vector_kernels();

/// Sum of a[i] * b[i].
inline float dot_f32(const float* a, const float* b, std::size_t count) {
  return vector_kernels().dot_f32(a, b, count);
}
/// Sum of (a[i] - b[i])^2: the squared Euclidean distance.
inline float l2_f32(const float* a, const float* b, std::size_t count) {
  return vector_kernels().l2_f32(a, b, count);
}
/// Exact sum of a[i] * b[i]. At most 131,071 numbers, so that 32 bits hold it.
inline std::int32_t dot_i8(const std::int8_t* a, const std::int8_t* b, std::size_t count) {
  return vector_kernels().dot_i8(a, b, count);
}
/// Exact sum of (a[i] - b[i])^2. At most 33,025 numbers, so that 32 bits hold it.
inline std::int32_t l2_i8(const std::int8_t* a, const std::int8_t* b, std::size_t count) {
  return vector_kernels().l2_i8(a, b, count);
}
/// How many bits of two strings of so many bytes differ.
inline std::uint64_t differing_bits(const void* a, const void* b, std::size_t bytes) {
  return vector_kernels().differing_bits(a, b, bytes);
}
/// sum[i] += scale * row[i].
inline void add_scaled_f32(float* sum, const float* row, float scale, std::size_t count) {
  vector_kernels().add_scaled_f32(sum, row, scale, count);
}
/// sum[i] += scale * row[i].
inline void add_scaled_i8(float* sum, const std::int8_t* row, float scale, std::size_t count) {
  vector_kernels().add_scaled_i8(sum, row, scale, count);
}

}  // namespace cairn::kernels
