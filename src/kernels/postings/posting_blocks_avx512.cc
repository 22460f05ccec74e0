// SPDX-License-Identifier: Apache-2.0
// Blocks of postings with AVX-512 (F, BW, DQ, VL).
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of its own headers (bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include <algorithm>
#include <bit>

#include "kernels/postings/posting_blocks_versions.h"

#define CAIRN_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

namespace cairn::kernels {
namespace {

constexpr std::size_t width = 16;

/// Keeps a product and a later sum apart, which a compiler may otherwise fuse and round once.
CAIRN_AVX512 inline __m512 apart(__m512 value) {
  asm("" : "+v"(value));
  return value;
}

CAIRN_AVX512 inline __mmask16 first_lanes(std::size_t count) {
  return static_cast<__mmask16>(count >= width ? 0xffffU : (1U << count) - 1U);
}

CAIRN_AVX512 std::uint32_t add_up(std::uint32_t* values, std::uint32_t before) {
  const __m512i zero = _mm512_setzero_si512();
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i last = _mm512_set1_epi32(15);
  __m512i carry = _mm512_set1_epi32(static_cast<int>(before));
  __m512i most = zero;
  for (std::size_t i = 0; i < posting_block; i += width) {
    __m512i v = _mm512_add_epi32(_mm512_loadu_si512(values + i), one);
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 15));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 14));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 12));
    v = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 8));
    v = _mm512_add_epi32(v, carry);
    _mm512_storeu_si512(values + i, v);
    most = _mm512_max_epu32(most, v);
    carry = _mm512_permutexvar_epi32(last, v);
  }
  return _mm512_reduce_max_epu32(most);
}

CAIRN_AVX512 std::uint32_t count_below(const std::uint32_t* values, std::uint32_t number) {
  const __m512i wanted = _mm512_set1_epi32(static_cast<int>(number));
  unsigned sum = 0;
  for (std::size_t i = 0; i < posting_block; i += width)
    sum += static_cast<unsigned>(std::popcount(
        static_cast<unsigned>(_mm512_cmplt_epu32_mask(_mm512_loadu_si512(values + i), wanted))));
  return sum;
}

CAIRN_AVX512 float greatest(const char* values, std::size_t count) {
  __m512 most = _mm512_setzero_ps();
  for (std::size_t i = 0; i < count; i += width)
    most = _mm512_max_ps(most,
                         _mm512_maskz_loadu_ps(first_lanes(count - i), values + sizeof(float) * i));
  return _mm512_reduce_max_ps(most);
}

CAIRN_AVX512 void bm25(const std::uint32_t* docs, const std::uint32_t* freqs, std::size_t count,
                       const std::uint8_t* norms, const float* inverse, float weight,
                       float* scores) {
  for (std::size_t i = 0; i < count; ++i) scores[i] = inverse[norms[docs[i]]];
  const __m512 w = _mm512_set1_ps(weight);
  const __m512 one = _mm512_set1_ps(1.0f);
  for (std::size_t i = 0; i < count; i += width) {
    const __mmask16 some = first_lanes(count - i);
    const __m512 tf = _mm512_cvtepi32_ps(_mm512_maskz_loadu_epi32(some, freqs + i));
    const __m512 product = apart(_mm512_mul_ps(tf, _mm512_maskz_loadu_ps(some, scores + i)));
    const __m512 rest = _mm512_div_ps(w, _mm512_add_ps(one, product));
    _mm512_mask_storeu_ps(scores + i, some, _mm512_sub_ps(w, rest));
  }
}

CAIRN_AVX512 std::size_t select(const std::uint32_t* docs, const float* scores, std::size_t count,
                                std::uint32_t low, std::uint32_t high, float need,
                                std::uint32_t* out_docs, float* out_scores) {
  const __m512i from = _mm512_set1_epi32(static_cast<int>(low));
  const __m512i to = _mm512_set1_epi32(static_cast<int>(high));
  const __m512 least = _mm512_set1_ps(need);
  std::size_t n = 0;
  for (std::size_t i = 0; i < count; i += width) {
    const __mmask16 some = first_lanes(count - i);
    const __m512i d = _mm512_maskz_loadu_epi32(some, docs + i);
    const __m512 s = _mm512_maskz_loadu_ps(some, scores + i);
    __mmask16 good = _mm512_mask_cmp_ps_mask(some, s, least, _CMP_GT_OQ);
    good = _mm512_mask_cmpge_epu32_mask(good, d, from);
    good = _mm512_mask_cmplt_epu32_mask(good, d, to);
    if (good == 0) continue;
    // Compressing in a register and storing all of it is faster than storing a part.
    _mm512_storeu_si512(out_docs + n, _mm512_maskz_compress_epi32(good, d));
    _mm512_storeu_ps(out_scores + n, _mm512_maskz_compress_ps(good, s));
    n += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(good)));
  }
  return n;
}

