// SPDX-License-Identifier: Apache-2.0
// Hidden states of a text become one vector.
#pragma once

#include <cstddef>

#include "inference/encoder/config.h"

namespace cairn::inference {

/// Numbers that pool() writes for hidden states of `hidden` numbers: as many for each mode.
std::size_t pooled_size(const Pooling& pooling, std::size_t hidden);

/// Pools the states of one text, `stride` floats apart, at least one. The first `prompt` tokens
/// count for nothing where the pooling leaves prompts out. Modes follow each other in the order of
/// sentence-transformers: first, max, mean, mean_sqrt, weighted_mean, last.
void pool(const Pooling& pooling, const float* states, std::size_t stride, std::size_t tokens,
          std::size_t prompt, std::size_t hidden, float* out);

}  // namespace cairn::inference
