// SPDX-License-Identifier: Apache-2.0
// What the scheduler needs of a decoder: one step for many sequences.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "inference/decoder/forward.h"
#include "inference/decoder/kv_pages.h"
#include "os/deadline.h"

namespace cairn::inference {

/// A decoder that one thread at a time drives. DecoderSteps is the real one.
class StepModel {
 public:
  virtual ~StepModel() = default;
  /// As DecoderForward::step().
  virtual Status step(std::span<const StepInput> batch, const os::Deadline& deadline) = 0;
  /// As DecoderForward::logits(), vocabulary() numbers.
  virtual const float* logits(std::size_t index) const = 0;
  virtual KvPool& pool() = 0;
  virtual std::size_t vocabulary() const = 0;
  virtual std::size_t most_tokens() const = 0;  // of one sequence, prompt and answer together
};

/// A loaded decoder, with pages and buffers of its own.
class DecoderSteps final : public StepModel {
 public:
  /// `weights` outlive this. `most_pages`: of keys and values.
  DecoderSteps(const DecoderWeights& weights, std::size_t most_pages)
      : weights_(weights), pool_(kv_shape_of(weights), most_pages), forward_(weights, pool_) {}

  Status step(std::span<const StepInput> batch, const os::Deadline& deadline) override {
    return forward_.step(batch, deadline);
  }
  const float* logits(std::size_t index) const override { return forward_.logits(index); }
  KvPool& pool() override { return pool_; }
  std::size_t vocabulary() const override { return weights_.shape.vocabulary; }
  std::size_t most_tokens() const override { return weights_.shape.most_tokens; }

 private:
  const DecoderWeights& weights_;
  KvPool pool_;
  DecoderForward forward_;
};

}  // namespace cairn::inference
