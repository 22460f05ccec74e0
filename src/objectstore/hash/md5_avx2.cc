// SPDX-License-Identifier: Apache-2.0
// Eight MD5s side by side, in 256-bit registers.
#include "objectstore/hash/md5_eight.h"

#if defined(__x86_64__)
#include <utility>

#define CAIRN_MD5_AVX2 __attribute__((target("avx2")))
#define CAIRN_MD5_AVX2_INLINE __attribute__((target("avx2"), always_inline))

namespace cairn::objectstore {
namespace {

template <std::size_t Step>
CAIRN_MD5_AVX2_INLINE inline void step_avx2(__m256i (&s)[4], const __m256i* words) {
  __m256i& a = s[md5_place(Step, 0)];
  const __m256i b = s[md5_place(Step, 1)];
  const __m256i c = s[md5_place(Step, 2)];
  const __m256i d = s[md5_place(Step, 3)];
  const __m256i sine = _mm256_set1_epi32(static_cast<int>(md5_sines[Step]));
  a = _mm256_add_epi32(a, _mm256_add_epi32(words[md5_word(Step)], sine));
  asm("" : "+x"(a));  // or it is added after the choice, which everybody waits for
  const __m256i ones = _mm256_set1_epi32(-1);
  if constexpr (Step < 16) {
    const __m256i mixed = _mm256_and_si256(b, _mm256_xor_si256(c, d));
    a = _mm256_add_epi32(a, _mm256_xor_si256(d, mixed));
  } else if constexpr (Step < 32) {
    a = _mm256_add_epi32(a, _mm256_andnot_si256(d, c));  // as the plain version has it
    a = _mm256_add_epi32(a, _mm256_and_si256(b, d));
  } else if constexpr (Step < 48) {
    a = _mm256_add_epi32(a, _mm256_xor_si256(b, _mm256_xor_si256(c, d)));
  } else {
    const __m256i mixed = _mm256_or_si256(b, _mm256_xor_si256(d, ones));
    a = _mm256_add_epi32(a, _mm256_xor_si256(c, mixed));
  }
  constexpr int turn = md5_turn(Step);
  a = _mm256_or_si256(_mm256_slli_epi32(a, turn), _mm256_srli_epi32(a, 32 - turn));
  a = _mm256_add_epi32(b, a);
}

template <std::size_t... Steps>
CAIRN_MD5_AVX2_INLINE inline void steps_avx2(__m256i (&s)[4], const __m256i* words,
                                             std::index_sequence<Steps...>) {
  (step_avx2<Steps>(s, words), ...);
}

}  // namespace

CAIRN_MD5_AVX2 void md5_avx2(std::span<Md5Lane> lanes, std::size_t blocks) {
  if (lanes.size() <= 2) return md5_scalar(lanes, blocks);
  Md5Eight eight;
  begin_eight(eight, lanes);
  for (std::size_t block = 0; block < blocks; ++block) {
    __m256i words[16];
    take_block(eight, words);
    __m256i next[4] = {eight.state[0], eight.state[1], eight.state[2], eight.state[3]};
    steps_avx2(next, words, std::make_index_sequence<64>());
    add_block(eight, next);
  }
  end_eight(eight, lanes);
}

}  // namespace cairn::objectstore

#endif
