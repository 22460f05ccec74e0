// SPDX-License-Identifier: Apache-2.0
// Matrices into panels, once when a model is loaded or for each head of attention.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/matrix/product.h"

namespace cairn::kernels {

/// Bytes of all panels of a matrix with this depth and this number of columns.
std::size_t panels_bytes(Arithmetic arithmetic, std::size_t depth, std::size_t columns);

/// Writes column `column` of the panels: `depth` numbers `factor * values[i]`, zeros behind them.
/// float32 and bfloat16 only.
void pack_column(Arithmetic arithmetic, const float* values, std::size_t depth, float factor,
                 std::size_t column, std::byte* panels);

/// The same for int8, symmetric: returns the scale (0 for a column of zeros) and the sum of the
/// bytes in `sum`.
float pack_column_int8(const float* values, std::size_t depth, float factor, std::size_t column,
                       std::byte* panels, std::int32_t& sum);

/// Writes columns from rows that are ready for a product: each has `steps` words of 4 bytes. Columns
/// up to the next multiple of 16 get zeros.
void pack_ready_columns(const std::byte* rows, std::size_t row_stride, std::size_t count,
                        std::size_t steps, std::byte* panels);

}  // namespace cairn::kernels
