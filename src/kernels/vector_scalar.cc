// SPDX-License-Identifier: Apache-2.0
// Vector arithmetic in plain C++: the meaning of the other versions, lane by lane.
#include <array>
#include <bit>

#include "kernels/vector_versions.h"

namespace cairn::kernels {
namespace {

constexpr std::size_t lane_count = 64;

/// Joins the lanes as the wide versions do: four registers of 16, then halves.
float join(std::array<float, lane_count>& lanes) {
  for (std::size_t i = 0; i < 16; ++i) {
    lanes[i] = (lanes[i] + lanes[i + 16]) + (lanes[i + 32] + lanes[i + 48]);
  }
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

float dot_floats(const float* a, const float* b, std::size_t count) {
  std::array<float, lane_count> lanes{};
  for (std::size_t i = 0; i < count; ++i) lanes[i % lane_count] += a[i] * b[i];
  return join(lanes);
}

float l2_floats(const float* a, const float* b, std::size_t count) {
  std::array<float, lane_count> lanes{};
  for (std::size_t i = 0; i < count; ++i) {
    const float difference = a[i] - b[i];
    lanes[i % lane_count] += difference * difference;
  }
  return join(lanes);
}

std::int32_t dot_bytes(const std::int8_t* a, const std::int8_t* b, std::size_t count) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += int{a[i]} * int{b[i]};
  return sum;
}

std::int32_t l2_bytes(const std::int8_t* a, const std::int8_t* b, std::size_t count) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const int difference = int{a[i]} - int{b[i]};
    sum += difference * difference;
  }
  return sum;
}

void add_scaled_floats(float* sum, const float* row, float scale, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += scale * row[i];
}

void add_scaled_bytes(float* sum, const std::int8_t* row, float scale, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += scale * static_cast<float>(row[i]);
}

std::uint64_t count_differing(const void* a, const void* b, std::size_t bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    sum += static_cast<std::uint64_t>(std::popcount(static_cast<unsigned>(
        static_cast<const std::uint8_t*>(a)[i] ^ static_cast<const std::uint8_t*>(b)[i])));
  return sum;
}

}  // namespace

const VectorKernels& scalar_vector_kernels() {
  static constexpr VectorKernels table{.name = "scalar",
                                       .dot_f32 = dot_floats,
                                       .l2_f32 = l2_floats,
                                       .dot_i8 = dot_bytes,
                                       .l2_i8 = l2_bytes,
                                       .differing_bits = count_differing,
                                       .add_scaled_f32 = add_scaled_floats,
                                       .add_scaled_i8 = add_scaled_bytes};
  return table;
}

}  // namespace cairn::kernels
