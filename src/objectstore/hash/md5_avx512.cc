// SPDX-License-Identifier: Apache-2.0
// Eight MD5s side by side, in 256-bit registers, with the turns and choices of AVX-512.
#include "objectstore/hash/md5_eight.h"

#if defined(__x86_64__)
#include <utility>

#define CAIRN_MD5_AVX512 __attribute__((target("avx2,avx512f,avx512vl")))
#define CAIRN_MD5_AVX512_INLINE __attribute__((target("avx2,avx512f,avx512vl"), always_inline))

namespace cairn::objectstore {
namespace {

template <std::size_t Step>
CAIRN_MD5_AVX512_INLINE inline void step_avx512(__m256i (&s)[4], const __m256i* words) {
  __m256i& a = s[md5_place(Step, 0)];
  const __m256i b = s[md5_place(Step, 1)];
  const __m256i c = s[md5_place(Step, 2)];
  const __m256i d = s[md5_place(Step, 3)];
  const __m256i sine = _mm256_set1_epi32(static_cast<int>(md5_sines[Step]));
  a = _mm256_add_epi32(a, _mm256_add_epi32(words[md5_word(Step)], sine));
  asm("" : "+v"(a));  // or it is added after the choice, which everybody waits for
  if constexpr (Step < 16) {
    a = _mm256_add_epi32(a, _mm256_ternarylogic_epi32(b, c, d, 0xca));  // b ? c : d
  } else if constexpr (Step < 32) {
    a = _mm256_add_epi32(a, _mm256_ternarylogic_epi32(b, c, d, 0xe4));  // d ? b : c
  } else if constexpr (Step < 48) {
    a = _mm256_add_epi32(a, _mm256_ternarylogic_epi32(b, c, d, 0x96));  // b ^ c ^ d
  } else {
    a = _mm256_add_epi32(a, _mm256_ternarylogic_epi32(b, c, d, 0x39));  // c ^ (b | ~d)
  }
  a = _mm256_add_epi32(b, _mm256_rol_epi32(a, md5_turn(Step)));
}

template <std::size_t... Steps>
CAIRN_MD5_AVX512_INLINE inline void steps_avx512(__m256i (&s)[4], const __m256i* words,
                                                 std::index_sequence<Steps...>) {
  (step_avx512<Steps>(s, words), ...);
}

}  // namespace

CAIRN_MD5_AVX512 void md5_avx512(std::span<Md5Lane> lanes, std::size_t blocks) {
  if (lanes.size() <= 2) return md5_scalar(lanes, blocks);
  Md5Eight eight;
  begin_eight(eight, lanes);
  for (std::size_t block = 0; block < blocks; ++block) {
    __m256i words[16];
    take_block(eight, words);
    __m256i next[4] = {eight.state[0], eight.state[1], eight.state[2], eight.state[3]};
    steps_avx512(next, words, std::make_index_sequence<64>());
    add_block(eight, next);
  }
  end_eight(eight, lanes);
}

}  // namespace cairn::objectstore

#endif
