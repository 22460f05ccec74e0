// SPDX-License-Identifier: Apache-2.0
// What stands behind the layers: words for sparse vectors, labels for reranking.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "inference/encoder/config.h"
#include "inference/encoder/layer.h"
#include "inference/layers/tensors.h"

namespace cairn::inference {

/// The head of a masked language model: a score of each word of the vocabulary for each token.
struct WordHead {
  Linear transform;
  kernels::Activation activation = kernels::Activation::gelu;
  Norm norm;
  Linear words;

  bool empty() const { return words.empty(); }
};

/// A classifier of whole texts, from the state of the first token or the mean of all.
struct Classifier {
  Linear transform;  // may be empty
  kernels::Activation activation = kernels::Activation::tanh;
  Norm norm;  // may be empty
  Linear labels;
  bool takes_mean = false;
  bool sigmoid = false;

  bool empty() const { return labels.empty(); }
};

/// The words are those of the embeddings where the file has no matrix of their own.
/// Errors: invalid_argument, naming the tensor.
Result<WordHead> read_word_head(const EncoderConfig& config, Tensors& tensors,
                                kernels::Arithmetic arithmetic);
/// Always in fp32: it costs next to nothing. Errors: as above.
Result<Classifier> read_classifier(const EncoderConfig& config, Tensors& tensors);

/// Memory of heads, for one thread.
struct HeadMemory {
  kernels::Buffer<float> transformed;
  kernels::Buffer<float> results;
  ReadyRows ready;
};

/// The greatest score of each word over the tokens' states, at least 0; as many as the vocabulary
/// has. They stay in `memory` until the next call.
const float* greatest_scores(const Kernels& with, const WordHead& head, const float* states,
                             std::size_t stride, std::size_t tokens, float epsilon,
                             HeadMemory& memory);

/// The logits of the labels of one text.
std::vector<float> logits(const Kernels& with, const Classifier& classifier, const float* states,
                          std::size_t stride, std::size_t tokens, float epsilon,
                          HeadMemory& memory);

}  // namespace cairn::inference
