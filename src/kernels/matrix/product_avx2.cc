// SPDX-License-Identifier: Apache-2.0
// Products with AVX2 and FMA: blocks of 4 rows by 16 columns, so that sums, weights and a number of
// a row fit into 16 registers. AVX2 has no dot product of bfloat16.
#include <immintrin.h>

#include <algorithm>

#include "kernels/lanes_avx2.h"
#include "kernels/matrix/product_versions.h"

#define CAIRN_LANE CAIRN_AVX2 __attribute__((always_inline)) inline
#define CAIRN_FINISH CAIRN_AVX2 __attribute__((noinline)) inline

namespace cairn::kernels {
namespace avx2 {

#include "kernels/matrix/finish.inc"

/// What products of floats need of their columns.
struct NoScales {
  CAIRN_LANE void load(const Scales&, std::size_t) {}
};

constexpr std::size_t block_columns = 16;
constexpr int block_registers = 2;

/// Arithmetic in fp32: one number of depth a step.
struct Float32 {
  using Sums = __m256;
  static constexpr int most_rows = 6;
  static constexpr bool exact = true;
  CAIRN_LANE static Sums none() { return _mm256_setzero_ps(); }
  CAIRN_LANE static void add(Sums& sums, const __m256i& row, const __m256i& weights) {
    sums = _mm256_fmadd_ps(_mm256_castsi256_ps(row), _mm256_castsi256_ps(weights), sums);
  }
  using Columns = NoScales;
  CAIRN_LANE static void to_floats(Floats& out, const Sums& sums, const NoScales&, const Scales&,
                                   std::size_t) {
    out = sums;
  }
};

/// Four numbers of depth a step. Pairs of products are summed in 16 bits first, which rows of at most
/// 127 cannot overflow.
struct Int8 {
  using Sums = __m256i;
  static constexpr int most_rows = 4;
  static constexpr bool exact = false;
  CAIRN_LANE static Sums none() { return _mm256_setzero_si256(); }
  CAIRN_LANE static void add(Sums& sums, const __m256i& row, const __m256i& weights) {
    const __m256i pairs = _mm256_maddubs_epi16(row, weights);
    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  struct Columns {
    __m256i sums;
    __m256 scale;
    CAIRN_LANE void load(const Scales& scales, std::size_t column) {
      sums = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(scales.column_sum + column));
      scale = _mm256_loadu_ps(scales.column + column);
    }
  };
  CAIRN_LANE static void to_floats(Floats& out, const Sums& sums, const Columns& columns,
                                   const Scales& scales, std::size_t row) {
    const __m256i zero = _mm256_set1_epi32(scales.row_zero[row]);
    const __m256i whole = _mm256_sub_epi32(sums, _mm256_mullo_epi32(zero, columns.sums));
    const __m256 scale = _mm256_mul_ps(_mm256_set1_ps(scales.row[row]), columns.scale);
    out = _mm256_mul_ps(_mm256_cvtepi32_ps(whole), scale);
  }
};

template <class Kind, int Rows>
CAIRN_AVX2 void multiply_block(const Product& product, const std::byte* panel, const Corner& at) {
  typename Kind::Sums sums[Rows][block_registers];
#pragma GCC unroll 6
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
    for (int c = 0; c < block_registers; ++c) sums[r][c] = Kind::none();
  }
  const std::size_t stride = product.row_stride;
  const std::byte* rows = static_cast<const std::byte*>(product.rows) + at.row * stride;
  for (std::size_t step = 0; step < product.steps; ++step) {
    const auto* from = reinterpret_cast<const __m256i*>(panel);
    const __m256i weights[block_registers] = {_mm256_loadu_si256(from),
                                              _mm256_loadu_si256(from + 1)};
#pragma GCC unroll 6
    for (int r = 0; r < Rows; ++r) {
      std::int32_t word;  // as many numbers of the row as a step has depth
      std::memcpy(&word, rows + static_cast<std::size_t>(r) * stride, sizeof word);
      const __m256i numbers = _mm256_set1_epi32(word);
#pragma GCC unroll 2
      for (int c = 0; c < block_registers; ++c) Kind::add(sums[r][c], numbers, weights[c]);
    }
    panel += panel_columns * step_bytes;
    rows += step_bytes;
  }
  // Sums leave the registers at once: to their place, or to where they are finished. What is stored
  // cannot change the copies, so that they stay in registers.
  float finished[Rows][block_registers * width];
  const Scales scales = product.scales;
  const bool is_plain = product.finish.is_plain();
  float* const to =
      is_plain ? product.finish.out + at.row * product.finish.out_stride + at.column : finished[0];
  const std::size_t to_stride = is_plain ? product.finish.out_stride : block_registers * width;
#pragma GCC unroll 2
  for (int c = 0; c < block_registers; ++c) {
    const std::size_t column = static_cast<std::size_t>(c) * width;
    typename Kind::Columns columns;
    columns.load(scales, at.column + column);
#pragma GCC unroll 6
    for (int r = 0; r < Rows; ++r) {
      const std::size_t row = static_cast<std::size_t>(r);
      Floats value;
      Kind::to_floats(value, sums[r][c], columns, scales, at.row + row);
      store(to + row * to_stride + column, value);
    }
  }
  if (is_plain) return;
  finish_block<Kind::exact>({finished[0], Rows, block_registers * width}, product.finish, at);
}

/// The rest of the rows, fewer than a whole block.
template <class Kind, int Rows>
void multiply_rest(const Product& product, const std::byte* panel, const Corner& at) {
  if constexpr (Rows > 0) {
    if (product.row_count - at.row == Rows) {
      return multiply_block<Kind, Rows>(product, panel, at);
    }
    multiply_rest<Kind, Rows - 1>(product, panel, at);
  }
}

template <class Kind>
void multiply_all(const Product& product) {
  for (std::size_t column = 0; column < product.columns; column += block_columns) {
    const std::size_t in_panel = column % panel_columns;
    const std::byte* const panel = product.panels +
                                   column / panel_columns * product.panel_bytes() +
                                   in_panel * step_bytes;
    std::size_t row = 0;
    for (; row + Kind::most_rows <= product.row_count; row += Kind::most_rows) {
      multiply_block<Kind, Kind::most_rows>(product, panel, {row, column});
    }
    multiply_rest<Kind, Kind::most_rows - 1>(product, panel, {row, column});
  }
}

void float32(const Product& product) { multiply_all<Float32>(product); }

void int8(const Product& product) { multiply_all<Int8>(product); }

}  // namespace avx2

const MatrixKernels& avx2_matrix_kernels() {
  static const MatrixKernels table = {"avx2", avx2::float32, nullptr, avx2::int8, 127};
  return table;
}

}  // namespace cairn::kernels

#undef CAIRN_LANE
#undef CAIRN_FINISH
