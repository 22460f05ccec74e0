// SPDX-License-Identifier: Apache-2.0
// Pooling, dense layers, length 1.
#include "inference/encoder/dense_vector.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "inference/encoder/pool.h"

namespace cairn::inference {

void bring_to_length_1(std::vector<float>& vector) {
  double squares = 0;
  for (const float value : vector) squares += static_cast<double>(value) * value;
  if (!(squares > 0)) {
    std::fill(vector.begin(), vector.end(), 0.0F);
    vector.front() = 1;
    return;
  }
  const auto factor = static_cast<float>(1 / std::sqrt(squares));
  for (float& value : vector) value *= factor;
}

std::vector<float> dense_vector(const EncoderParts& parts, const PackedEncoder& packed,
                                const Kernels& with, ReadyRows& ready, const TextStates& states) {
  const std::size_t hidden = parts.config.shape.hidden;
  const Pooling& pooling = parts.sentences.pooling;
  std::vector<float> out(whole_columns(pooled_size(pooling, hidden)));
  pool(pooling, states.rows, states.stride, states.tokens, states.prompt_tokens, hidden,
       out.data());
  for (const PooledLayer& layer : packed.pooled_layers) {
    const kernels::Arithmetic arithmetic = layer.linear.arithmetic();
    ready.make(with, arithmetic, out.data(), out.size(), 1, layer.linear.depth());
    std::vector<float> next(whole_columns(layer.linear.columns()));
    kernels::Product product = layer.linear.product();
    ready.set(product, 0, 1);
    product.finish.activation = layer.activation;
    product.finish.out = next.data();
    product.finish.out_stride = next.size();
    kernels::multiply(*with.matrix, arithmetic, product);
    out = std::move(next);
  }
  out.resize(parts.sentences.dimensions(hidden));
  if (parts.sentences.normalises) bring_to_length_1(out);
  return out;
}

}  // namespace cairn::inference
