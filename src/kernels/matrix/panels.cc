// SPDX-License-Identifier: Apache-2.0
// Where a number lies in its panel.
#include "kernels/matrix/panels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cairn::kernels {
namespace {

/// The 4 bytes of `column` in the first step of its panel.
std::byte* first_step(std::byte* panels, std::size_t steps, std::size_t column) {
  const std::size_t panel = column / panel_columns;
  return panels + (panel * steps * panel_columns + column % panel_columns) * step_bytes;
}

/// Stores numbers one after the other down a column, zeros after the last.
template <class Number, class Convert>
void store_column(std::byte* panels, std::size_t steps, std::size_t column, std::size_t depth,
                  const Convert& convert) {
  constexpr std::size_t per_step = step_bytes / sizeof(Number);
  std::byte* at = first_step(panels, steps, column);
  for (std::size_t step = 0; step < steps; ++step, at += panel_columns * step_bytes) {
    Number numbers[per_step] = {};
    for (std::size_t i = 0; i < per_step && step * per_step + i < depth; ++i) {
      numbers[i] = convert(step * per_step + i);
    }
    std::memcpy(at, numbers, step_bytes);
  }
}

}  // namespace

std::size_t panels_bytes(Arithmetic arithmetic, std::size_t depth, std::size_t columns) {
  const std::size_t panels = (columns + panel_columns - 1) / panel_columns;
  return panels * panel_steps(arithmetic, depth) * panel_columns * step_bytes;
}

void pack_column(Arithmetic arithmetic, const float* values, std::size_t depth, float factor,
                 std::size_t column, std::byte* panels) {
  const std::size_t steps = panel_steps(arithmetic, depth);
  if (arithmetic == Arithmetic::float32) {
    store_column<float>(panels, steps, column, depth,
                        [&](std::size_t i) { return factor * values[i]; });
  } else {
    store_column<Bf16>(panels, steps, column, depth,
                       [&](std::size_t i) { return to_bf16(factor * values[i]); });
  }
}

float pack_column_int8(const float* values, std::size_t depth, float factor, std::size_t column,
                       std::byte* panels, std::int32_t& sum) {
  float greatest = 0;
  for (std::size_t i = 0; i < depth; ++i) greatest = std::max(greatest, std::fabs(values[i]));
  const float scale = greatest / 127.0F;
  const float inverse = scale > 0 ? 1.0F / scale : 0.0F;
  sum = 0;
  store_column<std::int8_t>(panels, panel_steps(Arithmetic::int8, depth), column, depth,
                            [&](std::size_t i) {
                              const float rounded = std::nearbyint(values[i] * inverse);
                              const float kept = std::clamp(rounded, -127.0F, 127.0F);
                              const auto byte = static_cast<std::int8_t>(kept);
                              sum += byte;
                              return byte;
                            });
  return scale * factor;
}

void pack_ready_columns(const std::byte* rows, std::size_t row_stride, std::size_t count,
                        std::size_t steps, std::byte* panels) {
  constexpr std::size_t group = 16;  // columns that are stored at once
  for (std::size_t column = 0; column < count; column += group) {
    const std::size_t present = std::min(group, count - column);
    std::byte* to = first_step(panels, steps, column);
    for (std::size_t step = 0; step < steps; ++step, to += panel_columns * step_bytes) {
      std::uint32_t words[group] = {};
      const std::byte* from = rows + column * row_stride + step * step_bytes;
      for (std::size_t c = 0; c < present; ++c, from += row_stride) {
        std::memcpy(&words[c], from, step_bytes);
      }
      std::memcpy(to, words, sizeof words);
    }
  }
}

}  // namespace cairn::kernels
