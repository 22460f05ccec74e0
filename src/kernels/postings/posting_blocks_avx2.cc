// SPDX-License-Identifier: Apache-2.0
// Blocks of postings with AVX2.
#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "kernels/postings/posting_blocks_versions.h"

// Without FMA: a product is rounded before it is added.
#define CAIRN_AVX2 __attribute__((target("avx2")))

namespace cairn::kernels {
namespace {

constexpr std::size_t width = 8;

CAIRN_AVX2 inline __m256i load(const std::uint32_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

CAIRN_AVX2 std::uint32_t add_up(std::uint32_t* values, std::uint32_t before) {
  const __m256i one = _mm256_set1_epi32(1);
  const __m256i last = _mm256_set1_epi32(7);
  const __m256i half = _mm256_set1_epi32(3);
  __m256i carry = _mm256_set1_epi32(static_cast<int>(before));
  __m256i most = _mm256_setzero_si256();
  for (std::size_t i = 0; i < posting_block; i += width) {
    __m256i v = _mm256_add_epi32(load(values + i), one);
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
    // The upper half goes on from the end of the lower one.
    const __m256i low_sum = _mm256_permutevar8x32_epi32(v, half);
    v = _mm256_add_epi32(v, _mm256_blend_epi32(_mm256_setzero_si256(), low_sum, 0xF0));
    v = _mm256_add_epi32(v, carry);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(values + i), v);
    most = _mm256_max_epu32(most, v);
    carry = _mm256_permutevar8x32_epi32(v, last);
  }
  alignas(32) std::uint32_t each[width];
  _mm256_store_si256(reinterpret_cast<__m256i*>(each), most);
  return *std::max_element(each, each + width);
}

CAIRN_AVX2 std::uint32_t count_below(const std::uint32_t* values, std::uint32_t number) {
  // Comparisons are of signed numbers: both sides move by half the range.
  const __m256i shift = _mm256_set1_epi32(INT32_MIN);
  const __m256i wanted = _mm256_xor_si256(_mm256_set1_epi32(static_cast<int>(number)), shift);
  __m256i below = _mm256_setzero_si256();
  for (std::size_t i = 0; i < posting_block; i += width)
    below = _mm256_sub_epi32(below,
                             _mm256_cmpgt_epi32(wanted, _mm256_xor_si256(load(values + i), shift)));
  alignas(32) std::uint32_t each[width];
  _mm256_store_si256(reinterpret_cast<__m256i*>(each), below);
  std::uint32_t sum = 0;
  for (const std::uint32_t n : each) sum += n;
  return sum;
}

CAIRN_AVX2 float greatest(const char* values, std::size_t count) {
  __m256i most = _mm256_setzero_si256();
  std::size_t i = 0;
  // Floats of at least 0 are in the order of their bits.
  for (; i + width <= count; i += width)
    most = _mm256_max_epu32(
        most, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + sizeof(float) * i)));
  alignas(32) float each[width];
  _mm256_store_si256(reinterpret_cast<__m256i*>(each), most);
  const float rest = scalar_posting_kernels().greatest(values + sizeof(float) * i, count - i);
  return std::max(rest, *std::max_element(each, each + width));
}

CAIRN_AVX2 void bm25(const std::uint32_t* docs, const std::uint32_t* freqs, std::size_t count,
                     const std::uint8_t* norms, const float* inverse, float weight, float* scores) {
  for (std::size_t i = 0; i < count; ++i) scores[i] = inverse[norms[docs[i]]];
  const __m256 w = _mm256_set1_ps(weight);
  const __m256 one = _mm256_set1_ps(1.0f);
  std::size_t i = 0;
  for (; i + width <= count; i += width) {
    const __m256 tf = _mm256_cvtepi32_ps(load(freqs + i));
    const __m256 share = _mm256_add_ps(one, _mm256_mul_ps(tf, _mm256_loadu_ps(scores + i)));
    _mm256_storeu_ps(scores + i, _mm256_sub_ps(w, _mm256_div_ps(w, share)));
  }
  for (; i < count; ++i)
    scores[i] = weight - weight / (1.0f + static_cast<float>(freqs[i]) * scores[i]);
}

/// The last numbers of the parts of 16.
CAIRN_AVX2 inline __m256i ends_of(const std::uint32_t* values) {
  const auto* v = reinterpret_cast<const int*>(values);
  return _mm256_setr_epi32(v[15], v[31], v[47], v[63], v[79], v[95], v[111], v[127]);
}

/// Of 16 lanes; whatever where there is none, without a branch.
CAIRN_AVX2 inline unsigned first_of(unsigned lanes) {
  return static_cast<unsigned>(std::countr_zero(lanes | 0x8000U));
}

CAIRN_AVX2 std::size_t find_each(const std::uint32_t* values, const std::uint32_t* numbers,
                                 std::size_t count, std::uint8_t* which, std::uint8_t* places) {
  // The last numbers of the parts of 16 say in which part one would be; there two comparisons find
  // it. Nothing branches, so that each number's way overlaps with the next one's.
  constexpr std::size_t part_size = 16, parts = posting_block / part_size;
  const __m256i shift = _mm256_set1_epi32(INT32_MIN);  // comparisons are of signed numbers
  const __m256i ends = _mm256_xor_si256(ends_of(values), shift);
  const auto mask_of = [](__m256i lanes) CAIRN_AVX2 {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
  };
  std::size_t n = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const __m256i number = _mm256_set1_epi32(static_cast<int>(numbers[i]));
    const auto behind = static_cast<unsigned>(
        std::popcount(mask_of(_mm256_cmpgt_epi32(_mm256_xor_si256(number, shift), ends))));
    const std::size_t part = part_size * std::min<std::size_t>(behind, parts - 1);
    const unsigned equal = mask_of(_mm256_cmpeq_epi32(load(values + part), number)) |
                           mask_of(_mm256_cmpeq_epi32(load(values + part + width), number)) << 8;
    which[n] = static_cast<std::uint8_t>(i);
    places[n] = static_cast<std::uint8_t>(part + first_of(equal));
    n += equal != 0 ? 1 : 0;
  }
  return n;
}

CAIRN_AVX2 void take_marks(std::uint8_t* marks, std::size_t words, std::uint64_t* bits) {
  const __m256i zero = _mm256_setzero_si256();
  for (std::size_t w = 0; w < words; ++w) {
    std::uint64_t word = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      auto* at = reinterpret_cast<__m256i*>(marks + 64 * w + 32 * half);
      const auto empty = static_cast<std::uint32_t>(
          _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(at), zero)));
      word |= std::uint64_t{~empty} << (32 * half);
      _mm256_storeu_si256(at, zero);
    }
    bits[w] = word;
  }
}

}  // namespace

const PostingKernels& avx2_posting_kernels() {
  static const PostingKernels kernels{.name = "avx2",
                                      .add_up = add_up,
                                      .count_below = count_below,
                                      .greatest = greatest,
                                      .bm25 = bm25,
                                      .select = scalar_posting_kernels().select,
                                      .keep_run = scalar_posting_kernels().keep_run,
                                      .find_each = find_each,
                                      .take_marks = take_marks};
  return kernels;
}

}  // namespace cairn::kernels
