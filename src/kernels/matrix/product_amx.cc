// SPDX-License-Identifier: Apache-2.0
// Products on the tiles of AMX. The instructions are written out: compilers' functions for them do
// not say that they read and write memory, and a template has one instruction set for all its
// arguments.
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of its own headers (bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <algorithm>

#include "kernels/lanes_avx512.h"
#include "kernels/matrix/product_versions.h"
#include "kernels/matrix/tiles.h"

#define CAIRN_LANE CAIRN_AVX512 __attribute__((always_inline)) inline
#define CAIRN_FINISH CAIRN_AVX512 __attribute__((noinline)) inline
#define CAIRN_TILED \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,amx-tile,amx-bf16,amx-int8")))
#define CAIRN_TILE CAIRN_TILED __attribute__((always_inline))

namespace cairn::kernels {
namespace amx {

using namespace avx512;

#include "kernels/matrix/finish.inc"
#include "kernels/matrix/tile_product.inc"

/// What the processor reads when it configures its tiles: palette 1 has eight.
struct TileConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfiguration) == 64);

/// The thread's tiles. Clobbered memory keeps each instruction behind the stores before it.
struct ProcessorTiles {
  CAIRN_TILE void configure(const TileRows& rows) {
    TileConfiguration to;
    for (std::size_t tile = 0; tile < tile_count; ++tile) {
      to.row_bytes[tile] = tile_row_bytes;
      to.rows[tile] = rows.of[tile];
    }
    asm volatile("ldtilecfg %0" : : "m"(to) : "memory");
  }
  template <int tile>
  CAIRN_TILE void clear() {
    asm volatile("tilezero %%tmm%c0" : : "i"(tile));
  }
  template <int tile>
  CAIRN_TILE void load(const std::byte* from, std::size_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(tile) : "memory");
  }
  template <int tile>
  CAIRN_TILE void load_rarely(const std::byte* from, std::size_t stride) {
    asm volatile("tileloaddt1 (%0,%1,1), %%tmm%c2"
                 :
                 : "r"(from), "r"(stride), "i"(tile)
                 : "memory");
  }
  template <Arithmetic kind, int sums, int rows, int weights>
  CAIRN_TILE void add() {
    if constexpr (kind == Arithmetic::bfloat16) {
      asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sums), "i"(rows), "i"(weights));
    } else {
      asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sums), "i"(rows), "i"(weights));
    }
  }
  template <int tile>
  CAIRN_TILE void store(float* to, std::size_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(tile) : "memory");
  }
  CAIRN_TILE void release() { asm volatile("tilerelease" : : : "memory"); }
};

template <Arithmetic kind>
CAIRN_TILED void multiply(const Product& product) {
  ProcessorTiles tiles;
  multiply_on_tiles<ProcessorTiles, kind>(tiles, product);
}

}  // namespace amx

void amx_bfloat16(const Product& product) { amx::multiply<Arithmetic::bfloat16>(product); }

void amx_int8(const Product& product) { amx::multiply<Arithmetic::int8>(product); }

}  // namespace cairn::kernels

#undef CAIRN_LANE
#undef CAIRN_FINISH
#undef CAIRN_TILED
#undef CAIRN_TILE
