// SPDX-License-Identifier: Apache-2.0
// Every version of the arithmetic on codes against the scalar one, and that against its meaning.
#include "kernels/codes/codes.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <random>

namespace cairn::kernels::codes_test {
namespace {

constexpr unsigned seed = 20240611;

std::vector<float> some_floats(std::mt19937& random, std::size_t count) {
  std::normal_distribution<float> normal;
  std::vector<float> out(count);
  for (float& v : out) v = normal(random);
  return out;
}

template <class Number>
std::vector<Number> some_bytes(std::mt19937& random, std::size_t count, int least, int greatest) {
  std::vector<Number> out(count);
  for (Number& v : out)
    v = static_cast<Number>(
        least + static_cast<int>(random() % static_cast<unsigned>(greatest - least + 1)));
  return out;
}

TEST_CASE("code kernels: every version gives the bits of the scalar one") {
  CAPTURE(seed);
  std::mt19937 random(seed);
  const CodeKernels& scalar = *usable_code_kernels().front();
  CHECK(scalar.name == "scalar");
  for (const CodeKernels* version : usable_code_kernels()) {
    CAPTURE(version->name);
    for (const std::size_t dims : {64, 128, 192, 320, 384, 768, 1024, 1088, 4096}) {
      CAPTURE(dims);
      const int most = static_cast<int>(std::min<std::size_t>(255, 65535 / (dims / 4)));
      // One in front, so that nothing lies at an even address.
      auto table = some_bytes<std::uint8_t>(random, dims * 4 + 1, 0, most);
      const auto block = some_bytes<std::uint8_t>(random, dims * 4 + 1, 0, 255);
      const auto add = some_floats(random, 32);
      const auto factor = some_floats(random, 32);
      const SignQuery query{.table = table.data() + 1,
                            .groups = dims / 4,
                            .base = 1.25f,
                            .scale = 0.01f,
                            .offset = -0.7f};
      float expected[32], got[32];
      const float limit = 3;
      const auto below =
          scalar.sign_block(query, block.data() + 1, add.data(), factor.data(), limit, expected);
      CHECK(version->sign_block(query, block.data() + 1, add.data(), factor.data(), limit, got) ==
            below);
      for (int i = 0; i < 32; ++i)
        CHECK(std::bit_cast<std::uint32_t>(got[i]) == std::bit_cast<std::uint32_t>(expected[i]));
      const auto codes = some_bytes<std::uint8_t>(random, dims / 2 + 1, 0, 255);
      const auto numbers = some_bytes<std::int8_t>(random, dims + 1, -127, 127);
      CHECK(version->dot_nibbles(codes.data() + 1, numbers.data() + 1, dims) ==
            scalar.dot_nibbles(codes.data() + 1, numbers.data() + 1, dims));
      CHECK(version->dot_signs(codes.data() + 1, numbers.data() + 1, dims) ==
            scalar.dot_signs(codes.data() + 1, numbers.data() + 1, dims));
      auto mine = some_floats(random, dims + 1);
      auto theirs = mine;
      std::vector<std::uint64_t> bits(dims / 64);
      for (auto& word : bits) word = random() | std::uint64_t{random()} << 32;
      const std::size_t power = std::bit_floor(dims);
      version->flip_signs(mine.data() + 1, bits.data(), dims);
      scalar.flip_signs(theirs.data() + 1, bits.data(), dims);
      CHECK(mine == theirs);
      version->hadamard(mine.data() + 1, power);
      scalar.hadamard(theirs.data() + 1, power);
      CHECK(mine == theirs);
    }
  }
}

TEST_CASE("code kernels: the largest sums fit") {
  for (const CodeKernels* version : usable_code_kernels()) {
    CAPTURE(version->name);
    const std::size_t dims = 4096;
    const std::vector<std::uint8_t> table(dims * 4, 65535 / (4096 / 4));
    const std::vector<std::uint8_t> block(dims * 4, 255);
    const std::vector<float> zero(32, 0.0f), one(32, 1.0f);
    float values[32];
    version->sign_block({.table = table.data(), .groups = dims / 4, .base = 0, .scale = 1},
                        block.data(), zero.data(), one.data(), 0, values);
    for (const float v : values) CHECK(v == 63.0f * 1024);
    const std::vector<std::uint8_t> codes(dims / 2, 255);
    for (const int number : {127, -127}) {
      const std::vector<std::int8_t> numbers(dims, static_cast<std::int8_t>(number));
      CHECK(version->dot_nibbles(codes.data(), numbers.data(), dims) == number * 15 * 4096);
      CHECK(version->dot_signs(codes.data(), numbers.data(), dims) == number * 4096);
    }
  }
}

TEST_CASE("code kernels: the transform keeps lengths and is its own inverse") {
  std::mt19937 random(seed);
  const auto before = some_floats(random, 256);
  auto after = before;
  code_kernels().hadamard(after.data(), 256);
  double a = 0, b = 0;
  for (int i = 0; i < 256; ++i) {
    a += static_cast<double>(before[i]) * static_cast<double>(before[i]);
    b += static_cast<double>(after[i]) * static_cast<double>(after[i]);
  }
  CHECK(b == doctest::Approx(a * 256).epsilon(1e-5));
  code_kernels().hadamard(after.data(), 256);
  for (int i = 0; i < 256; ++i)
    CHECK(static_cast<double>(after[i] / 256) ==
          doctest::Approx(static_cast<double>(before[i])).epsilon(1e-4));
}

}  // namespace
}  // namespace cairn::kernels::codes_test
