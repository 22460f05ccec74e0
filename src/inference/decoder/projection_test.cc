// SPDX-License-Identifier: Apache-2.0
// Products of weights in the blocks of a file, of one type or of several in one layer.
#include "inference/decoder/projection.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "inference/layers/table.h"

namespace cairn::inference {
namespace projection_test {

constexpr std::size_t depth = 512;
constexpr std::size_t row_count = 3;

/// Blocks of random bytes, but for their halves, which are small.
std::string some_blocks(NumberType type, std::size_t rows, std::mt19937& random) {
  const NumberLayout layout = layout_of(type);
  std::string out(rows * depth / layout.numbers * layout.bytes, '\0');
  for (char& byte : out) byte = static_cast<char>(random());
  for (std::size_t at = 0; at < out.size(); at += layout.bytes) {
    const std::size_t half = at + (type == NumberType::q6_k ? 208 : 0);
    out[half + 1] = 0x14;
    if (type == NumberType::q4_k) out[half + 3] = 0x14;
  }
  return out;
}

/// Tensors "a", "b" … of these types and rows.
struct BlockTensors {
  std::vector<std::string> bytes;
  Tensors tensors;
  std::vector<std::string> names;
  std::vector<LinearPart> parts;
  std::vector<std::vector<float>> rows;  // of all, as floats

  BlockTensors(const std::vector<std::pair<NumberType, std::size_t>>& of, std::mt19937& random) {
    std::vector<Tensor> made;
    names.reserve(of.size());  // parts look at them
    for (const auto& [type, count] : of) {
      names.emplace_back(1, static_cast<char>('a' + names.size()));
      bytes.push_back(some_blocks(type, count, random));
    }
    for (std::size_t i = 0; i < of.size(); ++i) {
      const auto& [type, count] = of[i];
      made.push_back({names[i] + ".weight", type, {count, depth}, bytes[i]});
      parts.push_back({names[i], 0, count, count});
      const Table table(made.back());
      for (std::size_t row = 0; row < count; ++row) {
        table.read(row, rows.emplace_back(depth).data());
      }
    }
    REQUIRE(tensors.add("t", std::move(made)).ok());
  }
};

}  // namespace projection_test

TEST_CASE("projection: blocks are multiplied as they are, several types side by side") {
  using namespace projection_test;
  std::mt19937 random(6);
  const std::vector<std::vector<std::pair<NumberType, std::size_t>>> layers = {
      {{NumberType::q8_0, 70}},
      {{NumberType::q4_0, 33}},
      {{NumberType::q4_k, 64}, {NumberType::q4_k, 5}, {NumberType::q6_k, 7}},
      {{NumberType::q6_k, 1}, {NumberType::q8_0, 100}, {NumberType::q4_0, 31}}};
  for (const auto& layer : layers) {
    BlockTensors from(layer, random);
    REQUIRE(are_blocks(from.tensors, "", from.parts));
    auto read = read_block_linear(from.tensors, "", from.parts, depth);
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().message));
    CHECK(read->columns == from.rows.size());
    const DecoderLinear linear(*std::move(read));
    std::vector<float> rows(row_count * depth);
    for (float& number : rows) number = static_cast<float>(random() % 2001) * 0.001F - 1;
    const std::size_t stride = whole_columns(from.rows.size());
    std::vector<float> out(row_count * stride, 1);
    for (const kernels::BlockKernels* const version : kernels::usable_block_kernels()) {
      CAPTURE(std::string(version->name));
      Projection projection({}, *version);
      projection.put(linear, {rows.data(), depth, row_count}, out.data(), stride);
      projection.add(linear, {rows.data(), depth, row_count}, out.data(), stride);
      for (std::size_t row = 0; row < row_count; ++row) {
        for (std::size_t column = 0; column < from.rows.size(); ++column) {
          double sum = 0, size = 0;
          for (std::size_t i = 0; i < depth; ++i) {
            const double product = static_cast<double>(rows[row * depth + i]) *
                                   static_cast<double>(from.rows[column][i]);
            sum += product;
            size += std::fabs(product);
          }
          REQUIRE(std::fabs(static_cast<double>(out[row * stride + column]) - 2 * sum) <=
                  4e-4 * size);
        }
      }
    }
  }
}

TEST_CASE("projection: blocks whose scale is no number are refused, and what has none is told") {
  using namespace projection_test;
  std::mt19937 random(7);
  BlockTensors from({{NumberType::q8_0, 4}}, random);
  CHECK_FALSE(are_blocks(from.tensors, "", {{"z", 0, 4, 4}}));
  from.bytes[0][1] = 0x7c;  // infinity
  const auto read = read_block_linear(from.tensors, "", from.parts, depth);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().kind == ErrorKind::invalid_argument);
  CHECK(read.error().message.find("a.weight") != std::string::npos);
}

}  // namespace cairn::inference
