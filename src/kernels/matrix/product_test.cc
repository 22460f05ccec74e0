// SPDX-License-Identifier: Apache-2.0
// Every version of the products against the scalar one; rows that do not depend on each other.
#include "kernels/matrix/product.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/matrix/panels.h"
#include "kernels/matrix/plain_tiles.h"
#include "kernels/rows/rows.h"

namespace cairn::kernels {
namespace product_test {

constexpr std::size_t most_rows = 50;

/// A random matrix in panels, and rows for it, in one arithmetic.
struct Operands {
  Arithmetic arithmetic = Arithmetic::float32;
  std::size_t depth = 0, columns = 0, stored_columns = 0;
  std::vector<std::byte> panels, rows;
  std::vector<float> row_scale, column_scale, bias, residual;
  std::vector<std::int32_t> row_zero, column_sum;
  std::size_t row_stride = 0;

  Product product(std::size_t first_row, std::size_t row_count) const {
    Product out;
    out.rows = rows.data() + first_row * row_stride;
    out.row_stride = row_stride;
    out.row_count = row_count;
    out.panels = panels.data();
    out.steps = panel_steps(arithmetic, depth);
    out.columns = columns;
    out.scales = {row_scale.data() + first_row, row_zero.data() + first_row, column_scale.data(),
                  column_sum.data()};
    return out;
  }
};

float number(std::mt19937& random) {
  return static_cast<float>(static_cast<std::int32_t>(random() % 2001) - 1000) * 0.002F;
}

std::vector<float> numbers(std::mt19937& random, std::size_t count) {
  std::vector<float> out(count);
  for (float& value : out) value = number(random);
  return out;
}

void fill_row(Operands& out, std::size_t row, const std::vector<float>& values,
              std::int32_t levels) {
  std::byte* to = out.rows.data() + row * out.row_stride;
  if (out.arithmetic == Arithmetic::float32) {
    std::memcpy(to, values.data(), out.depth * sizeof(float));
  } else if (out.arithmetic == Arithmetic::bfloat16) {
    for (std::size_t i = 0; i < out.depth; ++i) {
      const Bf16 half = to_bf16(values[i]);
      std::memcpy(to + i * sizeof half, &half, sizeof half);
    }
  } else {
    out.row_scale[row] =
        usable_row_kernels().front()->quantise(values.data(), out.depth, levels,
                                               reinterpret_cast<std::uint8_t*>(to),
                                               out.row_zero[row]);
  }
}

Operands random_operands(std::mt19937& random, Arithmetic arithmetic, std::size_t depth,
                         std::size_t columns, std::int32_t levels) {
  Operands out;
  out.arithmetic = arithmetic;
  out.depth = depth;
  out.columns = columns;
  out.stored_columns = (columns + 63) / 64 * 64;
  out.panels.resize(panels_bytes(arithmetic, depth, columns));
  out.column_scale.resize(out.stored_columns);
  out.column_sum.resize(out.stored_columns);
  out.bias = numbers(random, out.stored_columns);
  out.residual = numbers(random, out.stored_columns * most_rows);
  for (std::size_t column = 0; column < columns; ++column) {
    const std::vector<float> values = numbers(random, depth);
    if (arithmetic == Arithmetic::int8) {
      out.column_scale[column] = pack_column_int8(values.data(), depth, 1, column,
                                                  out.panels.data(), out.column_sum[column]);
    } else {
      pack_column(arithmetic, values.data(), depth, 1, column, out.panels.data());
    }
  }
  out.row_stride = panel_steps(arithmetic, depth) * step_bytes + 64;
  out.rows.resize(out.row_stride * most_rows);
  out.row_scale.resize(most_rows);
  out.row_zero.resize(most_rows);
  for (std::size_t row = 0; row < most_rows; ++row) {
    fill_row(out, row, numbers(random, depth), levels);
  }
  return out;
}

std::vector<float> result(const MatrixKernels& kernels, const Operands& from, Product product) {
  std::vector<float> out(product.row_count * from.stored_columns, -7);
  product.finish.out = out.data();
  product.finish.out_stride = from.stored_columns;
  multiply(kernels, from.arithmetic, product);
  return out;
}

/// Sums of `depth` products of numbers up to 2: what fp32 and bfloat16 may differ in.
float tolerance(std::size_t depth) { return 4e-6F * static_cast<float>(depth) + 1e-5F; }

void check_near(const std::vector<float>& a, const std::vector<float>& b, float allowed) {
  REQUIRE(a.size() == b.size());
  float worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::fabs(a[i] - b[i]));
  CHECK(worst <= allowed);
}

/// Every version that this processor runs, and the products on tiles, which it may have or not.
std::vector<const MatrixKernels*> tested_versions() {
  std::vector<const MatrixKernels*> out = usable_matrix_kernels();
  out.push_back(&plain_tile_kernels());
  return out;
}

/// Calls check(kernels, arithmetic) for every product of every version.
template <class Check>
void for_each_version(const Check& check) {
  for (const MatrixKernels* kernels : tested_versions()) {
    for (const Arithmetic arithmetic :
         {Arithmetic::float32, Arithmetic::bfloat16, Arithmetic::int8}) {
      if (arithmetic == Arithmetic::bfloat16 && kernels->bfloat16 == nullptr) continue;
      CAPTURE(std::string(kernels->name));
      CAPTURE(static_cast<int>(arithmetic));
      check(*kernels, arithmetic);
    }
  }
}

TEST_CASE("product: every version agrees with the scalar one") {
  std::mt19937 random(7);
  for_each_version([&](const MatrixKernels& kernels, Arithmetic arithmetic) {
    for (const std::size_t depth : {1, 3, 16, 31, 64, 65, 384}) {
      for (const std::size_t columns : {1, 15, 16, 17, 32, 48, 63, 64, 65, 130}) {
        CAPTURE(depth);
        CAPTURE(columns);
        const Operands from =
            random_operands(random, arithmetic, depth, columns, kernels.int8_levels);
        for (const std::size_t rows : {0, 1, 2, 3, 4, 5, 6, 7, 11, 15, 16, 17, 31, 32, 33, 50}) {
          const Product product = from.product(0, rows);
          check_near(result(kernels, from, product),
                     result(*usable_matrix_kernels().front(), from, product), tolerance(depth));
        }
      }
    }
  });
}

TEST_CASE("product: bias, activation, residual, narrow results and maxima") {
  std::mt19937 random(8);
  for_each_version([&](const MatrixKernels& kernels, Arithmetic arithmetic) {
    const Operands from = random_operands(random, arithmetic, 40, 70, kernels.int8_levels);
    const MatrixKernels& oracle = *usable_matrix_kernels().front();
    for (const Activation activation :
         {Activation::none, Activation::gelu, Activation::gelu_tanh, Activation::relu,
          Activation::silu, Activation::tanh}) {
      CAPTURE(static_cast<int>(activation));
      Product product = from.product(0, 13);
      product.finish.bias = from.bias.data();
      product.finish.activation = activation;
      product.finish.residual = from.residual.data();
      product.finish.residual_stride = from.stored_columns;
      // The quick form of gelu is for arithmetic that rounds more away.
      const float allowed = arithmetic == Arithmetic::float32 ? 3e-5F : 2e-3F;
      check_near(result(kernels, from, product), result(oracle, from, product), allowed);
    }
    Product product = from.product(0, 13);
    std::vector<float> maxima(from.stored_columns, 0.25F), expected(maxima);
    product.finish.maxima = maxima.data();
    multiply(kernels, arithmetic, product);
    product.finish.maxima = expected.data();
    multiply(oracle, arithmetic, product);
    check_near(maxima, expected, tolerance(40));

    product.finish.maxima = nullptr;
    std::vector<Bf16> narrow(13 * from.stored_columns);
    product.finish.narrow = narrow.data();
    product.finish.narrow_stride = from.stored_columns;
    multiply(kernels, arithmetic, product);
    product.finish.narrow = nullptr;
    const std::vector<float> wide = result(kernels, from, product);
    for (std::size_t row = 0; row < 13; ++row) {
      for (std::size_t column = 0; column < 70; ++column) {
        const std::size_t at = row * from.stored_columns + column;
        CHECK(narrow[at].bits == to_bf16(wide[at]).bits);
      }
    }
  });
}

TEST_CASE("product: a row's values are the same bits alone and among others") {
  std::mt19937 random(9);
  for_each_version([&](const MatrixKernels& kernels, Arithmetic arithmetic) {
    const Operands from = random_operands(random, arithmetic, 100, 96, kernels.int8_levels);
    Product product = from.product(0, most_rows);
    product.finish.bias = from.bias.data();
    product.finish.activation = Activation::gelu;
    const std::vector<float> together = result(kernels, from, product);
    for (std::size_t row = 0; row < most_rows; ++row) {
      Product alone = from.product(row, 1);
      alone.finish = product.finish;
      const std::vector<float> one = result(kernels, from, alone);
      const float* expected = together.data() + row * from.stored_columns;
      CHECK(std::memcmp(one.data(), expected, 96 * sizeof(float)) == 0);
    }
  });
}

TEST_CASE("product: fewer steps than a panel has") {
  std::mt19937 random(11);
  for_each_version([&](const MatrixKernels& kernels, Arithmetic arithmetic) {
    const Operands from = random_operands(random, arithmetic, 256, 150, kernels.int8_levels);
    Product product = from.product(0, 7);
    product.stored_steps = product.steps;
    product.steps = 16;
    product.panels += 16 * panel_columns * step_bytes;
    check_near(result(kernels, from, product),
               result(*usable_matrix_kernels().front(), from, product), tolerance(64));
  });
}

/// Memory that ends where nothing may be read.
class GuardedBytes {
 public:
  explicit GuardedBytes(const std::vector<std::byte>& content) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t whole = (content.size() + page - 1) / page * page;
    size_ = whole + page;
    void* const memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    memory_ = static_cast<std::byte*>(memory);
    REQUIRE(mprotect(memory_ + whole, page, PROT_NONE) == 0);
    begin_ = memory_ + whole - content.size();
    std::memcpy(begin_, content.data(), content.size());
  }
  ~GuardedBytes() { munmap(memory_, size_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  const std::byte* data() const { return begin_; }

 private:
  std::byte* memory_ = nullptr;
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

TEST_CASE("product: nothing is read behind the last row and the last panel") {
  std::mt19937 random(12);
  for_each_version([&](const MatrixKernels& kernels, Arithmetic arithmetic) {
    const Operands from = random_operands(random, arithmetic, 100, 70, kernels.int8_levels);
    const GuardedBytes panels(from.panels);
    for (const std::size_t rows : {1, 15, 16, 19, 32, 33, 50}) {
      CAPTURE(rows);
      const std::size_t used = (rows - 1) * from.row_stride + panel_steps(arithmetic, 100) * 4;
      const GuardedBytes guarded({from.rows.begin(),
                                  from.rows.begin() + static_cast<std::ptrdiff_t>(used)});
      Product product = from.product(0, rows);
      const std::vector<float> expected = result(kernels, from, product);
      product.rows = guarded.data();
      product.panels = panels.data();
      CHECK(result(kernels, from, product) == expected);
    }
  });
}

TEST_CASE("product: int8 keeps what rows and weights mean") {
  std::mt19937 random(10);
  for (const MatrixKernels* kernels : tested_versions()) {
    constexpr std::size_t depth = 256, columns = 64;
    std::vector<std::byte> panels(panels_bytes(Arithmetic::int8, depth, columns));
    std::vector<float> scale(columns);
    std::vector<std::int32_t> sum(columns);
    std::vector<std::vector<float>> weights;
    for (std::size_t column = 0; column < columns; ++column) {
      weights.push_back(numbers(random, depth));
      scale[column] = pack_column_int8(weights.back().data(), depth, 1, column, panels.data(),
                                       sum[column]);
    }
    const std::vector<float> row = numbers(random, depth);
    std::vector<std::uint8_t> bytes(panel_steps(Arithmetic::int8, depth) * step_bytes);
    std::int32_t zero = 0;
    const float row_scale = row_kernels().quantise(row.data(), depth, kernels->int8_levels,
                                                   bytes.data(), zero);
    std::vector<float> out(columns);
    Product product;
    product.rows = bytes.data();
    product.row_stride = bytes.size();
    product.row_count = 1;
    product.panels = panels.data();
    product.steps = panel_steps(Arithmetic::int8, depth);
    product.columns = columns;
    product.scales = {&row_scale, &zero, scale.data(), sum.data()};
    product.finish.out = out.data();
    product.finish.out_stride = columns;
    kernels->int8(product);
    for (std::size_t column = 0; column < columns; ++column) {
      double exact = 0;
      for (std::size_t i = 0; i < depth; ++i) {
        exact += static_cast<double>(row[i]) * static_cast<double>(weights[column][i]);
      }
      CHECK(out[column] == doctest::Approx(exact).epsilon(0.05).scale(10));
    }
  }
}

}  // namespace product_test
}  // namespace cairn::kernels
