// SPDX-License-Identifier: Apache-2.0
// Vector arithmetic with AVX2: 256-bit registers, eight of them for the 64 lanes.
#include <immintrin.h>
#include <bit>

#include <cstring>

#include "kernels/vector_versions.h"

#define CAIRN_AVX2 __attribute__((target("avx2")))

namespace cairn::kernels {
namespace {

constexpr std::size_t lane_count = 64;
constexpr std::size_t width = 8;

/// Keeps a product and a later sum apart, which a compiler may otherwise fuse and round once.
CAIRN_AVX2 inline __m256 rounded(__m256 value) {
  asm("" : "+x"(value));
  return value;
}

CAIRN_AVX2 float join(const __m256* lanes) {
  const __m256 low =
      _mm256_add_ps(_mm256_add_ps(lanes[0], lanes[2]), _mm256_add_ps(lanes[4], lanes[6]));
  const __m256 high =
      _mm256_add_ps(_mm256_add_ps(lanes[1], lanes[3]), _mm256_add_ps(lanes[5], lanes[7]));
  const __m256 eight = _mm256_add_ps(low, high);
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

struct Product {
  CAIRN_AVX2 static __m256 of(__m256 a, __m256 b) { return rounded(_mm256_mul_ps(a, b)); }
};

struct SquaredDifference {
  CAIRN_AVX2 static __m256 of(__m256 a, __m256 b) {
    const __m256 difference = _mm256_sub_ps(a, b);
    return rounded(_mm256_mul_ps(difference, difference));
  }
};

template <class Term>
CAIRN_AVX2 float sum_f32(const float* a, const float* b, std::size_t count) {
  __m256 lanes[lane_count / width];
  for (auto& lane : lanes) lane = _mm256_setzero_ps();
  std::size_t i = 0;
  for (; i + lane_count <= count; i += lane_count) {
    for (std::size_t r = 0; r < lane_count / width; ++r) {
      const std::size_t at = i + r * width;
      lanes[r] =
          _mm256_add_ps(lanes[r], Term::of(_mm256_loadu_ps(a + at), _mm256_loadu_ps(b + at)));
    }
  }
  if (i < count) {  // the rest, filled up with zeros, which add nothing
    float rest_a[lane_count] = {};
    float rest_b[lane_count] = {};
    std::memcpy(rest_a, a + i, (count - i) * sizeof(float));
    std::memcpy(rest_b, b + i, (count - i) * sizeof(float));
    for (std::size_t r = 0; r < lane_count / width; ++r) {
      lanes[r] = _mm256_add_ps(lanes[r], Term::of(_mm256_loadu_ps(rest_a + r * width),
                                                  _mm256_loadu_ps(rest_b + r * width)));
    }
  }
  return join(lanes);
}

CAIRN_AVX2 std::int32_t join(__m256i sums) {
  const __m128i four =
      _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

CAIRN_AVX2 inline __m256i wide(const std::int8_t* from) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

CAIRN_AVX2 std::int32_t dot_bytes(const std::int8_t* a, const std::int8_t* b, std::size_t count) {
  __m256i first = _mm256_setzero_si256();
  __m256i second = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    first = _mm256_add_epi32(first, _mm256_madd_epi16(wide(a + i), wide(b + i)));
    second = _mm256_add_epi32(second, _mm256_madd_epi16(wide(a + i + 16), wide(b + i + 16)));
  }
  std::int32_t sum = join(_mm256_add_epi32(first, second));
  for (; i < count; ++i) sum += int{a[i]} * int{b[i]};
  return sum;
}

CAIRN_AVX2 std::int32_t l2_bytes(const std::int8_t* a, const std::int8_t* b, std::size_t count) {
  __m256i sums = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const __m256i difference = _mm256_sub_epi16(wide(a + i), wide(b + i));
    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(difference, difference));
  }
  std::int32_t sum = join(sums);
  for (; i < count; ++i) {
    const int difference = int{a[i]} - int{b[i]};
    sum += difference * difference;
  }
  return sum;
}

CAIRN_AVX2 void add_scaled_floats(float* sum, const float* row, float scale, std::size_t count) {
  const __m256 factor = _mm256_set1_ps(scale);
  std::size_t i = 0;
  for (; i + width <= count; i += width) {
    const __m256 product = rounded(_mm256_mul_ps(factor, _mm256_loadu_ps(row + i)));
    _mm256_storeu_ps(sum + i, _mm256_add_ps(_mm256_loadu_ps(sum + i), product));
  }
  for (; i < count; ++i) {
    float product = scale * row[i];
    asm("" : "+x"(product));
    sum[i] += product;
  }
}

CAIRN_AVX2 void add_scaled_bytes(float* sum, const std::int8_t* row, float scale,
                                 std::size_t count) {
  const __m256 factor = _mm256_set1_ps(scale);
  std::size_t i = 0;
  for (; i + width <= count; i += width) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + i));
    const __m256 numbers = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
    _mm256_storeu_ps(
        sum + i, _mm256_add_ps(_mm256_loadu_ps(sum + i), rounded(_mm256_mul_ps(factor, numbers))));
  }
  for (; i < count; ++i) {
    float product = scale * static_cast<float>(row[i]);
    asm("" : "+x"(product));
    sum[i] += product;
  }
}

// The bits of each half of a byte are looked up; sums of bytes stay below 256 for one step.
CAIRN_AVX2 std::uint64_t count_differing(const void* a, const void* b, std::size_t bytes) {
  const __m256i counts =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  const __m256i half = _mm256_set1_epi8(15);
  const auto* const x = static_cast<const char*>(a);
  const auto* const y = static_cast<const char*>(b);
  __m256i sums = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + 32 <= bytes; i += 32) {
    const __m256i apart =
        _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i)),
                         _mm256_loadu_si256(reinterpret_cast<const __m256i*>(y + i)));
    const __m256i low = _mm256_shuffle_epi8(counts, _mm256_and_si256(apart, half));
    const __m256i high =
        _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(apart, 4), half));
    sums =
        _mm256_add_epi64(sums, _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256()));
  }
  alignas(32) std::uint64_t lanes[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sums);
  std::uint64_t sum = lanes[0] + lanes[1] + lanes[2] + lanes[3];
  for (; i < bytes; ++i)
    sum += static_cast<std::uint64_t>(std::popcount(
        static_cast<unsigned>(static_cast<std::uint8_t>(x[i]) ^ static_cast<std::uint8_t>(y[i]))));
  return sum;
}

}  // namespace

const VectorKernels& avx2_vector_kernels() {
  static constexpr VectorKernels table{.name = "avx2",
                                       .dot_f32 = sum_f32<Product>,
                                       .l2_f32 = sum_f32<SquaredDifference>,
                                       .dot_i8 = dot_bytes,
                                       .l2_i8 = l2_bytes,
                                       .differing_bits = count_differing,
                                       .add_scaled_f32 = add_scaled_floats,
                                       .add_scaled_i8 = add_scaled_bytes};
  return table;
}

}  // namespace cairn::kernels
