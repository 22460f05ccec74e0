// SPDX-License-Identifier: Apache-2.0
// The decoding with AVX-512 (F, BW, VBMI). Eight numbers begin and end at whole bytes: one load
// brings them, a permutation of bytes spreads them, and each is shifted into its place.
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of its own headers (bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include "kernels/columns/unpack_versions.h"

#define CAIRN_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi")))

namespace cairn::kernels {
namespace {

/// Where the bytes of eight numbers lie; `from`: 0, or 8 for the byte behind the first eight.
CAIRN_AVX512 inline __m512i bytes_of(unsigned bits, unsigned from) {
  alignas(64) std::uint8_t at[64];
  for (unsigned number = 0; number < 8; ++number)
    for (unsigned byte = 0; byte < 8; ++byte)
      at[number * 8 + byte] = static_cast<std::uint8_t>((number * bits / 8 + byte + from) & 63);
  return _mm512_load_si512(at);
}

CAIRN_AVX512 inline __m512i shifts_of(unsigned bits) {
  alignas(64) std::uint64_t shifts[8];
  for (unsigned number = 0; number < 8; ++number) shifts[number] = number * bits % 8;
  return _mm512_load_si512(shifts);
}

template <bool wide>
CAIRN_AVX512 void unpack_groups(const char* in, std::size_t groups, unsigned bits,
                                std::int64_t base, std::int64_t* out) {
  const __m512i low = bytes_of(bits, 0), high = bytes_of(bits, 8);
  const __m512i shifts = shifts_of(bits);
  const __m512i rest = _mm512_sub_epi64(_mm512_set1_epi64(64), shifts);
  const __m512i mask =
      _mm512_set1_epi64(bits == 64 ? -1 : static_cast<long long>((std::uint64_t{1} << bits) - 1));
  const __m512i bases = _mm512_set1_epi64(base);
  const __mmask64 own = bits == 64 ? ~__mmask64{0} : (__mmask64{1} << bits) - 1;  // of a group
  for (std::size_t group = 0; group < groups; ++group, in += bits, out += 8) {
    const __m512i bytes = _mm512_maskz_loadu_epi8(own, in);
    __m512i numbers = _mm512_srlv_epi64(_mm512_permutexvar_epi8(low, bytes), shifts);
    // Numbers of more than 57 bits may go on in a ninth byte. A shift by 64 leaves nothing.
    if constexpr (wide)
      numbers =
          _mm512_or_si512(numbers, _mm512_sllv_epi64(_mm512_permutexvar_epi8(high, bytes), rest));
    numbers = _mm512_and_si512(numbers, mask);
    _mm512_storeu_si512(out, _mm512_add_epi64(numbers, bases));
  }
}

void unpack(const char* in, std::size_t count, unsigned bits, std::int64_t base,
            std::int64_t* out) {
  const std::size_t groups = count / 8;
  (bits > 57 ? unpack_groups<true> : unpack_groups<false>)(in, groups, bits, base, out);
  for (std::size_t i = groups * 8; i < count; ++i)
    out[i] =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(base) + unpack_number(in, i, bits));
}

}  // namespace

const UnpackKernels& avx512_unpack_kernels() {
  static const UnpackKernels kernels{.name = "avx512", .unpack = unpack};
  return kernels;
}

}  // namespace cairn::kernels
