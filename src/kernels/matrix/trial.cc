// SPDX-License-Identifier: Apache-2.0
// Blocks of every kind: whole ones, fewer rows than a tile, one tile and a half, part of a panel.
#include "kernels/matrix/trial.h"

#include <cstring>
#include <random>
#include <vector>

#include "kernels/matrix/panels.h"
#include "kernels/matrix/product_versions.h"

namespace cairn::kernels {
namespace {

struct TrialShape {
  std::size_t rows = 0, columns = 0, depth = 0;
};
constexpr TrialShape trial_shapes[] = {
    {1, 64, 64}, {16, 16, 128}, {19, 48, 64}, {32, 64, 256}, {45, 176, 192}, {67, 96, 64}};

/// Operands of one product, in room for whole groups of columns.
struct TrialOperands {
  Arithmetic arithmetic = Arithmetic::int8;
  TrialShape shape;
  std::size_t stored_columns = 0, row_stride = 0;
  std::vector<std::byte> rows, panels;
  std::vector<float> row_scale, column_scale, bias;
  std::vector<std::int32_t> row_zero, column_sum;
};

/// -127 to 127: whole numbers that bfloat16 has, and that int8 has by a scale of 1.
float whole_number(std::mt19937& random) {
  return static_cast<float>(static_cast<std::int32_t>(random() % 255) - 127);
}

void fill_columns(std::mt19937& random, TrialOperands& out) {
  std::vector<float> values(out.shape.depth);
  for (std::size_t column = 0; column < out.shape.columns; ++column) {
    for (float& value : values) value = whole_number(random);
    values[column % values.size()] = 127;  // the scale is 1
    if (out.arithmetic == Arithmetic::int8) {
      out.column_scale[column] = pack_column_int8(values.data(), values.size(), 1, column,
                                                  out.panels.data(), out.column_sum[column]);
    } else {
      pack_column(out.arithmetic, values.data(), values.size(), 1, column, out.panels.data());
    }
  }
}

void fill_rows(std::mt19937& random, TrialOperands& out) {
  for (std::size_t row = 0; row < out.shape.rows; ++row) {
    std::byte* const to = out.rows.data() + row * out.row_stride;
    out.row_scale[row] = 0.5F;
    out.row_zero[row] = static_cast<std::int32_t>(random() % 256);
    for (std::size_t i = 0; i < out.shape.depth; ++i) {
      if (out.arithmetic == Arithmetic::int8) {
        to[i] = static_cast<std::byte>(random() % 256);
      } else {
        const Bf16 number = to_bf16(whole_number(random));
        std::memcpy(to + i * sizeof number, &number, sizeof number);
      }
    }
  }
}

TrialOperands trial_operands(Arithmetic arithmetic, const TrialShape& shape) {
  TrialOperands out;
  out.arithmetic = arithmetic;
  out.shape = shape;
  std::mt19937 random(5);
  out.stored_columns = (shape.columns + panel_columns - 1) / panel_columns * panel_columns;
  out.row_stride = panel_steps(arithmetic, shape.depth) * step_bytes;
  out.rows.resize(shape.rows * out.row_stride);
  out.panels.resize(panels_bytes(arithmetic, shape.depth, shape.columns));
  out.row_scale.resize(shape.rows);
  out.row_zero.resize(shape.rows);
  out.column_scale.resize(out.stored_columns);
  out.column_sum.resize(out.stored_columns);
  for (std::size_t i = 0; i < out.stored_columns; ++i) out.bias.push_back(whole_number(random));
  fill_columns(random, out);
  fill_rows(random, out);
  return out;
}

std::vector<float> trial_result(const MatrixKernels& kernels, const TrialOperands& from,
                                bool has_bias) {
  std::vector<float> out(from.shape.rows * from.stored_columns);
  Product product;
  product.rows = from.rows.data();
  product.row_stride = from.row_stride;
  product.row_count = from.shape.rows;
  product.panels = from.panels.data();
  product.steps = panel_steps(from.arithmetic, from.shape.depth);
  product.columns = from.shape.columns;
  product.scales = {from.row_scale.data(), from.row_zero.data(), from.column_scale.data(),
                    from.column_sum.data()};
  if (has_bias) product.finish.bias = from.bias.data();
  product.finish.out = out.data();
  product.finish.out_stride = from.stored_columns;
  multiply(kernels, from.arithmetic, product);
  return out;
}

}  // namespace

bool passes_trial(const MatrixKernels& kernels) {
  for (const Arithmetic arithmetic : {Arithmetic::bfloat16, Arithmetic::int8}) {
    for (const TrialShape& shape : trial_shapes) {
      const TrialOperands operands = trial_operands(arithmetic, shape);
      for (const bool has_bias : {false, true}) {
        if (trial_result(kernels, operands, has_bias) !=
            trial_result(scalar_matrix_kernels(), operands, has_bias)) {
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace cairn::kernels
