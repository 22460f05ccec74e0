// SPDX-License-Identifier: Apache-2.0
// Products with AVX-512: blocks of 6 rows by 64 columns whose sums stay in 24 registers, while 4
// registers take a step of the panel and one a number of a row.
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of its own headers (bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <algorithm>

#include "kernels/lanes_avx512.h"
#include "kernels/matrix/product_versions.h"

#define CAIRN_LANE CAIRN_AVX512 __attribute__((always_inline)) inline
#define CAIRN_FINISH CAIRN_AVX512 __attribute__((noinline)) inline

namespace cairn::kernels {
namespace avx512 {

#include "kernels/matrix/finish.inc"

/// What products of floats need of their columns.
struct NoScales {
  CAIRN_LANE void load(const Scales&, std::size_t) {}
};

constexpr int most_rows = 6;
constexpr int most_registers = 4;  // of 16 columns
constexpr std::size_t cache_line = 64;

/// Arithmetic in fp32: one number of depth a step.
struct Float32 {
  using Sums = __m512;
  static constexpr bool exact = true;
  CAIRN_LANE static Sums none() { return _mm512_setzero_ps(); }
  CAIRN_LANE static void add(Sums& sums, const __m512i& row, const __m512i& weights) {
    sums = _mm512_fmadd_ps(_mm512_castsi512_ps(row), _mm512_castsi512_ps(weights), sums);
  }
  using Columns = NoScales;
  CAIRN_LANE static void to_floats(Floats& out, const Sums& sums, const NoScales&, const Scales&,
                                   std::size_t) {
    out = sums;
  }
};

/// Two numbers of depth a step. The instruction is written out, as that of int8, because a template
/// has one instruction set for all its arguments.
struct Bfloat16 {
  using Sums = __m512;
  static constexpr bool exact = false;
  CAIRN_LANE static Sums none() { return _mm512_setzero_ps(); }
  CAIRN_LANE static void add(Sums& sums, const __m512i& row, const __m512i& weights) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sums) : "v"(row), "v"(weights));
  }
  using Columns = NoScales;
  CAIRN_LANE static void to_floats(Floats& out, const Sums& sums, const NoScales&, const Scales&,
                                   std::size_t) {
    out = sums;
  }
};

/// Four numbers of depth a step, unsigned rows by signed weights.
struct Int8 {
  using Sums = __m512i;
  static constexpr bool exact = false;
  CAIRN_LANE static Sums none() { return _mm512_setzero_si512(); }
  CAIRN_LANE static void add(Sums& sums, const __m512i& row, const __m512i& weights) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(row), "v"(weights));
  }
  struct Columns {
    __m512i sums;
    __m512 scale;
    CAIRN_LANE void load(const Scales& scales, std::size_t column) {
      sums = _mm512_loadu_si512(scales.column_sum + column);
      scale = _mm512_loadu_ps(scales.column + column);
    }
  };
  CAIRN_LANE static void to_floats(Floats& out, const Sums& sums, const Columns& columns,
                                   const Scales& scales, std::size_t row) {
    const __m512i zero = _mm512_set1_epi32(scales.row_zero[row]);
    const __m512i whole = _mm512_sub_epi32(sums, _mm512_mullo_epi32(zero, columns.sums));
    const __m512 scale = _mm512_mul_ps(_mm512_set1_ps(scales.row[row]), columns.scale);
    out = _mm512_mul_ps(_mm512_cvtepi32_ps(whole), scale);
  }
};

