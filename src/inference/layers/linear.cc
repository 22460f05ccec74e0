// SPDX-License-Identifier: Apache-2.0
// Packing weights, rounding rows.
#include "inference/layers/linear.h"

#include <cstring>

#include "kernels/matrix/panels.h"

namespace cairn::inference {

using kernels::Arithmetic;

Linear::Linear(Arithmetic arithmetic, std::size_t depth, std::size_t columns)
    : arithmetic_(arithmetic),
      depth_(depth),
      columns_(columns),
      panels_(kernels::panels_bytes(arithmetic, depth, columns)),
      bias_(whole_columns(columns)) {
  if (arithmetic != Arithmetic::int8) return;
  scale_ = kernels::Buffer<float>(whole_columns(columns));
  sum_ = kernels::Buffer<std::int32_t>(whole_columns(columns));
}

void Linear::set_column(std::size_t column, const float* weights, float bias) {
  bias_[column] = bias;
  if (arithmetic_ == Arithmetic::int8) {
    scale_[column] =
        kernels::pack_column_int8(weights, depth_, 1, column, panels_.data(), sum_[column]);
  } else {
    kernels::pack_column(arithmetic_, weights, depth_, 1, column, panels_.data());
  }
}

bool Linear::is_whole() const {
  const std::size_t scales = arithmetic_ == Arithmetic::int8 ? bias_.size() : 0;
  if (columns_ == 0) return depth_ == 0 && panels_.empty() && bias_.empty();
  return panels_.size() == kernels::panels_bytes(arithmetic_, depth_, columns_) &&
         bias_.size() == whole_columns(columns_) && scale_.size() == scales && sum_.size() == scales;
}

kernels::Product Linear::product() const {
  kernels::Product out;
  out.panels = panels_.data();
  out.steps = kernels::panel_steps(arithmetic_, depth_);
  out.columns = columns_;
  out.scales.column = scale_.data();
  out.scales.column_sum = sum_.data();
  out.finish.bias = bias_.data();
  return out;
}

void ReadyRows::make(const Kernels& with, Arithmetic arithmetic, const float* from,
                     std::size_t stride, std::size_t count, std::size_t depth) {
  const std::size_t row_bytes = kernels::panel_steps(arithmetic, depth) * kernels::step_bytes;
  if (arithmetic == Arithmetic::float32 && row_bytes == depth * sizeof(float)) {
    rows_ = reinterpret_cast<const std::byte*>(from);
    stride_ = stride * sizeof(float);
    return;
  }
  // Rows begin a cache line later than a power of two, lest they share the lines of the cache.
  stride_ = row_bytes + 64;
  bytes_.grow(stride_ * count);
  rows_ = bytes_.data();
  if (arithmetic == Arithmetic::int8) {
    scale_.grow(count);
    zero_.grow(count);
  }
  const std::size_t used = depth * kernels::step_bytes / kernels::step_depth(arithmetic);
  for (std::size_t row = 0; row < count; ++row) {
    const float* const in = from + row * stride;
    std::byte* const out = bytes_.data() + row * stride_;
    switch (arithmetic) {
      case Arithmetic::float32: std::memcpy(out, in, used); break;
      case Arithmetic::bfloat16:
        with.rows->narrow(in, depth, reinterpret_cast<kernels::Bf16*>(out));
        break;
      case Arithmetic::int8:
        scale_[row] = with.rows->quantise(in, depth, with.matrix->int8_levels,
                                          reinterpret_cast<std::uint8_t*>(out), zero_[row]);
        break;
    }
    std::memset(out + used, 0, row_bytes - used);
  }
}

void ReadyRows::set(kernels::Product& product, std::size_t first, std::size_t count) const {
  product.rows = rows_ + first * stride_;
  product.row_stride = stride_;
  product.row_count = count;
  if (scale_.empty()) return;
  product.scales.row = scale_.data() + first;
  product.scales.row_zero = zero_.data() + first;
}

}  // namespace cairn::inference
