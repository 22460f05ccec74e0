// SPDX-License-Identifier: Apache-2.0
// Vectors of 16 floats, for functions that are compiled for AVX-512.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/bf16.h"
#include "kernels/matrix/product.h"

#define CAIRN_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define CAIRN_LANE CAIRN_AVX512 __attribute__((always_inline)) inline

namespace cairn::kernels::avx512 {

constexpr std::size_t width = 16;
#include "kernels/lanes.inc"

CAIRN_LANE void quick_exp2(Floats& x) {
  Floats rest;  // x - floor(x)
  asm("vreduceps $9, %1, %0" : "=v"(rest) : "v"(x));
  Floats sum = rest * 0.07802452147006989F + 0.2260671854019165F;
  sum = sum * rest + 0.6958335041999817F;
  sum = sum * rest + 0.9999251961708069F;
  asm("vscalefps %2, %1, %0" : "=v"(x) : "v"(sum), "v"(x));  // times 2^floor(x)
}

}  // namespace cairn::kernels::avx512

#undef CAIRN_LANE
