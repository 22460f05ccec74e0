// SPDX-License-Identifier: Apache-2.0
// Arithmetic on codes with AVX2.
#include <immintrin.h>

#include <cstring>

#include "kernels/codes/codes_versions.h"

#define CAIRN_AVX2 __attribute__((target("avx2")))

namespace cairn::kernels {
namespace {

/// Both 128-bit parts added up: 8 sums of 16 bits.
CAIRN_AVX2 inline __m128i folded(__m256i sums) {
  return _mm_add_epi16(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
}

CAIRN_AVX2 inline const __m256i* wide(const void* from) {
  return static_cast<const __m256i*>(from);
}

CAIRN_AVX2 std::uint32_t block_of_signs(const SignQuery& query, const std::uint8_t* block,
                                        const float* add, const float* factor, float limit,
                                        float* values) {
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i low_byte = _mm256_set1_epi16(255);
  __m256i first_even = _mm256_setzero_si256();
  __m256i first_odd = first_even;
  __m256i second_even = first_even;
  __m256i second_odd = first_even;
  for (std::size_t at = 0; at < query.groups * 16; at += 32) {
    const __m256i codes = _mm256_loadu_si256(wide(block + at));
    const __m256i table = _mm256_loadu_si256(wide(query.table + at));
    const __m256i first = _mm256_shuffle_epi8(table, _mm256_and_si256(codes, nibble));
    const __m256i second =
        _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(codes, 4), nibble));
    first_even = _mm256_add_epi16(first_even, _mm256_and_si256(first, low_byte));
    first_odd = _mm256_add_epi16(first_odd, _mm256_srli_epi16(first, 8));
    second_even = _mm256_add_epi16(second_even, _mm256_and_si256(second, low_byte));
    second_odd = _mm256_add_epi16(second_odd, _mm256_srli_epi16(second, 8));
  }
  const __m128i even[2] = {folded(first_even), folded(second_even)};
  const __m128i odd[2] = {folded(first_odd), folded(second_odd)};
  std::uint32_t below = 0;
  for (std::size_t part = 0; part < 4; ++part) {
    const __m128i sums = part % 2 == 0 ? _mm_unpacklo_epi16(even[part / 2], odd[part / 2])
                                       : _mm_unpackhi_epi16(even[part / 2], odd[part / 2]);
    const __m256 numbers = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(sums));
    const __m256 product = _mm256_mul_ps(_mm256_set1_ps(query.scale), numbers);
    const __m256 scaled = _mm256_mul_ps(_mm256_loadu_ps(factor + part * 8),
                                        _mm256_add_ps(product, _mm256_set1_ps(query.offset)));
    const __m256 value = _mm256_add_ps(
        _mm256_add_ps(_mm256_set1_ps(query.base), _mm256_loadu_ps(add + part * 8)), scaled);
    _mm256_storeu_ps(values + part * 8, value);
    const int mask = _mm256_movemask_ps(_mm256_cmp_ps(value, _mm256_set1_ps(limit), _CMP_LT_OQ));
    below |= static_cast<std::uint32_t>(mask) << (part * 8);
  }
  return below;
}

CAIRN_AVX2 std::int32_t dot_of_nibbles(const std::uint8_t* codes, const std::int8_t* numbers,
                                       std::size_t count) {
  const std::size_t half = count / 2;
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sums = _mm256_setzero_si256();
  for (std::size_t j = 0; j < half; j += 32) {
    const __m256i bytes = _mm256_loadu_si256(wide(codes + j));
    const __m256i low = _mm256_maddubs_epi16(_mm256_and_si256(bytes, nibble),
                                             _mm256_loadu_si256(wide(numbers + j)));
    const __m256i high = _mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble),
                                              _mm256_loadu_si256(wide(numbers + half + j)));
    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_add_epi16(low, high), ones));
  }
  const __m128i four =
      _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xB1)));
}

CAIRN_AVX2 std::int32_t dot_of_signs(const std::uint8_t* signs, const std::int8_t* numbers,
                                     std::size_t count) {
  // Byte j of 32 becomes the byte with its bit, and that bit alone is looked at.
  const __m256i byte = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2,
                                        2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
  const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ULL));
  const __m256i ones_of_bytes = _mm256_set1_epi8(1);
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sums = _mm256_setzero_si256();
  for (std::size_t j = 0; j < count; j += 32) {
    std::int32_t word = 0;
    std::memcpy(&word, signs + j / 8, sizeof word);
    const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32(word), byte);
    const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
    const __m256i taken = _mm256_and_si256(_mm256_loadu_si256(wide(numbers + j)), set);
    sums =
        _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_maddubs_epi16(ones_of_bytes, taken), ones));
  }
  const __m128i four =
      _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xB1)));
}

CAIRN_AVX2 void hadamard_wide(float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 8) {
    __m256 x = _mm256_loadu_ps(values + i);
    __m256 other = _mm256_permute_ps(x, 0xB1);
    x = _mm256_blend_ps(_mm256_add_ps(x, other), _mm256_sub_ps(other, x), 0xAA);
    other = _mm256_permute_ps(x, 0x4E);
    x = _mm256_blend_ps(_mm256_add_ps(x, other), _mm256_sub_ps(other, x), 0xCC);
    other = _mm256_permute2f128_ps(x, x, 1);
    x = _mm256_blend_ps(_mm256_add_ps(x, other), _mm256_sub_ps(other, x), 0xF0);
    _mm256_storeu_ps(values + i, x);
  }
  for (std::size_t half = 8; half < count; half *= 2) {
    for (std::size_t i = 0; i < count; i += 2 * half) {
      for (std::size_t j = i; j < i + half; j += 8) {
        const __m256 a = _mm256_loadu_ps(values + j);
        const __m256 b = _mm256_loadu_ps(values + j + half);
        _mm256_storeu_ps(values + j, _mm256_add_ps(a, b));
        _mm256_storeu_ps(values + j + half, _mm256_sub_ps(a, b));
      }
    }
  }
}

CAIRN_AVX2 void flip_wide(float* values, const std::uint64_t* bits, std::size_t count) {
  const __m256i places = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
  const __m256i sign = _mm256_set1_epi32(INT32_MIN);
  for (std::size_t i = 0; i < count; i += 8) {
    const auto byte = static_cast<int>(bits[i / 64] >> (i % 64) & 255);
    // Each lane takes its own bit to the place of the sign.
    const __m256i flip = _mm256_and_si256(_mm256_sllv_epi32(_mm256_set1_epi32(byte), places), sign);
    const __m256 x = _mm256_loadu_ps(values + i);
    _mm256_storeu_ps(values + i, _mm256_xor_ps(x, _mm256_castsi256_ps(flip)));
  }
}

}  // namespace

const CodeKernels& avx2_code_kernels() {
  static constexpr CodeKernels table{.name = "avx2",
                                     .sign_block = block_of_signs,
                                     .dot_nibbles = dot_of_nibbles,
                                     .dot_signs = dot_of_signs,
                                     .hadamard = hadamard_wide,
                                     .flip_signs = flip_wide};
  return table;
}

}  // namespace cairn::kernels
