// SPDX-License-Identifier: Apache-2.0
// CRC-32 and CRC-32C by ISA-L; CRC-64/NVME by carry-less multiplication where the processor has
// it, by tables elsewhere (ISA-L 2.30 lacks this polynomial).
#include "base/checksum.h"

#include <immintrin.h>
#include <isa-l/crc.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>

namespace cairn {
namespace {

constexpr std::uint64_t polynomial = 0x9A6C9329AC4BC9B5;  // reflected: bit 0 is x^63

using Tables = std::array<std::array<std::uint64_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint64_t i = 0; i < 256; ++i) {
    std::uint64_t v = i;
    for (int bit = 0; bit < 8; ++bit) v = (v >> 1) ^ ((v & 1) != 0 ? polynomial : 0);
    tables[0][i] = v;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint64_t v = tables[k - 1][i];
      tables[k][i] = tables[0][v & 0xFF] ^ (v >> 8);
    }
  }
  return tables;
}

constexpr Tables tables = make_tables();

// x^n modulo the polynomial, reflected.
constexpr std::uint64_t power_of_x(unsigned n) {
  std::uint64_t v = std::uint64_t{1} << 63;
  for (unsigned i = 0; i < n; ++i) v = (v >> 1) ^ ((v & 1) != 0 ? polynomial : 0);
  return v;
}

// Factors that move a 16-byte block `distance` bits forward in the message: for its first eight
// bytes (the higher powers) and for its last. A carry-less product of reflected numbers is one
// power of x too high, hence the odd exponents.
constexpr std::uint64_t first_factor(unsigned distance) { return power_of_x(distance + 63); }
constexpr std::uint64_t last_factor(unsigned distance) { return power_of_x(distance - 1); }

// The same, by the distance in bytes.
constexpr std::uint64_t first_16 = first_factor(128), last_16 = last_factor(128);
constexpr std::uint64_t first_128 = first_factor(1024), last_128 = last_factor(1024);
constexpr std::uint64_t first_256 = first_factor(2048), last_256 = last_factor(2048);

std::uint64_t by_table(std::uint64_t state, const unsigned char* p, std::size_t n) {
  for (; n >= 8; p += 8, n -= 8) {
    std::uint64_t v;
    std::memcpy(&v, p, 8);
    v ^= state;
    state = tables[7][v & 0xFF] ^ tables[6][v >> 8 & 0xFF] ^ tables[5][v >> 16 & 0xFF] ^
            tables[4][v >> 24 & 0xFF] ^ tables[3][v >> 32 & 0xFF] ^ tables[2][v >> 40 & 0xFF] ^
            tables[1][v >> 48 & 0xFF] ^ tables[0][v >> 56];
  }
  for (; n > 0; ++p, --n) state = tables[0][(state ^ *p) & 0xFF] ^ (state >> 8);
  return state;
}

#define CAIRN_PCLMUL __attribute__((target("pclmul,sse4.1")))
#define CAIRN_VPCLMUL __attribute__((target("avx512f,avx512vl,vpclmulqdq,pclmul")))

CAIRN_PCLMUL inline __m128i load(const unsigned char* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}

CAIRN_PCLMUL inline __m128i fold(__m128i block, __m128i factors) {
  return _mm_xor_si128(_mm_clmulepi64_si128(block, factors, 0x00),
                       _mm_clmulepi64_si128(block, factors, 0x11));
}

CAIRN_PCLMUL inline __m128i factors(std::uint64_t first, std::uint64_t last) {
  return _mm_set_epi64x(static_cast<long long>(last), static_cast<long long>(first));
}

// Folds whole 16-byte blocks into `block`, then finishes by table. `p`, `n`: what follows it.
CAIRN_PCLMUL std::uint64_t finish(__m128i block, const unsigned char* p, std::size_t n) {
  const __m128i by_16 = factors(first_16, last_16);
  for (; n >= 16; p += 16, n -= 16) block = _mm_xor_si128(fold(block, by_16), load(p));
  alignas(16) unsigned char last[16];
  _mm_store_si128(reinterpret_cast<__m128i*>(last), block);
  return by_table(by_table(0, last, 16), p, n);
}

