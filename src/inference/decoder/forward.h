// SPDX-License-Identifier: Apache-2.0
// One step of a decoder: some tokens of some sequences through all layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "inference/decoder/kv_pages.h"
#include "inference/decoder/projection.h"
#include "inference/decoder/weights.h"
#include "os/deadline.h"

namespace cairn::inference {

/// Tokens that a step takes at most, of all sequences together.
inline constexpr std::size_t most_step_tokens = 1024;
/// Inputs of a step that may ask for logits: a vocabulary's numbers each.
inline constexpr std::size_t most_step_logits = 128;
/// A good size of a part of a long text: whole blocks of products, few enough for the caches.
inline constexpr std::size_t chunk_tokens = 256;

/// What a step gives of the last token that it adds to a sequence.
enum class StepOutput {
  nothing,  // the first parts of a text
  state,    // the last hidden state, normed
  logits,   // a number for each word
};

/// What one sequence does in a step.
struct StepInput {
  KvSequence* sequence = nullptr;
  std::span<const std::uint32_t> ids;  // that are added to it, at least one
  StepOutput output = StepOutput::logits;
};

/// Memory of one step, used again by the next. A thread has one for itself; weights and pool are
/// shared.
class DecoderForward {
 public:
  /// `weights` and `pool`, whose shape must be kv_shape_of(weights), outlive this.
  DecoderForward(const DecoderWeights& weights, KvPool& pool, Kernels with = {},
                 const kernels::PageKernels& page_kernels = kernels::page_kernels());

  /// Adds tokens to sequences: parts of new texts and next tokens of running ones, together. What
  /// a sequence becomes does not depend, bit for bit, on the others, nor on how its tokens were cut
  /// into steps, nor on who filled the pages that it began with.
  /// The deadline is looked at several times in each layer; a step that fails has added nothing,
  /// and may be tried again. Errors: invalid_argument for tokens, lengths or a batch that there
  /// cannot be; rate_limited where pages or memory end; timeout, cancelled.
  Status step(std::span<const StepInput> batch, const os::Deadline& deadline);

  /// Of input `index` of the last step, which asked for a state or for logits: hidden numbers.
  const float* state(std::size_t index) const;
  /// Of one that asked for logits: a number for each word. Both stay until the next step.
  const float* logits(std::size_t index) const;

 private:
  Status check(std::span<const StepInput> batch) const;
  Status compute(std::span<const StepInput> batch, const os::Deadline& deadline);
  void embed(std::span<const StepInput> batch);
  void make_turns(std::span<const StepInput> batch);
  Status attend(const DecoderLayer& layer, std::size_t index, std::span<const StepInput> batch,
                const os::Deadline& deadline);
  void turn(const DecoderLayer& layer);
  template <class Number>
  void store(std::size_t layer, std::span<const StepInput> batch);
  template <class Number>
  Status attend_pages(std::size_t layer, std::span<const StepInput> batch,
                      const os::Deadline& deadline);
  Status feed(const DecoderLayer& layer, const os::Deadline& deadline);
  void finish(std::span<const StepInput> batch);
  void normalise(const Norm& norm, const float* from, float* to, std::size_t rows) const;

  const DecoderWeights& weights_;
  KvPool& pool_;
  Kernels with_;
  const kernels::PageKernels& page_kernels_;
  Projection projection_;
  std::size_t tokens_ = 0;  // of the step that runs
  std::size_t stride_;
  std::size_t joined_stride_;
  std::size_t query_stride_;
  kernels::Buffer<float> hidden_;  // the residual stream
  kernels::Buffer<float> normal_;
  kernels::Buffer<float> joined_;
  kernels::Buffer<float> attended_;
  kernels::Buffer<float> wide_;
  kernels::Buffer<float> cosines_, sines_;  // by token of the step
  kernels::Buffer<float> states_;           // of those that asked
  kernels::Buffer<float> logits_;
  std::vector<std::size_t> state_rows_;  // by input
  std::vector<std::size_t> logit_rows_;
};

/// The shape of the pages that a decoder writes: bfloat16 but for weights in fp32.
KvShape kv_shape_of(const DecoderWeights& weights);

}  // namespace cairn::inference
