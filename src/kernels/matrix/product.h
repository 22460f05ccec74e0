// SPDX-License-Identifier: Apache-2.0
// Products of matrices for models: rows of activations times packed columns of weights.
//
// The right-hand matrix lies in panels of 64 columns. A panel is a run of steps of 256 bytes: step s
// holds, for each of the 64 columns, the 4 bytes of depth that a dot-product instruction takes at
// once (1 float, 2 bfloat16, 4 int8). One layout serves AVX2, AVX-512 and the tiles of AMX.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/bf16.h"

namespace cairn::kernels {

/// What numbers a product multiplies. Sums are fp32 (int32 for int8) in all of them.
enum class Arithmetic { float32, bfloat16, int8 };

/// Bytes of depth of one column in one step of a panel.
inline constexpr std::size_t step_bytes = 4;
/// Columns of a panel.
inline constexpr std::size_t panel_columns = 64;
/// Panels and rows have whole groups of steps, zeros behind the last number: a tile takes 16.
inline constexpr std::size_t step_group = 16;

/// Numbers of depth that one step holds: 1, 2 or 4.
inline constexpr std::size_t step_depth(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::float32 ? 1 : arithmetic == Arithmetic::bfloat16 ? 2 : 4;
}
/// Steps of a panel of this depth, groups filled up.
inline constexpr std::size_t panel_steps(Arithmetic arithmetic, std::size_t depth) {
  const std::size_t group = step_group * step_depth(arithmetic);
  return (depth + group - 1) / group * step_group;
}

/// What is done to each sum before it is stored.
enum class Activation { none, gelu, gelu_tanh, relu, silu, tanh };

/// Scales of an int8 product: rows are u8 with a scale and a zero point each, columns s8 with a scale.
/// value = (sum - row_zero * column_sum) * row_scale * column_scale.
struct Scales {
  const float* row = nullptr;
  const std::int32_t* row_zero = nullptr;
  const float* column = nullptr;
  const std::int32_t* column_sum = nullptr;  // of the column's int8 weights
};

/// Where the sums go: value = activation(sum + bias) + residual. Every pointer to columns begins at
/// the product's first column. Columns are computed by 16: what is stored, and what is read for it,
/// must have room for the next multiple of 16.
struct Finish {
  const float* bias = nullptr;
  Activation activation = Activation::none;
  const float* residual = nullptr;
  std::size_t residual_stride = 0;
  float* out = nullptr;  // one of out, narrow and maxima is set
  std::size_t out_stride = 0;
  Bf16* narrow = nullptr;
  std::size_t narrow_stride = 0;
  float* maxima = nullptr;  // maxima[column] becomes the greatest of itself and of all rows' values

  /// Whether the sums are stored as they are.
  bool is_plain() const {
    return bias == nullptr && activation == Activation::none && residual == nullptr &&
           out != nullptr && narrow == nullptr && maxima == nullptr;
  }
};

/// One product. Strides of rows are in bytes; no alignment is asked.
struct Product {
  const void* rows = nullptr;  // float, Bf16 or uint8_t, panel_steps(…) * 4 readable bytes each
  std::size_t row_stride = 0;
  std::size_t row_count = 0;
  const std::byte* panels = nullptr;
  std::size_t steps = 0;         // that are computed: whole groups
  std::size_t stored_steps = 0;  // from one panel to the next; 0: as many as are computed
  std::size_t columns = 0;       // any number; the last panel may be used in part
  Scales scales;                 // int8 only
  Finish finish;

  std::size_t panel_bytes() const {
    return (stored_steps == 0 ? steps : stored_steps) * panel_columns * step_bytes;
  }
};

/// One version of the products. A row's values depend on that row and the panels alone, bit for bit:
/// never on how many rows there are or which comes first.
struct MatrixKernels {
  std::string_view name;  // "scalar", "avx2", "avx512", "avx512_vnni", "amx"
  void (*float32)(const Product&);
  void (*bfloat16)(const Product&);  // nullptr: this processor has no instruction for it
  void (*int8)(const Product&);
  std::int32_t int8_levels;  // greatest value of an u8 activation: 255, or 127 where sums of pairs saturate
  bool bfloat16_first = false;  // bfloat16 is so fast that what int8 rounds away is not worth its speed
};

/// The version in use, chosen at the first call; CAIRN_ISA forces a lower one (os/cpu.h).
const MatrixKernels& matrix_kernels();
/// All versions that this processor runs, plainest (scalar) first. For tests and benchmarks.
const std::vector<const MatrixKernels*>& usable_matrix_kernels();

/// The product in this arithmetic, by the version given. The arithmetic must be one that it has.
void multiply(const MatrixKernels& kernels, Arithmetic arithmetic, const Product& product);

}  // namespace cairn::kernels
