// SPDX-License-Identifier: Apache-2.0
// The scalar version against the definition of the types, and the other versions against it.
#include "kernels/blocks/block_product.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace cairn::kernels {
namespace block_product_test {

constexpr BlockType all_types[] = {BlockType::q8_0, BlockType::q4_0, BlockType::q4_k,
                                   BlockType::q6_k};
constexpr std::size_t test_rows = 15;

double value_of(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const double size = exponent == 0 ? std::ldexp(half & 1023, -24)
                                    : std::ldexp(1024 + (half & 1023), exponent - 25);
  return half >> 15 != 0 ? -size : size;
}

/// A half of ordinary size, of either sign, or now and then one below the least normal one.
std::uint16_t some_half(std::mt19937& random) {
  const auto sign = static_cast<std::uint16_t>(random() % 2 << 15);
  if (random() % 16 == 0) return static_cast<std::uint16_t>(sign | random() % 1024);
  return static_cast<std::uint16_t>(sign | (6 + random() % 6) << 10 | random() % 1024);
}

BlockGroup some_group(BlockType type, std::mt19937& random) {
  const BlockLayout layout = layout_of(type);
  BlockGroup out;
  out.scale = some_half(random);
  out.offset = some_half(random);
  for (std::int8_t& scale : out.scales) {
    scale = static_cast<std::int8_t>(layout.offsets ? random() % 64 : random() % 256 - 128);
  }
  for (std::uint8_t& offset : out.offsets) offset = static_cast<std::uint8_t>(random() % 64);
  for (std::int8_t& number : out.numbers) {
    number = static_cast<std::int8_t>(layout.halves             ? random() % 16
                                      : type == BlockType::q6_k ? random() % 64 - 32
                                                                : random() % 255 - 127);
  }
  return out;
}

/// A number of a group by the definition of its type.
double weight(BlockType type, const BlockGroup& group, std::size_t i) {
  const BlockLayout layout = layout_of(type);
  const std::size_t block = i / layout.block;
  const int number = group.numbers[i] - (type == BlockType::q4_0 ? 8 : 0);
  const double scale = value_of(group.scale) * (layout.small_scales ? group.scales[block] : 1);
  return scale * number - (layout.offsets ? value_of(group.offset) * group.offsets[block] : 0);
}

/// Random weights in panels, and rows for them.
struct BlockOperands {
  BlockType type = BlockType::q8_0;
  std::size_t depth = 0, columns = 0, stored = 0;
  std::vector<std::byte> panels;
  std::vector<std::vector<double>> weights;  // by column
  std::vector<float> column_sum, row_scale;
  std::vector<std::int32_t> row_zero, row_sums;
  std::vector<std::uint8_t> rows;

