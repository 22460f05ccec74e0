// SPDX-License-Identifier: Apache-2.0
// A linear layer: packed weights, and rows made ready for them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/buffer.h"
#include "kernels/matrix/product.h"
#include "kernels/rows/rows.h"

namespace cairn::inference {

/// The versions of the arithmetic that a model computes with.
struct Kernels {
  const kernels::MatrixKernels* matrix = &kernels::matrix_kernels();
  const kernels::RowKernels* rows = &kernels::row_kernels();
};

/// `count` rounded up to a multiple of 16: what products store and read at the end of a row.
inline constexpr std::size_t whole_columns(std::size_t count) { return (count + 15) / 16 * 16; }

/// Weights of `columns` outputs from `depth` inputs, with biases. Immutable once filled.
class Linear {
 public:
  Linear() = default;
  /// All weights 0.
  Linear(kernels::Arithmetic arithmetic, std::size_t depth, std::size_t columns);

  /// One output: `weights` has `depth` numbers.
  void set_column(std::size_t column, const float* weights, float bias);

  kernels::Arithmetic arithmetic() const { return arithmetic_; }
  std::size_t depth() const { return depth_; }
  std::size_t columns() const { return columns_; }
  bool empty() const { return columns_ == 0; }
  std::size_t size_bytes() const {
    return panels_.size_bytes() + bias_.size_bytes() + scale_.size_bytes() + sum_.size_bytes();
  }

  /// Whether the arrays have the lengths that the depth and the columns ask for.
  bool is_whole() const;

  /// Shows all fields to a visitor, in one order: field(value) and array(buffer).
  template <class Visitor>
  void visit(Visitor& visitor) {
    visitor.field(arithmetic_);
    visitor.field(depth_);
    visitor.field(columns_);
    visitor.array(panels_);
    visitor.array(bias_);
    visitor.array(scale_);
    visitor.array(sum_);
  }

  /// A product with these weights and biases; rows and the rest of the finish are the caller's.
  kernels::Product product() const;

 private:
  kernels::Arithmetic arithmetic_ = kernels::Arithmetic::float32;
  std::size_t depth_ = 0;
  std::size_t columns_ = 0;
  kernels::Buffer<std::byte> panels_;
  kernels::Buffer<float> bias_;
  kernels::Buffer<float> scale_;
  kernels::Buffer<std::int32_t> sum_;
};

/// Rows of numbers in the form that one arithmetic takes. Its memory is used again and again.
class ReadyRows {
 public:
  /// Rounds rows of `depth` floats, `stride` floats apart. `from` must stay while the rows are used.
  void make(const Kernels& with, kernels::Arithmetic arithmetic, const float* from,
            std::size_t stride, std::size_t count, std::size_t depth);
  /// Sets the rows of a product, from row `first` on.
  void set(kernels::Product& product, std::size_t first, std::size_t count) const;

  const std::byte* bytes() const { return rows_; }
  std::size_t stride_bytes() const { return stride_; }

 private:
  const std::byte* rows_ = nullptr;
  std::size_t stride_ = 0;
  kernels::Buffer<std::byte> bytes_;
  kernels::Buffer<float> scale_;
  kernels::Buffer<std::int32_t> zero_;
};

}  // namespace cairn::inference
