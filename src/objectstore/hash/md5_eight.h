// SPDX-License-Identifier: Apache-2.0
// Eight MD5s side by side in 256-bit registers: what is the same whatever the arithmetic is.
#pragma once

#include "objectstore/hash/md5_steps.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define CAIRN_AVX2_INLINE __attribute__((target("avx2"), always_inline))

namespace cairn::objectstore {

/// Each register holds one word of the state of all lanes.
struct Md5Eight {
  __m256i state[4];
  const char* at[8];
};

/// Places without a lane work on the first one's bytes, for nobody.
CAIRN_AVX2_INLINE inline void begin_eight(Md5Eight& eight, std::span<const Md5Lane> lanes) {
  alignas(32) std::uint32_t state[4][8] = {};
  for (std::size_t i = 0; i < 8; ++i) eight.at[i] = lanes[i < lanes.size() ? i : 0].at;
  for (std::size_t i = 0; i < lanes.size(); ++i)
    for (std::size_t n = 0; n < 4; ++n) state[n][i] = (*lanes[i].state)[n];
  for (int n = 0; n < 4; ++n)
    eight.state[n] = _mm256_load_si256(reinterpret_cast<__m256i*>(state[n]));
}

CAIRN_AVX2_INLINE inline void end_eight(const Md5Eight& eight, std::span<Md5Lane> lanes) {
  alignas(32) std::uint32_t state[4][8];
  for (int n = 0; n < 4; ++n)
    _mm256_store_si256(reinterpret_cast<__m256i*>(state[n]), eight.state[n]);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    for (std::size_t n = 0; n < 4; ++n) (*lanes[i].state)[n] = state[n][i];
    lanes[i].at = eight.at[i];
  }
}

/// The next half of a block of each lane: word by word, one of each lane.
CAIRN_AVX2_INLINE inline void turn_over_half(const char* const (&from)[8], __m256i* words) {
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

/// The words of the next block of each lane.
CAIRN_AVX2_INLINE inline void take_block(Md5Eight& eight, __m256i (&words)[16]) {
  for (int half = 0; half < 2; ++half) {
    turn_over_half(eight.at, words + half * 8);
    for (const char*& one : eight.at) one += md5_block_bytes / 2;
  }
}

CAIRN_AVX2_INLINE inline void add_block(Md5Eight& eight, const __m256i (&next)[4]) {
  for (int n = 0; n < 4; ++n) eight.state[n] = _mm256_add_epi32(eight.state[n], next[n]);
}

}  // namespace cairn::objectstore

#endif
