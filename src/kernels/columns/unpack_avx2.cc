// SPDX-License-Identifier: Apache-2.0
// The decoding with AVX2. Eight numbers begin and end at whole bytes; two gathers bring them, four
// at a time, and each is shifted into its place.
#include <immintrin.h>

#include "kernels/columns/unpack_versions.h"

#define CAIRN_AVX2 __attribute__((target("avx2")))

namespace cairn::kernels {
namespace {

/// Where four numbers of a group of eight lie.
struct Places {
  __m256i bytes, shifts, rest;
};

CAIRN_AVX2 inline Places places_of(unsigned bits, unsigned first) {
  const auto bit = [&](unsigned i) { return static_cast<long long>((first + i) * bits); };
  const __m256i all = _mm256_setr_epi64x(bit(0), bit(1), bit(2), bit(3));
  const __m256i shifts = _mm256_and_si256(all, _mm256_set1_epi64x(7));
  return {.bytes = _mm256_srli_epi64(all, 3),
          .shifts = shifts,
          .rest = _mm256_sub_epi64(_mm256_set1_epi64x(64), shifts)};
}

CAIRN_AVX2 inline __m256i gather(const char* from, __m256i bytes) {
  return _mm256_i64gather_epi64(reinterpret_cast<const long long*>(from), bytes, 1);
}

template <bool wide>
CAIRN_AVX2 inline __m256i four(const char* in, const Places& at, __m256i mask) {
  __m256i numbers = _mm256_srlv_epi64(gather(in, at.bytes), at.shifts);
  // Numbers of more than 57 bits may go on in a ninth byte. A shift by 64 leaves nothing.
  if constexpr (wide)
    numbers = _mm256_or_si256(numbers, _mm256_sllv_epi64(gather(in + 8, at.bytes), at.rest));
  return _mm256_and_si256(numbers, mask);
}

template <bool wide>
CAIRN_AVX2 void unpack_groups(const char* in, std::size_t groups, unsigned bits, std::int64_t base,
                              std::int64_t* out) {
  const Places low = places_of(bits, 0), high = places_of(bits, 4);
  const __m256i mask =
      _mm256_set1_epi64x(bits == 64 ? -1 : static_cast<long long>((std::uint64_t{1} << bits) - 1));
  const __m256i bases = _mm256_set1_epi64x(base);
  for (std::size_t group = 0; group < groups; ++group, in += bits, out += 8) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        _mm256_add_epi64(four<wide>(in, low, mask), bases));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 4),
                        _mm256_add_epi64(four<wide>(in, high, mask), bases));
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

const UnpackKernels& avx2_unpack_kernels() {
  static const UnpackKernels kernels{.name = "avx2", .unpack = unpack};
  return kernels;
}

}  // namespace cairn::kernels
