// SPDX-License-Identifier: Apache-2.0
// Every version of the arithmetic on rows against the scalar one.
#include "kernels/rows/rows.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/bf16.h"

namespace cairn::kernels {
namespace rows_test {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Activation activations[] = {Activation::none, Activation::gelu, Activation::gelu_tanh,
                                      Activation::relu, Activation::silu, Activation::tanh};

std::vector<float> numbers(std::mt19937& random, std::size_t count, float spread) {
  std::normal_distribution<float> normal(0.3F, spread);
  std::vector<float> out(count);
  for (float& value : out) value = normal(random);
  return out;
}

const std::vector<std::size_t>& counts() {
  static const std::vector<std::size_t> all = {1,  2,  7,  8,  9,  15, 16,  17,
                                               31, 32, 33, 63, 64, 65, 384, 1000};
  return all;
}

void check_near(const std::vector<float>& a, const std::vector<float>& b, float allowed) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float room = allowed * std::max(1.0F, std::fabs(b[i]));
    CHECK_MESSAGE(std::fabs(a[i] - b[i]) <= room, i << ": " << a[i] << " and " << b[i]);
  }
}

/// Calls check(version, count, random) for every version and count.
template <class Check>
void for_each_count(const Check& check) {
  std::mt19937 random(3);
  for (const RowKernels* version : usable_row_kernels()) {
    CAPTURE(std::string(version->name));
    for (const std::size_t count : counts()) {
      CAPTURE(count);
      check(*version, count, random);
    }
  }
}

const RowKernels& oracle() { return *usable_row_kernels().front(); }

TEST_CASE("rows: norms") {
  for_each_count([](const RowKernels& version, std::size_t count, std::mt19937& random) {
    const auto in = numbers(random, count, 2), gain = numbers(random, count, 1),
               shift = numbers(random, count, 1);
    std::vector<float> a(count), b(count);
    version.layer_norm(in.data(), count, gain.data(), shift.data(), 1e-5F, a.data());
    oracle().layer_norm(in.data(), count, gain.data(), shift.data(), 1e-5F, b.data());
    check_near(a, b, 2e-5F);
    version.layer_norm(in.data(), count, gain.data(), nullptr, 1e-5F, a.data());
    oracle().layer_norm(in.data(), count, gain.data(), nullptr, 1e-5F, b.data());
    check_near(a, b, 2e-5F);
    version.rms_norm(in.data(), count, gain.data(), 1e-6F, a.data());
    oracle().rms_norm(in.data(), count, gain.data(), 1e-6F, b.data());
    check_near(a, b, 2e-6F);
  });
}

TEST_CASE("rows: a norm of large numbers that differ little is exact enough") {
  for (const RowKernels* version : usable_row_kernels()) {
    std::vector<float> in(384), gain(384, 1.0F), a(384), b(384);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1000.0F + static_cast<float>(i % 7) * 0.01F;
    version->layer_norm(in.data(), in.size(), gain.data(), nullptr, 1e-12F, a.data());
    oracle().layer_norm(in.data(), in.size(), gain.data(), nullptr, 1e-12F, b.data());
    check_near(a, b, 2e-2F);  // 1000 has a step of 6e-5, the deviation is 0.02
  }
}

TEST_CASE("rows: softmax") {
  for_each_count([](const RowKernels& version, std::size_t count, std::mt19937& random) {
    for (const float spread : {0.1F, 5.0F, 300.0F}) {
      auto a = numbers(random, count, spread), b = a;
      const float factor = version.softmax(a.data(), count, 0.125F);
      const float expected = oracle().softmax(b.data(), count, 0.125F);
      for (float& value : a) value *= factor;
      for (float& value : b) value *= expected;
      check_near(a, b, 3e-6F);
    }
  });
}

TEST_CASE("rows: softmax into bfloat16") {
  for_each_count([](const RowKernels& version, std::size_t count, std::mt19937& random) {
    for (const float spread : {0.1F, 5.0F, 300.0F}) {
      const auto values = numbers(random, count, spread);
      auto wide = values;
      std::vector<Bf16> narrow(count + 1, Bf16{77});
      const float factor = version.narrow_softmax(values.data(), count, 0.5F, narrow.data());
      const float expected = oracle().softmax(wide.data(), count, 0.5F);
      CHECK(factor == doctest::Approx(expected).epsilon(2e-4));
      for (std::size_t i = 0; i < count; ++i) {
        const float given = to_float(narrow[i]);
        CHECK_MESSAGE(std::fabs(given - wide[i]) <= 0.0045F * wide[i] + 1e-30F,
                      given << " and " << wide[i]);
      }
      CHECK(narrow[count].bits == 77);
    }
  });
}

