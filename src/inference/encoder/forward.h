// SPDX-License-Identifier: Apache-2.0
// From tokens to hidden states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "inference/encoder/attention.h"
#include "inference/encoder/layer.h"
#include "os/deadline.h"

namespace cairn::inference {

/// Tokens that callers put through the layers together: enough for whole blocks of products, few
/// enough for the nearer caches. A longer text goes alone.
inline constexpr std::size_t batch_tokens = 256;

/// Sequences of tokens one after the other, without padding.
struct TokenBatch {
  std::vector<std::uint32_t> ids;    // below the vocabulary's size
  std::vector<std::uint8_t> types;   // as many; 0 or 1
  std::vector<std::size_t> starts;   // of each sequence in `ids`

  std::size_t sequences() const { return starts.size(); }
  std::size_t begin_of(std::size_t sequence) const { return starts[sequence]; }
  std::size_t end_of(std::size_t sequence) const {
    return sequence + 1 < starts.size() ? starts[sequence + 1] : ids.size();
  }
};

/// Memory of one forward pass, used again by the next. A thread has one for itself.
class Forward {
 public:
  explicit Forward(const EncoderWeights& weights, Kernels with = {});

  /// Runs all layers. Row t of the result is the hidden state of token t, stride() floats apart,
  /// until the next run. What a sequence becomes does not depend on the others, bit for bit.
  /// The deadline is looked at after each step of a layer. Errors: invalid_argument for tokens or a
  /// length that the tables do not have; timeout, cancelled.
  Result<const float*> run(const TokenBatch& batch, const os::Deadline& deadline);
  std::size_t stride() const { return stride_; }

 private:
  struct Turns {  // cosines and sines by position
    float base = 0;
    std::size_t positions = 0;
    kernels::Buffer<float> cosines, sines;
  };

  Status check(const TokenBatch& batch) const;
  void embed(const TokenBatch& batch);
  void attend(const EncoderLayer& layer, std::size_t index, const TokenBatch& batch);
  /// Queries, keys and values of all tokens, in the arithmetic of attention: rows of
  /// joined_stride_ bytes at joined_rows_.
  void join(const EncoderLayer& layer, std::size_t index, const TokenBatch& batch);
  void turn(const TokenBatch& batch, std::size_t index);
  const Turns& turns_for(float base, std::size_t positions);
  const float* distance_bias_for(std::size_t tokens);
  void feed(const EncoderLayer& layer, std::size_t tokens);
  void normalise(const Norm& norm, const float* from, float* to, std::size_t tokens);
  /// Rows `first` and so on of ready_, times the linear, plus its bias. Rows of the result are
  /// whole_columns(columns) numbers apart.
  void apply(const Linear& linear, std::size_t first, std::size_t count, kernels::Finish finish);

  const EncoderWeights& weights_;
  Kernels with_;
  kernels::Arithmetic attention_arithmetic_;
  std::size_t stride_;
  kernels::Buffer<float> hidden_;    // the residual stream
  kernels::Buffer<float> normal_;    // norm_first only
  kernels::Buffer<float> joined_;
  kernels::Buffer<kernels::Bf16> narrow_joined_;
  const void* joined_rows_ = nullptr;
  std::size_t joined_stride_ = 0;
  kernels::Buffer<float> attended_;
  kernels::Buffer<float> wide_;
  ReadyRows ready_;
  ReadyRows wide_ready_;
  Attention attention_;
  Turns turns_[2];
  kernels::Buffer<float> distance_bias_;
  std::size_t distance_tokens_ = 0;
};

}  // namespace cairn::inference
