// SPDX-License-Identifier: Apache-2.0
// Products of models' shapes beside the most that this core's dot-product instructions do, measured
// by turns: kernels_bench [ROUNDS]. One thread, by its CPU time.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core_peak.h"
#include "kernels/matrix/panels.h"
#include "kernels/matrix/product.h"

using namespace cairn;
using namespace cairn::kernels;
using bench::peak;
using bench::seconds;

namespace {

struct Shape {
  std::size_t depth, columns, rows;
};

/// One product of random bytes that are small numbers in every arithmetic.
struct Work {
  Arithmetic arithmetic;
  Shape shape;
  std::vector<std::byte> panels, rows;
  std::vector<float> row_scale, column_scale, bias, out;
  std::vector<std::int32_t> row_zero, column_sum;
  Product product;

  Work(Arithmetic with, Shape of, Activation activation) : arithmetic(with), shape(of) {
    const std::size_t steps = panel_steps(with, of.depth);
    panels.resize(panels_bytes(with, of.depth, of.columns));
    std::vector<float> column(of.depth, 0.01F);
    row_scale.assign(of.rows, 0.01F);
    row_zero.assign(of.rows, 3);
    column_scale.assign(of.columns, 0.01F);
    column_sum.assign(of.columns, 9);
    bias.assign(of.columns, 0.5F);
    out.resize(of.rows * of.columns);
    for (std::size_t c = 0; c < of.columns; ++c) {
      if (with == Arithmetic::int8) {
        pack_column_int8(column.data(), of.depth, 1, c, panels.data(), column_sum[c]);
      } else {
        pack_column(with, column.data(), of.depth, 1, c, panels.data());
      }
    }
    product.row_stride = steps * step_bytes + 64;
    rows.resize(product.row_stride * of.rows);
    product.rows = rows.data();
    product.row_count = of.rows;
    product.panels = panels.data();
    product.steps = steps;
    product.columns = of.columns;
    product.scales = {row_scale.data(), row_zero.data(), column_scale.data(), column_sum.data()};
    product.finish.bias = bias.data();
    product.finish.activation = activation;
    product.finish.out = out.data();
    product.finish.out_stride = of.columns;
  }

  double operations() const {
    return 2.0 * static_cast<double>(shape.depth * shape.columns * shape.rows);
  }
  /// Operations a second over at least 10 ms.
  double rate() const {
    const double start = seconds();
    double done = 0;
    while ((seconds() - start) < 0.01) {
      multiply(matrix_kernels(), arithmetic, product);
      done += operations();
    }
    return done / (seconds() - start);
  }
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print_row(const char* name, Arithmetic arithmetic, Shape shape, Activation activation,
               int rounds) {
  const Work work(arithmetic, shape, activation);
  std::vector<double> rates, shares;
  for (int i = 0; i < rounds; ++i) {
    const double most = peak(arithmetic);
    const double rate = work.rate();
    rates.push_back(rate);
    shares.push_back(rate / most);
  }
  std::printf("| %s | %zu x %zu | %zu | %s | %.0f | %.0f %% |\n", name, shape.depth, shape.columns,
              shape.rows, activation == Activation::none ? "" : "gelu", median(rates) / 1e9,
              median(shares) * 100);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 15;
  std::printf("%s, kernels %s\n\n", os::cpu_features().brand.c_str(),
              std::string(matrix_kernels().name).c_str());
  std::puts("| arithmetic | depth x columns | rows | | G operations/s | of the peak |");
  std::puts("|---|---|---|---|---|---|");
  const struct {
    const char* name;
    Arithmetic arithmetic;
  } kinds[] = {{"fp32", Arithmetic::float32},
               {"bfloat16", Arithmetic::bfloat16},
               {"int8", Arithmetic::int8}};
  for (const auto& kind : kinds) {
    if (kind.arithmetic == Arithmetic::bfloat16 && matrix_kernels().bfloat16 == nullptr) continue;
    for (const Shape shape : {Shape{384, 1536, 1}, Shape{384, 1536, 16}, Shape{384, 1536, 128},
                              Shape{1536, 384, 128}, Shape{768, 3072, 256}, Shape{3072, 768, 256},
                              Shape{64, 512, 16}}) {
      print_row(kind.name, kind.arithmetic, shape, Activation::none, rounds);
    }
    print_row(kind.name, kind.arithmetic, {384, 1536, 128}, Activation::gelu, rounds);
  }
}
