// SPDX-License-Identifier: Apache-2.0
// Products one number after the other: the oracle of the other versions.
#include <algorithm>
#include <cstring>

#include "kernels/matrix/product_versions.h"
#include "kernels/scalar_activation.h"

namespace cairn::kernels {
namespace scalar_products {

template <class Number>
Number number_at(const void* numbers, std::size_t index) {
  Number out;
  std::memcpy(&out, static_cast<const char*>(numbers) + index * sizeof out, sizeof out);
  return out;
}

/// The column's number at `depth`, in a panel whose steps hold `per_step` of them.
template <class Number>
Number weight_at(const Product& product, std::size_t column, std::size_t depth) {
  constexpr std::size_t per_step = step_bytes / sizeof(Number);
  const std::byte* const panel = product.panels + column / panel_columns * product.panel_bytes();
  const std::size_t in_step = depth / per_step * panel_columns + column % panel_columns;
  return number_at<Number>(panel, in_step * per_step + depth % per_step);
}

const void* row_at(const Product& product, std::size_t row) {
  return static_cast<const char*>(product.rows) + row * product.row_stride;
}

void finish(const Product& product, std::size_t row, std::size_t column, double sum) {
  const Finish& to = product.finish;
  if (to.bias != nullptr) sum += static_cast<double>(to.bias[column]);
  float value = scalar_activation(static_cast<float>(sum), to.activation);
  if (to.residual != nullptr) value += to.residual[row * to.residual_stride + column];
  if (to.out != nullptr) to.out[row * to.out_stride + column] = value;
  if (to.narrow != nullptr) to.narrow[row * to.narrow_stride + column] = to_bf16(value);
  if (to.maxima != nullptr) to.maxima[column] = std::max(to.maxima[column], value);
}

/// Calls sum(row, column) for every value, and for columns up to the next multiple of 16.
template <class Sum>
void for_each_value(const Product& product, const Sum& sum) {
  const std::size_t columns = (product.columns + 15) / 16 * 16;
  for (std::size_t row = 0; row < product.row_count; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      finish(product, row, column, sum(row, column));
    }
  }
}

void float32(const Product& product) {
  for_each_value(product, [&](std::size_t row, std::size_t column) {
    double sum = 0;
    for (std::size_t i = 0; i < product.steps; ++i) {
      sum += static_cast<double>(number_at<float>(row_at(product, row), i)) *
             static_cast<double>(weight_at<float>(product, column, i));
    }
    return sum;
  });
}

void bfloat16(const Product& product) {
  for_each_value(product, [&](std::size_t row, std::size_t column) {
    double sum = 0;
    for (std::size_t i = 0; i < product.steps * 2; ++i) {
      sum += static_cast<double>(to_float(number_at<Bf16>(row_at(product, row), i))) *
             static_cast<double>(to_float(weight_at<Bf16>(product, column, i)));
    }
    return sum;
  });
}

void int8(const Product& product) {
  for_each_value(product, [&](std::size_t row, std::size_t column) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < product.steps * 4; ++i) {
      sum += std::int32_t{number_at<std::uint8_t>(row_at(product, row), i)} *
             std::int32_t{weight_at<std::int8_t>(product, column, i)};
    }
    const Scales& scales = product.scales;
    const std::int32_t whole = sum - scales.row_zero[row] * scales.column_sum[column];
    return static_cast<double>(whole) * static_cast<double>(scales.row[row]) *
           static_cast<double>(scales.column[column]);
  });
}

}  // namespace scalar_products

const MatrixKernels& scalar_matrix_kernels() {
  static const MatrixKernels table = {"scalar", scalar_products::float32,
                                      scalar_products::bfloat16, scalar_products::int8, 255};
  return table;
}

}  // namespace cairn::kernels
