// SPDX-License-Identifier: Apache-2.0
// The products of a decoder: rows of floats times packed weights.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inference/layers/linear.h"

namespace cairn::inference {

/// Rows of floats.
struct FloatRows {
  float* numbers = nullptr;
  std::size_t stride = 0;  // floats from one row to the next
  std::size_t count = 0;
};

/// Multiplies rows by a linear's weights. Weights in int8 meet rows of 16 bits, as two bytes each
/// (14 bits where the processor sums pairs): what is lost then is the rounding of the weights
/// alone. A row's result does not depend on the other rows, bit for bit. Memory is used again and
/// again.
class Projection {
 public:
  explicit Projection(const Kernels& with) : with_(with) {}

  /// to = rows * weights + bias. Rows of `to` have room for whole_columns() numbers.
  void put(const Linear& linear, const FloatRows& rows, float* to, std::size_t to_stride) {
    run(linear, rows, to, to_stride, false);
  }
  /// to += rows * weights + bias. The same room.
  void add(const Linear& linear, const FloatRows& rows, float* to, std::size_t to_stride) {
    run(linear, rows, to, to_stride, true);
  }

 private:
  void run(const Linear& linear, const FloatRows& rows, float* to, std::size_t to_stride,
           bool adds);
  void run_pairs(const Linear& linear, const FloatRows& rows, float* to, std::size_t to_stride,
                 bool adds);
  void make_pairs(const Linear& linear, const FloatRows& rows);

  Kernels with_;
  ReadyRows ready_;
  kernels::Buffer<std::uint8_t> bytes_;  // two rows for each row: the high bytes, the low bytes
  std::size_t bytes_stride_ = 0;
  kernels::Buffer<float> scales_;
  kernels::Buffer<std::int32_t> zeros_;
  kernels::Buffer<float> sums_;
};

}  // namespace cairn::inference
