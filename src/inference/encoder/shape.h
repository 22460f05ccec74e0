// SPDX-License-Identifier: Apache-2.0
// What an encoder's layers look like, whatever family its files are of.
#pragma once

#include <cstddef>

#include "kernels/matrix/product.h"

namespace cairn::inference {

/// How a layer knows where in the text a token stands.
enum class Positions {
  learned,   // a table, added to the embeddings
  rotary,    // queries and keys are turned
  relative,  // a bias of each score by distance, the same in all layers
};

/// Sizes and choices of an encoder.
struct EncoderShape {
  std::size_t vocabulary = 0;
  std::size_t hidden = 0;
  std::size_t layers = 0;
  std::size_t heads = 0;
  std::size_t head_size = 0;
  std::size_t intermediate = 0;
  std::size_t most_tokens = 0;  // of one sequence
  kernels::Activation activation = kernels::Activation::gelu;
  bool gated = false;        // activation(first half) * second half
  bool norm_first = false;   // x + f(norm(x)) instead of norm(x + f(x))
  float epsilon = 1e-12F;    // of the norms
  Positions positions = Positions::learned;
  std::size_t first_position = 0;  // row of the table for a sequence's first token
  float rotary_base = 10'000;
  float rotary_divisor = 1;  // of all frequencies
  /// Layers that see only tokens up to `window` away, and turn by `window_rotary_base`; every
  /// `global_every`-th layer, from the first on, sees all. 0: all do.
  std::size_t window = 0;
  std::size_t global_every = 1;
  float window_rotary_base = 10'000;

  bool sees_all(std::size_t layer) const { return window == 0 || layer % global_every == 0; }
};

}  // namespace cairn::inference