  BlockProduct product(std::size_t first, std::size_t count) const {
    return {.type = type,
            .rows = rows.data() + first * (depth + 64),
            .row_stride = depth + 64,
            .row_count = count,
            .row_scale = row_scale.data() + first,
            .row_zero = row_zero.data() + first,
            .row_sums = row_sums.data() + first * (depth / 32),
            .row_sums_stride = depth / 32,
            .panels = panels.data(),
            .depth = depth,
            .columns = columns,
            .column_sum = column_sum.data()};
  }
};

BlockOperands block_operands(BlockType type, std::size_t depth, std::size_t columns,
                             std::mt19937& random, std::uint32_t levels = 127) {
  BlockOperands out;
  out.type = type;
  out.depth = depth;
  out.columns = columns;
  out.stored = (columns + 15) / 16 * 16;
  out.panels.resize(block_panels_bytes(type, depth, columns));
  out.column_sum.resize(out.stored);
  const std::size_t group_depth = layout_of(type).depth();
  for (std::size_t column = 0; column < columns; ++column) {
    std::vector<double> weights;
    for (std::size_t at = 0; at < depth / group_depth; ++at) {
      const BlockGroup group = some_group(type, random);
      pack_group(type, depth, group, column, at, out.panels.data());
      for (std::size_t i = 0; i < group_depth; ++i) weights.push_back(weight(type, group, i));
    }
    double sum = 0;
    for (const double one : weights) sum += one;
    out.column_sum[column] = static_cast<float>(sum);
    out.weights.push_back(std::move(weights));
  }
  out.rows.resize(test_rows * (depth + 64));
  out.row_sums.resize(test_rows * (depth / 32));
  for (std::size_t row = 0; row < test_rows; ++row) {
    std::uint8_t* const numbers = out.rows.data() + row * (depth + 64);
    for (std::size_t i = 0; i < depth; ++i) {  // the greatest stands in every row's end
      numbers[i] = static_cast<std::uint8_t>(i + 32 < depth ? random() % (levels + 1) : levels);
    }
    sum_blocks(numbers, depth, out.row_sums.data() + row * (depth / 32));
    out.row_zero.push_back(static_cast<std::int32_t>(random() % 65));
    out.row_scale.push_back(static_cast<float>(random() % 100 + 1) * 0.001F);
  }
  return out;
}

std::vector<float> values_of(const BlockKernels& kernels, const BlockOperands& from,
                             std::size_t first, std::size_t count) {
  std::vector<float> out(count * from.stored, -7);
  BlockProduct product = from.product(first, count);
  product.out = out.data();
  product.out_stride = from.stored;
  kernels.multiply(product);
  return out;
}

/// The greatest that the sums of a row may reach: what rounding errors are measured by.
double size_of(const BlockOperands& from, std::size_t row, std::size_t column) {
  double size = 0;
  for (const double one : from.weights[column]) size += std::fabs(one) * 256;
  return size * static_cast<double>(from.row_scale[row]);
}

}  // namespace block_product_test

TEST_CASE("block products: the scalar version is the types' definition") {
  using namespace block_product_test;
  std::mt19937 random(3);
  for (const BlockType type : all_types) {
    const BlockOperands from = block_operands(type, 512, 70, random);
    const std::vector<float> values = values_of(*usable_block_kernels().front(), from, 0, 3);
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < from.columns; ++column) {
        double sum = 0;
        for (std::size_t i = 0; i < from.depth; ++i) {
          sum += from.weights[column][i] * from.rows[row * (from.depth + 64) + i];
        }
        sum -= static_cast<double>(from.column_sum[column]) * from.row_zero[row];
        const double wanted = sum * static_cast<double>(from.row_scale[row]);
        REQUIRE(std::fabs(static_cast<double>(values[row * from.stored + column]) - wanted) <=
                1e-6 * size_of(from, row, column));
      }
    }
  }
}

TEST_CASE("block products: every version gives the scalar one's values, for all sizes") {
  using namespace block_product_test;
  std::mt19937 random(4);
  for (const BlockKernels* const kernels : usable_block_kernels()) {
    CAPTURE(std::string(kernels->name));
    const auto levels = static_cast<std::uint32_t>(kernels->levels);
    for (const BlockType type : all_types) {
      for (const std::size_t columns : {1, 16, 17, 47, 64, 65, 130}) {
        const BlockOperands from = block_operands(type, 768, columns, random, levels);
        for (const std::size_t rows : {1, 2, 3, 4, 5, 6, 7, 12, 15}) {
          const std::vector<float> right =
              values_of(*usable_block_kernels().front(), from, 0, rows);
          const std::vector<float> values = values_of(*kernels, from, 0, rows);
          for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
              const std::size_t at = row * from.stored + column;
              REQUIRE(std::fabs(static_cast<double>(values[at] - right[at])) <=
                      1e-6 * size_of(from, row, column));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("block products: a row's values do not depend on the rows beside it, bit for bit") {
  using namespace block_product_test;
  std::mt19937 random(5);
  for (const BlockKernels* const kernels : usable_block_kernels()) {
    CAPTURE(std::string(kernels->name));
    for (const BlockType type : all_types) {
      const BlockOperands from = block_operands(type, 256, 100, random);
      const std::vector<float> together = values_of(*kernels, from, 0, test_rows);
      for (std::size_t row = 0; row < test_rows; ++row) {
        const std::vector<float> alone = values_of(*kernels, from, row, 1);
        REQUIRE(std::equal(alone.begin(), alone.begin() + 100,
                           together.begin() + static_cast<std::ptrdiff_t>(row * from.stored)));
      }
    }
  }
}

}  // namespace cairn::kernels
