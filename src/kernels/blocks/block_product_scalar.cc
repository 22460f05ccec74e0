// SPDX-License-Identifier: Apache-2.0
// Products by blocks one number after the other: the oracle of the other versions.
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/blocks/block_product_versions.h"

namespace cairn::kernels {
namespace scalar_blocks {

double half_at(const std::byte* at) {
  std::uint16_t half;
  std::memcpy(&half, at, sizeof half);
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

/// The weight at `depth` of a column.
double weight_at(const BlockProduct& product, std::size_t column, std::size_t depth) {
  const BlockLayout layout = layout_of(product.type);
  const std::size_t groups = product.depth / layout.depth();
  const std::size_t group = column / block_columns * groups + depth / layout.depth();
  const std::size_t in_panel = column % block_columns, i = depth % block_part;
  const std::byte* const header = product.panels + group * layout.bytes();
  const std::byte* const part =
      header + layout.header_bytes() + depth % layout.depth() / block_part * layout.part_bytes();
  const std::size_t step = i / step_bytes, place = layout.halves ? step / 2 : step;
  const std::byte byte =
      part[layout.small_bytes() + (place * block_columns + in_panel) * step_bytes + i % step_bytes];
  int number = static_cast<std::int8_t>(byte);
  if (layout.halves) number = static_cast<int>(step % 2 == 0 ? byte & std::byte{15} : byte >> 4);
  if (layout.centred) number -= 8;
  double scale = half_at(header + in_panel * 2);
  if (layout.small_scales) {
    scale *= static_cast<std::int8_t>(part[i / layout.block * block_columns + in_panel]);
  }
  if (!layout.offsets) return scale * number;
  const int offset = static_cast<int>(part[block_columns + in_panel]);
  return scale * number - half_at(header + (block_columns + in_panel) * 2) * offset;
}

void multiply(const BlockProduct& product) {
  const std::size_t columns = (product.columns + 15) / 16 * 16;
  std::vector<double> weights(product.depth);
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::size_t i = 0; i < product.depth; ++i) weights[i] = weight_at(product, column, i);
    for (std::size_t row = 0; row < product.row_count; ++row) {
      const std::uint8_t* const numbers = product.rows + row * product.row_stride;
      double sum = 0;
      for (std::size_t i = 0; i < product.depth; ++i) sum += numbers[i] * weights[i];
      sum -= product.row_zero[row] * static_cast<double>(product.column_sum[column]);
      product.out[row * product.out_stride + column] =
          static_cast<float>(sum * static_cast<double>(product.row_scale[row]));
    }
  }
}

}  // namespace scalar_blocks

const BlockKernels& scalar_block_kernels() {
  static const BlockKernels table = {"scalar", scalar_blocks::multiply, 255};
  return table;
}

}  // namespace cairn::kernels