TEST_CASE("rows: pairs of bfloat16") {
  for_each_count([](const RowKernels& version, std::size_t count, std::mt19937&) {
    std::vector<Bf16> a(count), b(count), pairs(2 * count + 1, Bf16{77});
    for (std::size_t i = 0; i < count; ++i) {
      a[i].bits = static_cast<std::uint16_t>(40'000 + i);
      b[i].bits = static_cast<std::uint16_t>(50'000 + i);
    }
    version.interleave(a.data(), b.data(), count, pairs.data());
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(pairs[2 * i].bits == a[i].bits);
      CHECK(pairs[2 * i + 1].bits == b[i].bits);
    }
    CHECK(pairs[2 * count].bits == 77);
  });
}

TEST_CASE("rows: activations") {
  for_each_count([](const RowKernels& version, std::size_t count, std::mt19937& random) {
    for (const Activation activation : activations) {
      CAPTURE(static_cast<int>(activation));
      auto a = numbers(random, count, 4), b = a;
      version.activate(a.data(), count, activation);
      oracle().activate(b.data(), count, activation);
      check_near(a, b, 2e-6F);
      const auto by = numbers(random, count, 1);
      a = b = numbers(random, count, 4);
      version.gate(a.data(), by.data(), count, activation);
      oracle().gate(b.data(), by.data(), count, activation);
      check_near(a, b, 5e-6F);
    }
  });
}

TEST_CASE("rows: activations at the ends") {
  for (const RowKernels* version : usable_row_kernels()) {
    CAPTURE(std::string(version->name));
    for (const Activation activation : activations) {
      CAPTURE(static_cast<int>(activation));
      std::vector<float> a = {0,  -0.0F, 1e-30F, -1e-30F, 5,    -5,    12,   -12,
                              60, -60.0, 88,     -88,     1000, -1e3F, 3e8F, -3e8F};
      std::vector<float> b = a;
      version->activate(a.data(), a.size(), activation);
      oracle().activate(b.data(), b.size(), activation);
      check_near(a, b, 2e-6F);
    }
  }
}

TEST_CASE("rows: scale, add, rotate") {
  for_each_count([](const RowKernels& version, std::size_t count, std::mt19937& random) {
    const auto in = numbers(random, count, 2);
    std::vector<float> a(count), b(count);
    version.scale(in.data(), count, 0.3F, a.data());
    oracle().scale(in.data(), count, 0.3F, b.data());
    CHECK(a == b);
    a = b = numbers(random, count, 2);
    version.add(in.data(), count, a.data());
    oracle().add(in.data(), count, b.data());
    CHECK(a == b);
    std::vector<float> cosines(count), sines(count);
    for (std::size_t i = 0; i < count; ++i) {
      cosines[i] = std::cos(static_cast<float>(i));
      sines[i] = std::sin(static_cast<float>(i));
    }
    a = b = numbers(random, 2 * count, 2);
    version.rotate(a.data(), count, cosines.data(), sines.data());
    oracle().rotate(b.data(), count, cosines.data(), sines.data());
    check_near(a, b, 1e-6F);
  });
}

TEST_CASE(
    "rows: bfloat16 is rounded to the nearest, ties to even, and keeps what is not a number") {
  for (const RowKernels* version : usable_row_kernels()) {
    CAPTURE(std::string(version->name));
    std::vector<float> in = {0, -0.0F, 1, 1.00390625F, 1.01171875F, infinity, -infinity, 3.4e38F};
    in.push_back(std::numeric_limits<float>::quiet_NaN());
    std::mt19937 random(4);
    for (int i = 0; i < 500; ++i) {
      in.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    }
    std::vector<Bf16> out(in.size());
    version->narrow(in.data(), in.size(), out.data());
    for (std::size_t i = 0; i < in.size(); ++i) CHECK(out[i].bits == to_bf16(in[i]).bits);
    CHECK(to_float(out[3]) == 1.0F);       // half-way between 1 and 1.0078125: the even one
    CHECK(to_float(out[4]) == 1.015625F);  // half-way between 1.0078125 and 1.015625
    CHECK(to_float(out[7]) == infinity);   // past the greatest
    CHECK(std::isnan(to_float(out[8])));
  }
}

TEST_CASE("rows: quantised bytes mean what they came from") {
  for_each_count([](const RowKernels& version, std::size_t count, std::mt19937& random) {
    for (const std::int32_t levels : {255, 127}) {
      for (const float spread : {0.001F, 1.0F, 1000.0F}) {
        const auto in = numbers(random, count, spread);
        std::vector<std::uint8_t> bytes(count);
        std::int32_t zero = -1;
        const float scale = version.quantise(in.data(), count, levels, bytes.data(), zero);
        CHECK(zero >= 0);
        CHECK(zero <= levels);
        for (std::size_t i = 0; i < count; ++i) {
          CHECK(bytes[i] <= levels);
          const float meant = static_cast<float>(bytes[i] - zero) * scale;
          CHECK(std::fabs(meant - in[i]) <= scale * 1.001F);
        }
      }
    }
  });
}

TEST_CASE("rows: pairs of bytes mean what they came from, more finely") {
  for_each_count([](const RowKernels& version, std::size_t count, std::mt19937& random) {
    for (const std::int32_t levels : {255, 127}) {
      for (const float spread : {0.0F, 0.001F, 1000.0F}) {
        const auto in =
            spread > 0 ? numbers(random, count, spread) : std::vector<float>(count, 0.3F);
        std::vector<std::uint8_t> high(count), low(count), a(count), b(count);
        const float scale =
            version.quantise_pairs(in.data(), count, levels, high.data(), low.data());
        CHECK(oracle().quantise_pairs(in.data(), count, levels, a.data(), b.data()) == scale);
        CHECK(a == high);
        CHECK(b == low);
        for (std::size_t i = 0; i < count; ++i) {
          const int whole = (levels + 1) * (high[i] - (levels + 1) / 2) + low[i];
          CHECK(std::max(high[i], low[i]) <= levels);
          CHECK(std::fabs(static_cast<float>(whole) * scale - in[i]) <= scale * 0.51F);
        }
      }
    }
  });
}

TEST_CASE("rows: zeros and numbers that are not finite can be quantised") {
  for (const RowKernels* version : usable_row_kernels()) {
    std::vector<float> in(40);
    std::vector<std::uint8_t> bytes(in.size(), 9);
    std::int32_t zero = -1;
    CHECK(version->quantise(in.data(), in.size(), 255, bytes.data(), zero) == 0.0F);
    CHECK(zero == 0);
    CHECK(std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; }));
    in[3] = infinity;
    const float scale = version->quantise(in.data(), in.size(), 255, bytes.data(), zero);
    CHECK_FALSE(std::isfinite(scale));
  }
}

}  // namespace rows_test
}  // namespace cairn::kernels
