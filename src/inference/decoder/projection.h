// SPDX-License-Identifier: Apache-2.0
// The products of a decoder: rows of floats times packed weights.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inference/decoder/decoder_linear.h"

namespace cairn::inference {

/// Rows of floats.
struct FloatRows {
  float* numbers = nullptr;
  std::size_t stride = 0;  // floats from one row to the next
  std::size_t count = 0;
};

/// Multiplies rows by a linear's weights. Weights in int8 meet rows of 16 bits, as two bytes each
/// (14 bits where the processor sums pairs): what is lost then is the rounding of the weights
/// alone; weights in blocks are multiplied as they are. A row's result does not depend on the other
/// rows, bit for bit. Memory is used again and again.
class Projection {
 public:
  explicit Projection(const Kernels& with,
                      const kernels::BlockKernels& block_kernels = kernels::block_kernels())
      : with_(with), block_kernels_(block_kernels) {}

  /// to = rows * weights + bias. Rows of `to` have room for whole_columns() numbers.
  void put(const DecoderLinear& linear, const FloatRows& rows, float* to, std::size_t to_stride) {
    run(linear, rows, {to, to_stride, false});
  }
  /// to += rows * weights + bias. The same room.
  void add(const DecoderLinear& linear, const FloatRows& rows, float* to, std::size_t to_stride) {
    run(linear, rows, {to, to_stride, true});
  }

 private:
  /// Where values go.
  struct Place {
    float* to = nullptr;
    std::size_t stride = 0;
    bool adds = false;
  };

  void run(const DecoderLinear& linear, const FloatRows& rows, const Place& place);
  void run_plain(const Linear& linear, const FloatRows& rows, const Place& place);
  void run_pairs(const Linear& linear, const FloatRows& rows, const Place& place);
  void run_blocks(const BlockLinear& linear, const FloatRows& rows, const Place& place);
  void run_columns(const BlockLinear& linear, const BlockColumns& columns, std::size_t rows,
                   const Place& place);
  void make_pairs(std::size_t depth, const FloatRows& rows, std::int32_t levels);
  void sum_rows(std::size_t depth, std::size_t rows);
  /// Puts the sums of pairs together: columns from `first` on.
  void put_pairs(std::size_t rows, std::size_t first, std::size_t columns, const float* bias,
                 const Place& place);

  Kernels with_;
  const kernels::BlockKernels& block_kernels_;
  ReadyRows ready_;
  kernels::Buffer<std::uint8_t> bytes_;  // two rows for each row: the high bytes, the low bytes
  std::size_t bytes_stride_ = 0;
  kernels::Buffer<float> scales_;
  kernels::Buffer<std::int32_t> zeros_;
  kernels::Buffer<std::int32_t> row_sums_;
  kernels::Buffer<float> sums_;
};

}  // namespace cairn::inference
