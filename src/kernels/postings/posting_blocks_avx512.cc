// SPDX-License-Identifier: Apache-2.0
// Blocks of postings with AVX-512 (F, BW, DQ, VL).
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of its own headers (bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

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
                                          .take_marks = take_marks};
  return kernels;
}

}  // namespace cairn::kernels