CAIRN_PCLMUL std::uint64_t by_pclmul(std::uint64_t state, const unsigned char* p, std::size_t n) {
  if (n < 256) {
    if (n < 32) return by_table(state, p, n);
    const __m128i block = _mm_xor_si128(load(p), _mm_set_epi64x(0, static_cast<long long>(state)));
    return finish(block, p + 16, n - 16);
  }
  __m128i lanes[8];
  for (std::size_t i = 0; i < 8; ++i) lanes[i] = load(p + 16 * i);
  lanes[0] = _mm_xor_si128(lanes[0], _mm_set_epi64x(0, static_cast<long long>(state)));
  const __m128i by_128 = factors(first_128, last_128);
  for (p += 128, n -= 128; n >= 128; p += 128, n -= 128) {
    for (std::size_t i = 0; i < 8; ++i) {
      lanes[i] = _mm_xor_si128(fold(lanes[i], by_128), load(p + 16 * i));
    }
  }
  const __m128i by_16 = factors(first_16, last_16);
  for (std::size_t i = 1; i < 8; ++i) lanes[i] = _mm_xor_si128(fold(lanes[i - 1], by_16), lanes[i]);
  return finish(lanes[7], p, n);
}

CAIRN_VPCLMUL std::uint64_t by_vpclmul(std::uint64_t state, const unsigned char* p, std::size_t n) {
  if (n < 1024) return by_pclmul(state, p, n);
  const __m512i by_256 = _mm512_maskz_broadcast_i32x4(0xFFFF, factors(first_256, last_256));
  __m512i lanes[4];
  for (std::size_t i = 0; i < 4; ++i) lanes[i] = _mm512_loadu_si512(p + 64 * i);
  lanes[0] = _mm512_xor_si512(
      lanes[0], _mm512_zextsi128_si512(_mm_set_epi64x(0, static_cast<long long>(state))));
  for (p += 256, n -= 256; n >= 256; p += 256, n -= 256) {
    for (std::size_t i = 0; i < 4; ++i) {
      lanes[i] = _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(lanes[i], by_256, 0x00),
                                           _mm512_clmulepi64_epi128(lanes[i], by_256, 0x11),
                                           _mm512_loadu_si512(p + 64 * i), 0x96);  // xor of three
    }
  }
  alignas(64) unsigned char blocks[256];
  for (std::size_t i = 0; i < 4; ++i) _mm512_store_si512(blocks + 64 * i, lanes[i]);
  return by_pclmul(finish(load(blocks), blocks + 16, sizeof blocks - 16), p, n);
}

template <std::uint64_t (*update)(std::uint64_t, const unsigned char*, std::size_t)>
std::uint64_t run(std::string_view bytes, std::uint64_t before) {
  return ~update(~before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  return crc32_gzip_refl(before, reinterpret_cast<const unsigned char*>(bytes.data()),
                         bytes.size());
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  std::uint32_t state = ~before;
  while (!bytes.empty()) {
    const auto n = static_cast<int>(std::min<std::size_t>(bytes.size(), 1 << 30));
    auto* p = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));  // only read
    state = crc32_iscsi(p, n, state);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return ~state;
}

std::vector<Crc64Version> crc64nvme_versions() {
  __builtin_cpu_init();
  std::vector<Crc64Version> versions{{"table", run<by_table>}};
  if (__builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1")) {
    versions.push_back({"pclmul", run<by_pclmul>});
    if (__builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512vl")) {
      versions.push_back({"vpclmul", run<by_vpclmul>});
    }
  }
  return versions;
}

std::uint64_t crc64nvme(std::string_view bytes, std::uint64_t before) {
  static const auto fastest = crc64nvme_versions().back().run;
  return fastest(bytes, before);
}

}  // namespace cairn
