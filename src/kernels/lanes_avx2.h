// SPDX-License-Identifier: Apache-2.0
// Vectors of 8 floats, for functions that are compiled for AVX2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/bf16.h"
#include "kernels/matrix/product.h"

#define CAIRN_AVX2 __attribute__((target("avx2,fma")))
#define CAIRN_LANE CAIRN_AVX2 __attribute__((always_inline)) inline

namespace cairn::kernels::avx2 {

constexpr std::size_t width = 8;
#include "kernels/lanes.inc"

CAIRN_LANE void quick_exp2(Floats& x) {
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23: the lowest bits of x + shift are a whole number
  const Floats least = Floats{} - 126.0F;
  x = least > x ? least : x;
  const Floats shifted = x + shift;
  const Floats rest = x - (shifted - shift);
  Floats sum = rest * 0.0551716685295105F + 0.2426111400127411F;
  sum = sum * rest + 0.6932609677314758F;
  sum = sum * rest + 0.9999280571937561F;
  Words power, bits;
  std::memcpy(&power, &shifted, sizeof power);
  std::memcpy(&bits, &sum, sizeof bits);
  bits += power << 23;
  std::memcpy(&x, &bits, sizeof bits);
}

}  // namespace cairn::kernels::avx2

#undef CAIRN_LANE
