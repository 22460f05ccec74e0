// SPDX-License-Identifier: Apache-2.0
// Blocks by the definitions of their formats.
#include "inference/gguf/blocks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "inference/model/half.h"

namespace cairn::inference::blocks_test {

std::vector<float> numbers(NumberType type, const std::vector<int>& bytes) {
  std::string text;
  for (const int byte : bytes) text += static_cast<char>(byte);
  const NumberLayout layout = layout_of(type);
  REQUIRE(text.size() % layout.bytes == 0);
  std::vector<float> out(text.size() / layout.bytes * layout.numbers);
  read_blocks(type, text.data(), out.size(), out.data());
  return out;
}

std::vector<int> joined(std::vector<int> first, const std::vector<int>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const std::vector<int> half = {0x00, 0x38};  // 0.5
const std::vector<int> two = {0x00, 0x40};   // 2

TEST_CASE("blocks: Q8_0 is a scale and bytes") {
  std::vector<int> bytes(32);
  bytes[0] = 1, bytes[1] = 0xff, bytes[2] = 0x80, bytes[31] = 127;
  const std::vector<float> out = numbers(NumberType::q8_0, joined(half, bytes));
  CHECK(out[0] == 0.5F);
  CHECK(out[1] == -0.5F);
  CHECK(out[2] == -64.0F);
  CHECK(out[3] == 0.0F);
  CHECK(out[31] == 63.5F);
}

TEST_CASE("blocks: Q4_0 has two numbers a byte, those of the lower halves first") {
  std::vector<int> bytes(16, 0x88);
  bytes[0] = 0xf0, bytes[15] = 0x19;
  const std::vector<float> out = numbers(NumberType::q4_0, joined(two, bytes));
  CHECK(out[0] == -16.0F);
  CHECK(out[16] == 14.0F);
  CHECK(out[15] == 2.0F);
  CHECK(out[31] == -14.0F);
  CHECK(out[1] == 0.0F);
}

TEST_CASE("blocks: a second block follows the first") {
  std::vector<int> first = joined(half, std::vector<int>(32, 1));
  const std::vector<int> second = joined(two, std::vector<int>(32, 3));
  const std::vector<float> out = numbers(NumberType::q8_0, joined(first, second));
  CHECK(out[31] == 0.5F);
  CHECK(out[32] == 6.0F);
}

TEST_CASE("blocks: Q4_K has scales and offsets of six bits for eight parts") {
  // Scales 1, 2, 3, 4, 17, 34, 51, 63 and offsets 5, 6, 7, 8, 9, 26, 43, 60.
  const std::vector<int> scales = {1, 2, 3, 4, 17, 34, 51, 63},
                         offsets = {5, 6, 7, 8, 9, 26, 43, 60};
  std::vector<int> packed(12);
  for (std::size_t i = 0; i < 4; ++i) {
    packed[i] = scales[i] | (scales[i + 4] >> 4) << 6;
    packed[i + 4] = offsets[i] | (offsets[i + 4] >> 4) << 6;
    packed[i + 8] = (scales[i + 4] & 15) | (offsets[i + 4] & 15) << 4;
  }
  std::vector<int> quarters(128);
  for (std::size_t i = 0; i < quarters.size(); ++i) quarters[i] = static_cast<int>(i * 37 % 256);
  const std::vector<float> out =
      numbers(NumberType::q4_k, joined(joined(joined(half, two), packed), quarters));
  for (std::size_t i = 0; i < 256; ++i) {
    const std::size_t part = i / 32;
    const int byte = quarters[part / 2 * 32 + i % 32];
    const int number = part % 2 == 0 ? byte % 16 : byte / 16;
    CHECK(out[i] == 0.5F * static_cast<float>(scales[part] * number) -
                        2.0F * static_cast<float>(offsets[part]));
  }
}

TEST_CASE("blocks: Q6_K has four and two bits of a number apart, and sixteen signed scales") {
  std::vector<int> wanted(256), low(128), high(64), scales(16);
  for (std::size_t i = 0; i < 256; ++i) wanted[i] = static_cast<int>(i * 29 % 64);
  for (std::size_t i = 0; i < 16; ++i) scales[i] = static_cast<int>(i) - 8;
  // Within each half: numbers l, l + 32, l + 64 and l + 96 share the byte l of the upper bits.
  for (std::size_t half_at = 0; half_at < 2; ++half_at) {
    for (std::size_t l = 0; l < 32; ++l) {
      const int* const from = wanted.data() + half_at * 128 + l;
      low[half_at * 64 + l] = (from[0] & 15) | (from[64] & 15) << 4;
      low[half_at * 64 + 32 + l] = (from[32] & 15) | (from[96] & 15) << 4;
      high[half_at * 32 + l] =
          from[0] >> 4 | (from[32] >> 4) << 2 | (from[64] >> 4) << 4 | (from[96] >> 4) << 6;
    }
  }
  const std::vector<float> out =
      numbers(NumberType::q6_k, joined(joined(joined(low, high), scales), half));
  for (std::size_t i = 0; i < 256; ++i)
    CHECK(out[i] == 0.5F * static_cast<float>(scales[i / 16] * (wanted[i] - 32)));
}

TEST_CASE("blocks: floats become the half next to them, the even one of two") {
  for (std::uint32_t half = 0; half < 0x7c00; ++half) {  // all finite ones are their own
    const float value = float_of_half(static_cast<std::uint16_t>(half));
    REQUIRE(half_of_float(value) == half);
    REQUIRE(half_of_float(-value) == (half | 0x8000));
    if (half + 1 == 0x7c00) break;
    const float middle = (value + float_of_half(static_cast<std::uint16_t>(half + 1))) / 2;
    REQUIRE(half_of_float(middle) == half + half % 2);
    REQUIRE(half_of_float(std::nextafter(middle, 0.0F)) == half);
    REQUIRE(half_of_float(std::nextafter(middle, 1e9F)) == half + 1);
  }
  CHECK(half_of_float(1e9F) == 0x7bff);
}

TEST_CASE("blocks: rounding to four bits keeps the greatest, and the others within half a step") {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    float numbers[32], rounded[32];
    for (float& number : numbers) number = static_cast<float>(random() % 2001) * 0.01F - 10;
    kernels::BlockGroup group;
    round_to_q4_0(numbers, group);
    write_floats(kernels::BlockType::q4_0, group, rounded);
    float most = 0;
    for (const float number : numbers) most = std::max(most, std::fabs(number));
    for (std::size_t i = 0; i < 32; ++i) {
      // The other end of the greatest has no number of its own: seven steps are the most there.
      REQUIRE(std::fabs(rounded[i] - numbers[i]) <= most / 8 * 1.01F);
      if (std::fabs(numbers[i]) < most * 7 / 8) {
        REQUIRE(std::fabs(rounded[i] - numbers[i]) <= most / 16 * 1.01F);
      }
    }
  }
  const float nothing[32] = {};
  kernels::BlockGroup group;
  round_to_q4_0(nothing, group);
  float zeros[32];
  write_floats(kernels::BlockType::q4_0, group, zeros);
  for (const float zero : zeros) CHECK(zero == 0);
}

}  // namespace cairn::inference::blocks_test
