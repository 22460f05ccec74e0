// SPDX-License-Identifier: Apache-2.0
// Products in whole or by pairs of bytes.
#include "inference/decoder/projection.h"

#include <algorithm>
#include <cstring>

namespace cairn::inference {
namespace {

/// Sums of pairs that are computed before they are put together: they stay in the cache.
constexpr std::size_t most_sums = 64 * 1024;

}  // namespace

void Projection::run(const Linear& linear, const FloatRows& rows, float* to, std::size_t to_stride,
                     bool adds) {
  if (linear.arithmetic() == kernels::Arithmetic::int8) {
    return run_pairs(linear, rows, to, to_stride, adds);
  }
  ready_.make(with_, linear.arithmetic(), rows.numbers, rows.stride, rows.count, linear.depth());
  kernels::Product product = linear.product();
  ready_.set(product, 0, rows.count);
  product.finish.out = to;
  product.finish.out_stride = to_stride;
  if (adds) {
    product.finish.residual = to;
    product.finish.residual_stride = to_stride;
  }
  kernels::multiply(*with_.matrix, linear.arithmetic(), product);
}

void Projection::make_pairs(const Linear& linear, const FloatRows& rows) {
  const std::size_t depth = linear.depth();
  const std::size_t row_bytes =
      kernels::panel_steps(kernels::Arithmetic::int8, depth) * kernels::step_bytes;
  // Rows begin a cache line later than a power of two, lest they share the lines of the cache.
  bytes_stride_ = row_bytes + 64;
  bytes_.grow(2 * rows.count * bytes_stride_);
  scales_.grow(2 * rows.count);
  zeros_.grow(2 * rows.count);
  const std::int32_t levels = with_.matrix->int8_levels;
  for (std::size_t row = 0; row < rows.count; ++row) {
    std::uint8_t* const high = bytes_.data() + 2 * row * bytes_stride_;
    std::uint8_t* const low = high + bytes_stride_;
    const float scale =
        with_.rows->quantise_pairs(rows.numbers + row * rows.stride, depth, levels, high, low);
    std::memset(high + depth, 0, row_bytes - depth);
    std::memset(low + depth, 0, row_bytes - depth);
    scales_[2 * row] = scale * static_cast<float>(levels + 1);
    zeros_[2 * row] = (levels + 1) / 2;
    scales_[2 * row + 1] = scale;
    zeros_[2 * row + 1] = 0;
  }
}

void Projection::run_pairs(const Linear& linear, const FloatRows& rows, float* to,
                           std::size_t to_stride, bool adds) {
  make_pairs(linear, rows);
  const kernels::Product whole = linear.product();
  const std::size_t most_columns = std::max<std::size_t>(
      kernels::panel_columns,
      most_sums / (2 * rows.count) / kernels::panel_columns * kernels::panel_columns);
  for (std::size_t first = 0; first < linear.columns(); first += most_columns) {
    const std::size_t columns = std::min(most_columns, linear.columns() - first);
    const std::size_t stride = whole_columns(columns);
    sums_.grow(2 * rows.count * stride);
    kernels::Product product = whole;
    product.panels += first / kernels::panel_columns * whole.panel_bytes();
    product.columns = columns;
    product.rows = bytes_.data();
    product.row_stride = bytes_stride_;
    product.row_count = 2 * rows.count;
    product.scales = {.row = scales_.data(),
                      .row_zero = zeros_.data(),
                      .column = whole.scales.column + first,
                      .column_sum = whole.scales.column_sum + first};
    product.finish = {};
    product.finish.out = sums_.data();
    product.finish.out_stride = stride;
    kernels::multiply(*with_.matrix, kernels::Arithmetic::int8, product);
    for (std::size_t row = 0; row < rows.count; ++row) {
      const float* const high = sums_.data() + 2 * row * stride;
      float* const out = to + row * to_stride + first;
      if (adds) {
        with_.rows->add(high, columns, out);
      } else {
        std::memcpy(out, high, columns * sizeof(float));
      }
      with_.rows->add(high + stride, columns, out);
      with_.rows->add(whole.finish.bias + first, columns, out);
    }
  }
}

}  // namespace cairn::inference