/// `soon` is fetched towards the core, a line a step: it may lie anywhere.
template <class Kind, int Rows, int Registers>
CAIRN_AVX512 void multiply_block(const Product& product, const std::byte* panel,
                                 const std::byte* soon, const Corner& at) {
  typename Kind::Sums sums[Rows][Registers];
#pragma GCC unroll 6
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c < Registers; ++c) sums[r][c] = Kind::none();
  }
  const std::size_t stride = product.row_stride;
  const std::byte* rows = static_cast<const std::byte*>(product.rows) + at.row * stride;
  for (std::size_t step = 0; step < product.steps; ++step) {
    _mm_prefetch(soon + step * cache_line, _MM_HINT_T1);
    __m512i weights[Registers];
#pragma GCC unroll 4
    for (int c = 0; c < Registers; ++c) weights[c] = _mm512_loadu_si512(panel + c * 64);
#pragma GCC unroll 6
    for (int r = 0; r < Rows; ++r) {
      std::int32_t word;  // as many numbers of the row as a step has depth
      std::memcpy(&word, rows + static_cast<std::size_t>(r) * stride, sizeof word);
      const __m512i numbers = _mm512_set1_epi32(word);
#pragma GCC unroll 4
      for (int c = 0; c < Registers; ++c) Kind::add(sums[r][c], numbers, weights[c]);
    }
    panel += panel_columns * step_bytes;
    rows += step_bytes;
  }
  // Sums leave the registers at once: to their place, or to where they are finished. What is stored
  // cannot change the copies, so that they stay in registers.
  float finished[Rows][Registers * width];
  const Scales scales = product.scales;
  const bool is_plain = product.finish.is_plain();
  float* const to =
      is_plain ? product.finish.out + at.row * product.finish.out_stride + at.column : finished[0];
  const std::size_t to_stride = is_plain ? product.finish.out_stride : Registers * width;
#pragma GCC unroll 4
  for (int c = 0; c < Registers; ++c) {
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
  finish_block<Kind::exact>({finished[0], Rows, Registers * width}, product.finish, at);
}

using Multiply = void (*)(const Product&, const std::byte*, const std::byte*, const Corner&);

template <class Kind, int Registers>
Multiply block_of(std::size_t rows) {
  constexpr Multiply blocks[most_rows] = {
      multiply_block<Kind, 1, Registers>, multiply_block<Kind, 2, Registers>,
      multiply_block<Kind, 3, Registers>, multiply_block<Kind, 4, Registers>,
      multiply_block<Kind, 5, Registers>, multiply_block<Kind, 6, Registers>};
  return blocks[rows - 1];
}

/// The block of this many rows and columns, 1..6 and 1..64.
template <class Kind>
Multiply block_of(std::size_t rows, std::size_t columns) {
  switch ((columns + width - 1) / width) {
    case 1:
      return block_of<Kind, 1>(rows);
    case 2:
      return block_of<Kind, 2>(rows);
    case 3:
      return block_of<Kind, 3>(rows);
    default:
      return block_of<Kind, most_registers>(rows);
  }
}

/// Panel by panel, since rows are smaller than panels and stay in the nearest cache. The first four
/// blocks of rows fetch a quarter of the next panel each while they compute: the weights of a layer
/// come from memory, and whoever waits for them loses up to a quarter of the time.
template <class Kind>
void multiply_all(const Product& product) {
  const std::byte* panel = product.panels;
  const std::size_t quarter = product.steps * cache_line;
  for (std::size_t column = 0; column < product.columns; column += panel_columns) {
    const std::size_t columns = std::min(panel_columns, product.columns - column);
    const Multiply whole = block_of<Kind>(most_rows, columns);
    const bool is_last = column + panel_columns >= product.columns;
    const std::byte* const next = is_last ? panel : panel + product.panel_bytes();
    const std::byte* soon = next;
    std::size_t row = 0;
    for (; row + most_rows <= product.row_count; row += most_rows) {
      whole(product, panel, soon, {row, column});
      if (soon != next + 3 * quarter) soon += quarter;
    }
    if (row < product.row_count) {
      block_of<Kind>(product.row_count - row, columns)(product, panel, soon, {row, column});
    }
    panel += product.panel_bytes();
  }
}

}  // namespace avx512

void avx512_float32(const Product& product) { avx512::multiply_all<avx512::Float32>(product); }

void avx512_bfloat16(const Product& product) { avx512::multiply_all<avx512::Bfloat16>(product); }

void avx512_int8(const Product& product) { avx512::multiply_all<avx512::Int8>(product); }

}  // namespace cairn::kernels

#undef CAIRN_LANE
#undef CAIRN_FINISH
