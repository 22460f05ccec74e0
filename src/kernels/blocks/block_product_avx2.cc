// SPDX-License-Identifier: Apache-2.0
// Products by blocks with AVX2. Pairs of products are summed in 16 bits first, which rows of at
// most 127 cannot overflow.
#include <immintrin.h>

#include <algorithm>

#include "kernels/blocks/block_product_versions.h"
#include "kernels/lanes_avx2.h"

#define CAIRN_LANE CAIRN_AVX2 __attribute__((always_inline)) inline
#define CAIRN_BLOCKS CAIRN_AVX2

namespace cairn::kernels {
namespace avx2 {
namespace {

constexpr int most_sums = 4;

CAIRN_LANE void add_dot(Ints& sums, const Ints& row, const Ints& weights) {
  Ints pairs;
  asm("vpmaddubsw %2, %1, %0" : "=x"(pairs) : "x"(row), "x"(weights));
  const Ints ones = Ints{} + 0x00010001;
  Ints fours;
  asm("vpmaddwd %2, %1, %0" : "=x"(fours) : "x"(pairs), "x"(ones));
  sums += fours;
}

/// Halves as floats, without an instruction that AVX2 does not imply. None is infinite.
CAIRN_LANE void load_halves(Floats& to, const std::byte* from) {
  Halves halves;
  std::memcpy(&halves, from, sizeof halves);
  const Words bits = __builtin_convertvector(halves, Words);
  const Words size = (bits & 0x7fffU) << 13;
  Floats value;
  std::memcpy(&value, &size, sizeof value);
  value *= 0x1p112F;  // the exponents of halves begin so much later
  Words out;
  std::memcpy(&out, &value, sizeof out);
  out |= (bits & 0x8000U) << 16;
  std::memcpy(&to, &out, sizeof to);
}

CAIRN_LANE void add_product(Floats& to, const Floats& a, const Floats& b) {
  to = _mm256_fmadd_ps(a, b, to);
}

#include "kernels/blocks/block_product.inc"

}  // namespace
}  // namespace avx2

const BlockKernels& avx2_block_kernels() {
  static const BlockKernels table = {"avx2", avx2::multiply_blocks, 127};
  return table;
}

}  // namespace cairn::kernels

#undef CAIRN_LANE
#undef CAIRN_BLOCKS
