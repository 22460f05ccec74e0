// SPDX-License-Identifier: Apache-2.0
// Attention of one sequence, head by head.
#pragma once

#include <cstddef>

#include "inference/layers/linear.h"
#include "kernels/buffer.h"

namespace cairn::inference {

/// Queries, keys and values of one sequence and what is asked of them. Row t of `joined` has the
/// queries of all heads, then the keys, then the values, `heads` * `head_size` numbers each: floats,
/// or Bf16 for that arithmetic.
struct AttentionInput {
  const void* joined = nullptr;
  std::size_t stride = 0;  // bytes
  std::size_t tokens = 0;
  std::size_t heads = 0;
  std::size_t head_size = 0;
  /// A token sees those at most this far away. At least `tokens`: all.
  std::size_t window = 0;
  /// Added to the score of token i and token j of head h: distance_bias[h * bias_stride + j - i +
  /// tokens - 1]. May be nullptr.
  const float* distance_bias = nullptr;
  std::size_t bias_stride = 0;
};

/// Computes attention [Vaswani et al. 2017] by whole blocks of rows: scores, softmax, weighted sum.
/// Holds its memory for the next call. A thread has one for itself.
class Attention {
 public:
  /// Writes `heads` * `head_size` floats for each token to `out`, rows `out_stride` floats apart.
  /// `arithmetic` is float32 or bfloat16.
  void run(const Kernels& with, kernels::Arithmetic arithmetic, const AttentionInput& in,
           float* out, std::size_t out_stride);

 private:
  struct Span;  // of neighbouring tokens
  void run_head(const AttentionInput& in, std::size_t head, float* out, std::size_t out_stride);
  void run_block(const AttentionInput& in, std::size_t head, const Span& rows, float* out,
                 std::size_t out_stride);
  /// Rows of one head with zeros behind them where a product asks for more; as they are where not.
  struct HeadRows {
    const std::byte* rows = nullptr;
    std::size_t stride = 0;  // bytes
  };
  HeadRows whole_steps(const AttentionInput& in, const std::byte* rows,
                       kernels::Buffer<std::byte>& copy) const;
  void pack_values(const AttentionInput& in, const std::byte* values);
  void weigh(const AttentionInput& in, std::size_t head, const Span& rows, const Span& seen);
  std::size_t padded(std::size_t tokens) const;
  std::size_t number_bytes() const;

  Kernels with_;
  kernels::Arithmetic arithmetic_ = kernels::Arithmetic::float32;
  HeadRows queries_;
  kernels::Buffer<std::byte> query_copy_;
  kernels::Buffer<std::byte> key_copy_;
  kernels::Buffer<kernels::Bf16> weights_;
  kernels::Buffer<std::byte> keys_;
  kernels::Buffer<std::byte> values_;
  kernels::Buffer<float> scores_;
  kernels::Buffer<float> sums_;
  kernels::Buffer<float> factors_;
};

}  // namespace cairn::inference
