// SPDX-License-Identifier: Apache-2.0
// Attention over pages with AVX2 and FMA.
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of its own headers (bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <cmath>

#include "kernels/buffer.h"
#include "kernels/lanes_avx2.h"
#include "kernels/pages/paged_attention_versions.h"

#define CAIRN_LANE CAIRN_AVX2 __attribute__((always_inline)) inline
#define CAIRN_PAGES CAIRN_AVX2

namespace cairn::kernels {
namespace avx2 {

constexpr int block_queries = 2;
constexpr int most_vectors = 4;  // of sums of each query

CAIRN_LANE void add_product(Floats& to, const Floats& a, const Floats& b) {
  to = _mm256_fmadd_ps(a, b, to);
}

#include "kernels/pages/paged_attention.inc"

}  // namespace avx2

const PageKernels& avx2_page_kernels() {
  static const PageKernels table = {"avx2", avx2::attend<float>, avx2::attend<Bf16>};
  return table;
}

}  // namespace cairn::kernels

#undef CAIRN_LANE
#undef CAIRN_PAGES
