// SPDX-License-Identifier: Apache-2.0
// Vector arithmetic with AVX-512 (F, BW, DQ, VL): 512-bit registers, four of them for the 64 lanes.
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of its own headers (bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include "kernels/vector_versions.h"

#define CAIRN_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

namespace cairn::kernels {
namespace {

constexpr std::size_t lane_count = 64;
constexpr std::size_t width = 16;

/// Keeps a product and a later sum apart, which a compiler may otherwise fuse and round once.
CAIRN_AVX512 inline __m512 rounded(__m512 value) {
  asm("" : "+v"(value));
  return value;
}

/// The first `count` of 16 lanes.
CAIRN_AVX512 inline __mmask16 first_of_16(std::size_t count) {
  return static_cast<__mmask16>(count >= width ? 0xffffU : (1U << count) - 1U);
}

CAIRN_AVX512 float join(const __m512* lanes) {
  const __m512 sums =
      _mm512_add_ps(_mm512_add_ps(lanes[0], lanes[1]), _mm512_add_ps(lanes[2], lanes[3]));
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(sums), _mm512_extractf32x8_ps(sums, 1));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

struct Product {
  CAIRN_AVX512 static __m512 of(__m512 a, __m512 b) { return rounded(_mm512_mul_ps(a, b)); }
};

struct SquaredDifference {
  CAIRN_AVX512 static __m512 of(__m512 a, __m512 b) {
    const __m512 difference = _mm512_sub_ps(a, b);
    return rounded(_mm512_mul_ps(difference, difference));
  }
};

template <class Term>
CAIRN_AVX512 float sum_f32(const float* a, const float* b, std::size_t count) {
  __m512 lanes[lane_count / width];
  for (auto& lane : lanes) lane = _mm512_setzero_ps();
  std::size_t i = 0;
  for (; i + lane_count <= count; i += lane_count) {
    for (std::size_t r = 0; r < lane_count / width; ++r) {
      const std::size_t at = i + r * width;
      lanes[r] =
          _mm512_add_ps(lanes[r], Term::of(_mm512_loadu_ps(a + at), _mm512_loadu_ps(b + at)));
    }
  }
  for (std::size_t r = 0; i < count; ++r, i += width) {  // the rest; masked lanes add zero
    const __mmask16 mask = first_of_16(count - i);
    lanes[r] = _mm512_add_ps(
        lanes[r], Term::of(_mm512_maskz_loadu_ps(mask, a + i), _mm512_maskz_loadu_ps(mask, b + i)));
  }
  return join(lanes);
}

CAIRN_AVX512 inline __m512i wide(const std::int8_t* from) {
  return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

CAIRN_AVX512 inline __m512i wide_rest(const std::int8_t* from, std::size_t count) {
  const __mmask32 mask = (__mmask32{1} << count) - 1;
  return _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8(mask, from));
}

CAIRN_AVX512 std::int32_t dot_bytes(const std::int8_t* a, const std::int8_t* b, std::size_t count) {
  __m512i sums = _mm512_setzero_si512();
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    sums = _mm512_add_epi32(sums, _mm512_madd_epi16(wide(a + i), wide(b + i)));
  }
  if (i < count) {
    sums = _mm512_add_epi32(
        sums, _mm512_madd_epi16(wide_rest(a + i, count - i), wide_rest(b + i, count - i)));
  }
  return _mm512_reduce_add_epi32(sums);
}

CAIRN_AVX512 std::int32_t l2_bytes(const std::int8_t* a, const std::int8_t* b, std::size_t count) {
  __m512i sums = _mm512_setzero_si512();
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const __m512i difference = _mm512_sub_epi16(wide(a + i), wide(b + i));
    sums = _mm512_add_epi32(sums, _mm512_madd_epi16(difference, difference));
  }
  if (i < count) {
    const __m512i difference =
        _mm512_sub_epi16(wide_rest(a + i, count - i), wide_rest(b + i, count - i));
    sums = _mm512_add_epi32(sums, _mm512_madd_epi16(difference, difference));
  }
  return _mm512_reduce_add_epi32(sums);
}

CAIRN_AVX512 void add_scaled_floats(float* sum, const float* row, float scale, std::size_t count) {
  const __m512 factor = _mm512_set1_ps(scale);
  for (std::size_t i = 0; i < count; i += width) {
    const __mmask16 mask = first_of_16(count - i);
    const __m512 product = rounded(_mm512_mul_ps(factor, _mm512_maskz_loadu_ps(mask, row + i)));
    const __m512 before = _mm512_maskz_loadu_ps(mask, sum + i);
    _mm512_mask_storeu_ps(sum + i, mask, _mm512_add_ps(before, product));
  }
}

CAIRN_AVX512 void add_scaled_bytes(float* sum, const std::int8_t* row, float scale,
                                   std::size_t count) {
  const __m512 factor = _mm512_set1_ps(scale);
  for (std::size_t i = 0; i < count; i += width) {
    const __mmask16 mask = first_of_16(count - i);
    const __m512 numbers =
        _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(mask, row + i)));
    const __m512 before = _mm512_maskz_loadu_ps(mask, sum + i);
    _mm512_mask_storeu_ps(sum + i, mask,
                          _mm512_add_ps(before, rounded(_mm512_mul_ps(factor, numbers))));
  }
}

// The bits of each half of a byte are looked up; sums of bytes stay below 256 for one step.
CAIRN_AVX512 std::uint64_t count_differing(const void* a, const void* b, std::size_t bytes) {
  const __m512i counts =
      _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  const __m512i half = _mm512_set1_epi8(15);
  const auto* const x = static_cast<const char*>(a);
  const auto* const y = static_cast<const char*>(b);
  __m512i sums = _mm512_setzero_si512();
  for (std::size_t i = 0; i < bytes; i += 64) {
    const std::size_t rest = bytes - i;
    const __mmask64 mask = rest >= 64 ? ~__mmask64{0} : (__mmask64{1} << rest) - 1;
    const __m512i apart = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, x + i),
                                           _mm512_maskz_loadu_epi8(mask, y + i));
    const __m512i low = _mm512_shuffle_epi8(counts, _mm512_and_si512(apart, half));
    const __m512i high =
        _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi16(apart, 4), half));
    sums =
        _mm512_add_epi64(sums, _mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512()));
  }
  alignas(64) std::uint64_t lanes[8];
  _mm512_store_si512(lanes, sums);
  std::uint64_t sum = 0;
  for (const std::uint64_t lane : lanes) sum += lane;
  return sum;
}

}  // namespace

const VectorKernels& avx512_vector_kernels() {
  static constexpr VectorKernels table{.name = "avx512",
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
