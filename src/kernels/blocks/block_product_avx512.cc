// SPDX-License-Identifier: Apache-2.0
// Products by blocks with AVX-512 and its dot products of bytes.
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of its own headers (bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <algorithm>

#include "kernels/blocks/block_product_versions.h"
#include "kernels/lanes_avx512.h"

#define CAIRN_LANE CAIRN_AVX512 __attribute__((always_inline)) inline
#define CAIRN_BLOCKS CAIRN_AVX512

namespace cairn::kernels {
namespace avx512 {
namespace {

constexpr int most_sums = 12;

CAIRN_LANE void add_dot(Ints& sums, const Ints& row, const Ints& weights) {
  // Written out, because AVX-512 does not imply it.
  asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(row), "v"(weights));
}

CAIRN_LANE void load_halves(Floats& to, const std::byte* from) {
  Halves halves;
  std::memcpy(&halves, from, sizeof halves);
  asm("vcvtph2ps %1, %0" : "=v"(to) : "v"(halves));
}

CAIRN_LANE void add_product(Floats& to, const Floats& a, const Floats& b) {
  to = _mm512_fmadd_ps(a, b, to);
}

#include "kernels/blocks/block_product.inc"

}  // namespace
}  // namespace avx512

const BlockKernels& avx512_block_kernels() {
  static const BlockKernels table = {"avx512_vnni", avx512::multiply_blocks, 255};
  return table;
}

}  // namespace cairn::kernels

#undef CAIRN_LANE
#undef CAIRN_BLOCKS