CAIRN_AVX512 std::size_t keep_run(const std::uint32_t* numbers, const double* sums,
                                  std::size_t count, std::uint32_t last, double need,
                                  std::uint32_t* out_numbers, double* out_sums, std::size_t& kept) {
  constexpr std::size_t doubles = 8;
  const __m256i most = _mm256_set1_epi32(static_cast<int>(last));
  const __m512d least = _mm512_set1_pd(need);
  kept = 0;
  for (std::size_t i = 0;; i += doubles) {
    const auto some = static_cast<__mmask8>(first_lanes(count - i));
    const __m256i d = _mm256_maskz_loadu_epi32(some, numbers + i);
    const __m512d s = _mm512_maskz_loadu_pd(some, sums + i);
    const __mmask8 within = _mm256_mask_cmple_epu32_mask(some, d, most);
    const __mmask8 good = _mm512_mask_cmp_pd_mask(within, s, least, _CMP_GT_OQ);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out_numbers + kept),
                        _mm256_maskz_compress_epi32(good, d));
    _mm512_storeu_pd(out_sums + kept, _mm512_maskz_compress_pd(good, s));
    kept += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(good)));
    if (within == 0xffU && i + doubles < count) continue;
    return i + static_cast<std::size_t>(std::popcount(static_cast<unsigned>(within)));
  }
}

/// Of 16 lanes; whatever where there is none, without a branch.
CAIRN_AVX512 inline unsigned first_of(unsigned lanes) {
  return static_cast<unsigned>(std::countr_zero(lanes | 0x8000U));
}

CAIRN_AVX512 std::size_t find_each(const std::uint32_t* values, const std::uint32_t* numbers,
                                   std::size_t count, std::uint8_t* which, std::uint8_t* places) {
  // The last numbers of the parts of 16 say in which part one would be; there one comparison finds
  // it. Nothing branches, so that each number's way overlaps with the next one's.
  constexpr std::size_t parts = posting_block / width;
  const auto* v = reinterpret_cast<const int*>(values);
  const __m256i ends = _mm256_setr_epi32(v[15], v[31], v[47], v[63], v[79], v[95], v[111], v[127]);
  std::size_t n = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<int>(numbers[i]);
    const auto behind = static_cast<unsigned>(std::popcount(
        static_cast<unsigned>(_mm256_cmplt_epu32_mask(ends, _mm256_set1_epi32(number)))));
    const std::size_t part = width * std::min<std::size_t>(behind, parts - 1);
    const auto equal = static_cast<unsigned>(
        _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(values + part), _mm512_set1_epi32(number)));
    which[n] = static_cast<std::uint8_t>(i);
    places[n] = static_cast<std::uint8_t>(part + first_of(equal));
    n += equal != 0 ? 1 : 0;
  }
  return n;
}

CAIRN_AVX512 void take_marks(std::uint8_t* marks, std::size_t words, std::uint64_t* bits) {
  for (std::size_t w = 0; w < words; ++w) {
    const __m512i v = _mm512_loadu_si512(marks + 64 * w);
    bits[w] = _mm512_test_epi8_mask(v, v);
    _mm512_storeu_si512(marks + 64 * w, _mm512_setzero_si512());
  }
}

}  // namespace

const PostingKernels& avx512_posting_kernels() {
  static constexpr PostingKernels kernels{.name = "avx512",
                                          .add_up = add_up,
                                          .count_below = count_below,
                                          .greatest = greatest,
                                          .bm25 = bm25,
                                          .select = select,
                                          .keep_run = keep_run,
                                          .find_each = find_each,
                                          .take_marks = take_marks};
  return kernels;
}

}  // namespace cairn::kernels
