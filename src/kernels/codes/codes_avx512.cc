// SPDX-License-Identifier: Apache-2.0
// Arithmetic on codes with AVX-512 (F, BW, DQ, VL).
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of its own headers (bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <cstring>

#include "kernels/codes/codes_versions.h"

#define CAIRN_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

namespace cairn::kernels {
namespace {

/// Keeps a product and a later sum apart, which a compiler may otherwise fuse and round once.
CAIRN_AVX512 inline __m512 rounded(__m512 value) {
  asm("" : "+v"(value));
  return value;
}

/// The four 128-bit parts added up: 8 sums of 16 bits.
CAIRN_AVX512 inline __m128i folded(__m512i sums) {
  const __m256i half =
      _mm256_add_epi16(_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64(sums, 1));
  return _mm_add_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

/// Sums of even and of odd rows as 16 numbers in order.
CAIRN_AVX512 inline __m512 ordered(__m512i even, __m512i odd) {
  const __m128i e = folded(even);
  const __m128i o = folded(odd);
  const __m256i both = _mm256_set_m128i(_mm_unpackhi_epi16(e, o), _mm_unpacklo_epi16(e, o));
  return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(both));
}

CAIRN_AVX512 std::uint32_t block_of_signs(const SignQuery& query, const std::uint8_t* block,
                                          const float* add, const float* factor, float limit,
                                          float* values) {
  const __m512i nibble = _mm512_set1_epi8(15);
  const __m512i low_byte = _mm512_set1_epi16(255);
  __m512i first_even = _mm512_setzero_si512();
  __m512i first_odd = first_even;
  __m512i second_even = first_even;
  __m512i second_odd = first_even;
  for (std::size_t at = 0; at < query.groups * 16; at += 64) {
    const __m512i codes = _mm512_loadu_si512(block + at);
    const __m512i table = _mm512_loadu_si512(query.table + at);
    const __m512i first = _mm512_shuffle_epi8(table, _mm512_and_si512(codes, nibble));
    const __m512i second =
        _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(codes, 4), nibble));
    first_even = _mm512_add_epi16(first_even, _mm512_and_si512(first, low_byte));
    first_odd = _mm512_add_epi16(first_odd, _mm512_srli_epi16(first, 8));
    second_even = _mm512_add_epi16(second_even, _mm512_and_si512(second, low_byte));
    second_odd = _mm512_add_epi16(second_odd, _mm512_srli_epi16(second, 8));
  }
  const __m512 sums[2] = {ordered(first_even, first_odd), ordered(second_even, second_odd)};
  const __m512 base = _mm512_set1_ps(query.base);
  std::uint32_t below = 0;
  for (std::size_t half = 0; half < 2; ++half) {
    const __m512 product = rounded(_mm512_mul_ps(_mm512_set1_ps(query.scale), sums[half]));
    const __m512 scaled = rounded(_mm512_mul_ps(
        _mm512_loadu_ps(factor + half * 16), _mm512_add_ps(product, _mm512_set1_ps(query.offset))));
    const __m512 value =
        _mm512_add_ps(_mm512_add_ps(base, _mm512_loadu_ps(add + half * 16)), scaled);
    _mm512_storeu_ps(values + half * 16, value);
    const __mmask16 mask = _mm512_cmp_ps_mask(value, _mm512_set1_ps(limit), _CMP_LT_OQ);
    below |= static_cast<std::uint32_t>(mask) << (half * 16);
  }
  return below;
}

CAIRN_AVX512 std::int32_t dot_of_nibbles(const std::uint8_t* codes, const std::int8_t* numbers,
                                         std::size_t count) {
  const std::size_t half = count / 2;
  const __m512i nibble = _mm512_set1_epi8(15);
  const __m512i ones = _mm512_set1_epi16(1);
  __m512i sums = _mm512_setzero_si512();
  for (std::size_t j = 0; j < half; j += 64) {
    const __mmask64 mask = half - j >= 64 ? ~__mmask64{0} : (__mmask64{1} << (half - j)) - 1;
    const __m512i bytes = _mm512_maskz_loadu_epi8(mask, codes + j);
    const __m512i low = _mm512_maddubs_epi16(_mm512_and_si512(bytes, nibble),
                                             _mm512_maskz_loadu_epi8(mask, numbers + j));
    const __m512i high = _mm512_maddubs_epi16(_mm512_and_si512(_mm512_srli_epi16(bytes, 4), nibble),
                                              _mm512_maskz_loadu_epi8(mask, numbers + half + j));
    sums = _mm512_add_epi32(sums, _mm512_madd_epi16(_mm512_add_epi16(low, high), ones));
  }
  return _mm512_reduce_add_epi32(sums);
}

CAIRN_AVX512 std::int32_t dot_of_signs(const std::uint8_t* signs, const std::int8_t* numbers,
                                       std::size_t count) {
  const __m512i ones_of_bytes = _mm512_set1_epi8(1);
  const __m512i ones = _mm512_set1_epi16(1);
  __m512i sums = _mm512_setzero_si512();
  for (std::size_t j = 0; j < count; j += 64) {
    std::uint64_t set = 0;
    std::memcpy(&set, signs + j / 8, sizeof set);
    const __m512i taken = _mm512_maskz_loadu_epi8(set, numbers + j);
    sums =
        _mm512_add_epi32(sums, _mm512_madd_epi16(_mm512_maddubs_epi16(ones_of_bytes, taken), ones));
  }
  return _mm512_reduce_add_epi32(sums);
}

/// x and what lies `half` lanes away: their sum in the lower lane, their difference in the upper.
CAIRN_AVX512 inline __m512 butterfly(__m512 x, __m512 other, __mmask16 upper) {
  return _mm512_mask_sub_ps(_mm512_add_ps(x, other), upper, other, x);
}

CAIRN_AVX512 void hadamard_wide(float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 16) {
    __m512 x = _mm512_loadu_ps(values + i);
    x = butterfly(x, _mm512_permute_ps(x, 0xB1), 0xAAAA);
    x = butterfly(x, _mm512_permute_ps(x, 0x4E), 0xCCCC);
    x = butterfly(x, _mm512_shuffle_f32x4(x, x, 0xB1), 0xF0F0);
    x = butterfly(x, _mm512_shuffle_f32x4(x, x, 0x4E), 0xFF00);
    _mm512_storeu_ps(values + i, x);
  }
  for (std::size_t half = 16; half < count; half *= 2) {
    for (std::size_t i = 0; i < count; i += 2 * half) {
      for (std::size_t j = i; j < i + half; j += 16) {
        const __m512 a = _mm512_loadu_ps(values + j);
        const __m512 b = _mm512_loadu_ps(values + j + half);
        _mm512_storeu_ps(values + j, _mm512_add_ps(a, b));
        _mm512_storeu_ps(values + j + half, _mm512_sub_ps(a, b));
      }
    }
  }
}

CAIRN_AVX512 void flip_wide(float* values, const std::uint64_t* bits, std::size_t count) {
  const __m512i sign = _mm512_set1_epi32(INT32_MIN);
  for (std::size_t i = 0; i < count; i += 16) {
    const auto mask = static_cast<__mmask16>(bits[i / 64] >> (i % 64));
    const __m512i x = _mm512_loadu_si512(values + i);
    _mm512_storeu_si512(values + i, _mm512_mask_xor_epi32(x, mask, x, sign));
  }
}

}  // namespace

const CodeKernels& avx512_code_kernels() {
  static constexpr CodeKernels table{.name = "avx512",
                                     .sign_block = block_of_signs,
                                     .dot_nibbles = dot_of_nibbles,
                                     .dot_signs = dot_of_signs,
                                     .hadamard = hadamard_wide,
                                     .flip_signs = flip_wide};
  return table;
}

}  // namespace cairn::kernels
