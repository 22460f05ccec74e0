// SPDX-License-Identifier: Apache-2.0
// The weights of an encoder and of what stands behind it, packed for one arithmetic.
#pragma once

#include <vector>

#include "inference/encoder/heads.h"
#include "inference/encoder/layer.h"
#include "inference/layers/linear.h"

namespace cairn::inference {

/// A dense layer behind the pooling.
struct PooledLayer {
  Linear linear;
  kernels::Activation activation = kernels::Activation::none;
};

/// Immutable once filled. Arrays are its own or lie in a packed image.
struct PackedEncoder {
  EncoderWeights weights;
  std::vector<PooledLayer> pooled_layers;
  WordHead words;         // empty but for sparse vectors
  Classifier classifier;  // empty but for reranking
};

}  // namespace cairn::inference
