// SPDX-License-Identifier: Apache-2.0
// Hidden states of a text become the model's dense vector.
#pragma once

#include <cstddef>
#include <vector>

#include "inference/encoder/encoder_parts.h"
#include "inference/layers/linear.h"
#include "inference/encoder/packed_encoder.h"

namespace cairn::inference {

/// The hidden states of one text, rows `stride` floats apart.
struct TextStates {
  const float* rows = nullptr;
  std::size_t stride = 0;
  std::size_t tokens = 0;         // at least 1
  std::size_t prompt_tokens = 0;  // that count for nothing where the pooling leaves prompts out
};

/// Pools, applies the dense layers, brings to length 1 where the model says so: then a vector of
/// zeros, which has no direction, becomes the first unit vector. `ready` is memory to work in.
std::vector<float> dense_vector(const EncoderParts& parts, const PackedEncoder& packed,
                                const Kernels& with, ReadyRows& ready, const TextStates& states);

/// Brings a vector to length 1; one of zeros becomes the first unit vector.
void bring_to_length_1(std::vector<float>& vector);

}  // namespace cairn::inference
