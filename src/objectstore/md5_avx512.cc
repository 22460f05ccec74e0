// SPDX-License-Identifier: Apache-2.0
// Eight MD5s side by side, in 256-bit registers, with the turns and choices of AVX-512.
#include "objectstore/md5_steps.h"

#if defined(__x86_64__)
#include <immintrin.h>

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

/// The next half of a block of each lane: word by word, one of each lane.
CAIRN_MD5_AVX512_INLINE inline void turn_over_avx512(const char* const (&from)[8], __m256i* words) {
  __m256i row[8], pair[8], four[8];
  for (int i = 0; i < 8; ++i)
    row[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from[i]));
  for (int i = 0; i < 8; i += 2) {
    pair[i] = _mm256_unpacklo_epi32(row[i], row[i + 1]);
    pair[i + 1] = _mm256_unpackhi_epi32(row[i], row[i + 1]);
  }
  for (int i = 0; i < 8; i += 4)
    for (int j = 0; j < 2; ++j) {
      four[i + 2 * j] = _mm256_unpacklo_epi64(pair[i + j], pair[i + j + 2]);
      four[i + 2 * j + 1] = _mm256_unpackhi_epi64(pair[i + j], pair[i + j + 2]);
    }
  for (int i = 0; i < 4; ++i) {
    words[i] = _mm256_permute2x128_si256(four[i], four[i + 4], 0x20);
    words[i + 4] = _mm256_permute2x128_si256(four[i], four[i + 4], 0x31);
  }
}

}  // namespace

CAIRN_MD5_AVX512 void md5_avx512(std::span<Md5Lane> lanes, std::size_t blocks) {
  if (lanes.size() == 1) return md5_scalar(lanes, blocks);
  // Places without a lane work on the first one's bytes, for nobody.
  const char* at[8];
  alignas(32) std::uint32_t state[4][8] = {};
  for (std::size_t i = 0; i < 8; ++i) at[i] = lanes[i < lanes.size() ? i : 0].at;
  for (std::size_t i = 0; i < lanes.size(); ++i)
    for (std::size_t n = 0; n < 4; ++n) state[n][i] = (*lanes[i].state)[n];
  __m256i s[4];
  for (int n = 0; n < 4; ++n) s[n] = _mm256_load_si256(reinterpret_cast<__m256i*>(state[n]));
  for (std::size_t block = 0; block < blocks; ++block) {
    __m256i words[16];
    for (int half = 0; half < 2; ++half) {
      turn_over_avx512(at, words + half * 8);
      for (const char*& one : at) one += md5_block_bytes / 2;
    }
    __m256i next[4] = {s[0], s[1], s[2], s[3]};
    steps_avx512(next, words, std::make_index_sequence<64>());
    for (int n = 0; n < 4; ++n) s[n] = _mm256_add_epi32(s[n], next[n]);
  }
  for (int n = 0; n < 4; ++n) _mm256_store_si256(reinterpret_cast<__m256i*>(state[n]), s[n]);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    for (std::size_t n = 0; n < 4; ++n) (*lanes[i].state)[n] = state[n][i];
    lanes[i].at = at[i];
  }
}

}  // namespace cairn::objectstore

#endif
