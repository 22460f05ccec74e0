// SPDX-License-Identifier: Apache-2.0
// Products in whole or by pairs of bytes.
#include "inference/decoder/projection.h"

#include <algorithm>
#include <cstring>

namespace cairn::inference {
namespace {

/// Sums of pairs that are computed before they are put together: they stay in the cache.
constexpr std::size_t most_sums = 64 * 1024;

/// Columns that are computed at a time: whole panels.
std::size_t columns_at_a_time(std::size_t pairs) {
  return std::max<std::size_t>(
      kernels::panel_columns,
      most_sums / (2 * pairs) / kernels::panel_columns * kernels::panel_columns);
}

}  // namespace

void Projection::run(const DecoderLinear& linear, const FloatRows& rows, const Place& place) {
  if (!linear.blocks.empty()) return run_blocks(linear.blocks, rows, place);
  if (linear.plain.arithmetic() == kernels::Arithmetic::int8) {
    return run_pairs(linear.plain, rows, place);
  }
  run_plain(linear.plain, rows, place);
}

void Projection::run_plain(const Linear& linear, const FloatRows& rows, const Place& place) {
  ready_.make(with_, linear.arithmetic(), rows.numbers, rows.stride, rows.count, linear.depth());
  kernels::Product product = linear.product();
  ready_.set(product, 0, rows.count);
  product.finish.out = place.to;
  product.finish.out_stride = place.stride;
  if (place.adds) {
    product.finish.residual = place.to;
    product.finish.residual_stride = place.stride;
  }
  kernels::multiply(*with_.matrix, linear.arithmetic(), product);
}

void Projection::make_pairs(std::size_t depth, const FloatRows& rows, std::int32_t levels) {
  const std::size_t row_bytes =
      kernels::panel_steps(kernels::Arithmetic::int8, depth) * kernels::step_bytes;
  // Rows begin a cache line later than a power of two, lest they share the lines of the cache.
  bytes_stride_ = row_bytes + 64;
  bytes_.grow(2 * rows.count * bytes_stride_);
  scales_.grow(2 * rows.count);
  zeros_.grow(2 * rows.count);
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

void Projection::put_pairs(std::size_t rows, std::size_t first, std::size_t columns,
                           const float* bias, const Place& place) {
  const std::size_t stride = whole_columns(columns);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const high = sums_.data() + 2 * row * stride;
    float* const out = place.to + row * place.stride + first;
    if (place.adds) {
      with_.rows->add(high, columns, out);
    } else {
      std::memcpy(out, high, columns * sizeof(float));
    }
    with_.rows->add(high + stride, columns, out);
    with_.rows->add(bias, columns, out);
  }
}

void Projection::run_pairs(const Linear& linear, const FloatRows& rows, const Place& place) {
  make_pairs(linear.depth(), rows, with_.matrix->int8_levels);
  const kernels::Product whole = linear.product();
  const std::size_t most_columns = columns_at_a_time(rows.count);
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
    put_pairs(rows.count, first, columns, whole.finish.bias + first, place);
  }
}

void Projection::sum_rows(std::size_t depth, std::size_t rows) {
  const std::size_t blocks = depth / 32;
  row_sums_.grow(rows * blocks);
  for (std::size_t row = 0; row < rows; ++row) {
    kernels::sum_blocks(bytes_.data() + row * bytes_stride_, depth,
                        row_sums_.data() + row * blocks);
  }
}

void Projection::run_blocks(const BlockLinear& linear, const FloatRows& rows, const Place& place) {
  make_pairs(linear.depth, rows, block_kernels_.levels);
  for (const BlockColumns& columns : linear.parts) {
    if (!kernels::layout_of(columns.type).takes_sums()) continue;
    sum_rows(linear.depth, 2 * rows.count);
    break;
  }
  for (const BlockColumns& columns : linear.parts) run_columns(linear, columns, rows.count, place);
}

void Projection::run_columns(const BlockLinear& linear, const BlockColumns& columns,
                             std::size_t rows, const Place& place) {
  const std::size_t most_columns = columns_at_a_time(rows);
  for (std::size_t first = 0; first < columns.count; first += most_columns) {
    const std::size_t count = std::min(most_columns, columns.count - first);
    const std::size_t stride = whole_columns(count);
    sums_.grow(2 * rows * stride);
    kernels::BlockProduct product;
    product.type = columns.type;
    product.rows = bytes_.data();
    product.row_stride = bytes_stride_;
    product.row_count = 2 * rows;
    product.row_scale = scales_.data();
    product.row_zero = zeros_.data();
    product.row_sums = row_sums_.data();
    product.row_sums_stride = linear.depth / 32;
    product.panels =
        columns.panels.data() + kernels::block_panels_bytes(columns.type, linear.depth, first);
    product.depth = linear.depth;
    product.columns = count;
    product.column_sum = linear.sum.data() + columns.first + first;
    product.out = sums_.data();
    product.out_stride = stride;
    block_kernels_.multiply(product);
    put_pairs(rows, columns.first + first, count, linear.bias.data() + columns.first + first,
              place);
  }
}

}  // namespace cairn::inference
