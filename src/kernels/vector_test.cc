// SPDX-License-Identifier: Apache-2.0
// Every version of the vector arithmetic against the scalar one and against sums in double.
#include "kernels/vector.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace cairn::kernels {
namespace {

constexpr unsigned seed = 20240611;

std::vector<float> random_floats(std::mt19937& generator, std::size_t count) {
  std::vector<float> out(count);
  for (auto& value : out) {
    const auto bits = static_cast<std::int32_t>(generator() & 0xffffffU);
    const auto exponent = static_cast<int>(generator() % 12) - 6;
    value = std::ldexp(static_cast<float>(bits - 0x800000), exponent - 23);
  }
  return out;
}

std::vector<std::int8_t> random_bytes(std::mt19937& generator, std::size_t count) {
  std::vector<std::int8_t> out(count);
  for (auto& value : out) value = static_cast<std::int8_t>(generator() & 0xffU);
  return out;
}

const std::vector<std::size_t>& counts() {
  static const std::vector<std::size_t> all = [] {
    std::vector<std::size_t> out;
    for (std::size_t count = 0; count <= 200; ++count) out.push_back(count);
    for (const std::size_t count : {255, 256, 257, 384, 768, 1000, 1024, 4096}) {
      out.push_back(count);
    }
    return out;
  }();
  return all;
}

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

TEST_CASE("vector kernels: every version gives the bits of the scalar one") {
  CAPTURE(seed);
  std::mt19937 generator(seed);
  const VectorKernels& scalar = *usable_vector_kernels().front();
  CHECK(scalar.name == "scalar");
  for (const VectorKernels* version : usable_vector_kernels()) {
    CAPTURE(version->name);
    for (const std::size_t count : counts()) {
      CAPTURE(count);
      // One element in front, so that the arrays lie at odd addresses too.
      const auto a = random_floats(generator, count + 1);
      const auto b = random_floats(generator, count + 1);
      REQUIRE(same_bits(version->dot_f32(a.data() + 1, b.data() + 1, count),
                        scalar.dot_f32(a.data() + 1, b.data() + 1, count)));
      REQUIRE(same_bits(version->l2_f32(a.data() + 1, b.data() + 1, count),
                        scalar.l2_f32(a.data() + 1, b.data() + 1, count)));
      const auto c = random_bytes(generator, count + 1);
      const auto d = random_bytes(generator, count + 1);
      REQUIRE(version->dot_i8(c.data() + 1, d.data() + 1, count) ==
              scalar.dot_i8(c.data() + 1, d.data() + 1, count));
      REQUIRE(version->l2_i8(c.data() + 1, d.data() + 1, count) ==
              scalar.l2_i8(c.data() + 1, d.data() + 1, count));
      REQUIRE(version->differing_bits(c.data() + 1, d.data() + 1, count) ==
              scalar.differing_bits(c.data() + 1, d.data() + 1, count));
      std::vector<float> sum = a;
      std::vector<float> expected = a;
      version->add_scaled_f32(sum.data(), b.data() + 1, -1.7F, count);
      scalar.add_scaled_f32(expected.data(), b.data() + 1, -1.7F, count);
      version->add_scaled_i8(sum.data(), c.data() + 1, 0.37F, count);
      scalar.add_scaled_i8(expected.data(), c.data() + 1, 0.37F, count);
      REQUIRE(sum == expected);
    }
  }
}

TEST_CASE("vector kernels: the sums are those of exact arithmetic within rounding") {
  CAPTURE(seed);
  std::mt19937 generator(seed + 1);
  for (const VectorKernels* version : usable_vector_kernels()) {
    CAPTURE(version->name);
    for (const std::size_t count : counts()) {
      const auto a = random_floats(generator, count);
      const auto b = random_floats(generator, count);
      double dot = 0;
      double distance = 0;
      double size = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const double x = a[i];
        const double y = b[i];
        dot += x * y;
        size += std::abs(x * y);
        distance += (x - y) * (x - y);
      }
      CHECK(std::abs(version->dot_f32(a.data(), b.data(), count) - dot) <= 1e-5 * size + 1e-30);
      CHECK(std::abs(version->l2_f32(a.data(), b.data(), count) - distance) <=
            1e-5 * distance + 1e-30);
    }
  }
}

TEST_CASE("vector kernels: int8 sums are exact at the extremes of the type") {
  for (const VectorKernels* version : usable_vector_kernels()) {
    CAPTURE(version->name);
    const std::vector<std::int8_t> low(33000, -128);
    const std::vector<std::int8_t> high(33000, 127);
    CHECK(version->dot_i8(low.data(), low.data(), 33000) == 33000 * 16384);
    CHECK(version->dot_i8(low.data(), high.data(), 33000) == -33000 * 16256);
    CHECK(version->l2_i8(low.data(), high.data(), 33000) == 33000 * 65025);
  }
}

TEST_CASE("vector kernels: the free functions use the widest usable version") {
  CHECK(&vector_kernels() == usable_vector_kernels().back());
  const float a[3] = {1, 2, 3};
  const float b[3] = {4, -5, 6};
  CHECK(dot_f32(a, b, 3) == 12.0F);
  CHECK(l2_f32(a, b, 3) == 67.0F);
  const std::int8_t c[3] = {1, 2, 3};
  const std::int8_t d[3] = {4, -5, 6};
  CHECK(dot_i8(c, d, 3) == 12);
  CHECK(l2_i8(c, d, 3) == 67);
  CHECK(differing_bits("\x0f\xff", "\xf0\xfe", 2) == 9);
  float sum[3] = {1, 1, 1};
  add_scaled_i8(sum, c, 2.0F, 3);
  CHECK(sum[2] == 7.0F);
  add_scaled_f32(sum, b, 0.5F, 3);
  CHECK(sum[2] == 10.0F);
}

}  // namespace
}  // namespace cairn::kernels
