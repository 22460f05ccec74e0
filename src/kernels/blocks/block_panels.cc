// SPDX-License-Identifier: Apache-2.0
// Groups of columns into panels, once when a model is loaded.
#include <cstring>

#include "kernels/blocks/block_product.h"

namespace cairn::kernels {
std::size_t block_panels_bytes(BlockType type, std::size_t depth, std::size_t columns) {
  const BlockLayout layout = layout_of(type);
  const std::size_t panels = (columns + block_columns - 1) / block_columns;
  return panels * (depth / layout.depth()) * layout.bytes();
}

void pack_group(BlockType type, std::size_t depth, const BlockGroup& from, std::size_t column,
                std::size_t group, std::byte* panels) {
  const BlockLayout layout = layout_of(type);
  const std::size_t groups = depth / layout.depth();
  const std::size_t in_panel = column % block_columns;
  std::byte* at = panels + (column / block_columns * groups + group) * layout.bytes();
  std::memcpy(at + in_panel * 2, &from.scale, 2);
  if (layout.offsets) std::memcpy(at + (block_columns + in_panel) * 2, &from.offset, 2);
  at += layout.header_bytes();
  for (std::size_t part = 0; part < layout.parts; ++part, at += layout.part_bytes()) {
    if (layout.offsets) {
      at[in_panel] = static_cast<std::byte>(from.scales[part]);
      at[block_columns + in_panel] = static_cast<std::byte>(from.offsets[part]);
    } else if (layout.small_scales) {
      at[in_panel] = static_cast<std::byte>(from.scales[2 * part]);
      at[block_columns + in_panel] = static_cast<std::byte>(from.scales[2 * part + 1]);
    }
    for (std::size_t i = 0; i < block_part; ++i) {
      const std::size_t step = i / step_bytes;
      const std::size_t place = layout.halves ? step / 2 : step;
      std::byte& to = at[layout.small_bytes() + (place * block_columns + in_panel) * step_bytes +
                         i % step_bytes];
      const auto number = static_cast<std::byte>(from.numbers[part * block_part + i]);
      if (!layout.halves) {
        to = number;
      } else if (step % 2 == 0) {
        to = (to & std::byte{0xf0}) | number;
      } else {
        to = (to & std::byte{0x0f}) | number << 4;
      }
    }
  }
}

void sum_blocks(const std::uint8_t* row, std::size_t depth, std::int32_t* to) {
  for (std::size_t block = 0; block < depth / 32; ++block) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < 32; ++i) sum += row[block * 32 + i];
    to[block] = sum;
  }
}

}  // namespace cairn::kernels
