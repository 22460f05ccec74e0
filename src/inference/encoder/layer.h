// SPDX-License-Identifier: Apache-2.0
// The weights of an encoder.
#pragma once

#include <vector>

#include "inference/layers/linear.h"
#include "inference/encoder/shape.h"
#include "inference/layers/norm.h"
#include "inference/layers/table.h"

namespace cairn::inference {

/// What the linears of all layers compute with: those around attention, and those between.
struct LayerArithmetic {
  LayerArithmetic(kernels::Arithmetic all) : attention(all), feed(all) {}
  LayerArithmetic(kernels::Arithmetic of_attention, kernels::Arithmetic of_feed)
      : attention(of_attention), feed(of_feed) {}
  kernels::Arithmetic attention;
  kernels::Arithmetic feed;
};

/// The weights of one layer. `joined` gives queries, keys and values of all heads, one after the
/// other; `up` gives the activated half and then the other where the shape is gated.
struct EncoderLayer {
  Linear joined;
  Linear attended;
  Norm attention_norm;
  Linear up;
  Linear down;
  Norm output_norm;
};

/// All weights up to the last hidden state. The bytes of tables are somebody else's.
struct EncoderWeights {
  EncoderShape shape;
  kernels::Arithmetic arithmetic = kernels::Arithmetic::float32;  // the narrowest of its linears
  Table words;
  Table positions;  // learned only
  Table types;      // may be empty
  Norm embedding_norm;
  std::vector<EncoderLayer> layers;
  Norm final_norm;  // may be empty
  kernels::Buffer<float> relative_bias;  // relative only: [heads][buckets]
  std::size_t relative_buckets = 0;
};

}  // namespace cairn::inference
