// SPDX-License-Identifier: Apache-2.0
// Names of heads by family, and what they compute.
#include "inference/encoder/heads.h"

#include <algorithm>
#include <string>

#include "inference/layers/parts.h"

namespace cairn::inference {
namespace {

/// Tensors of a masked language model's head. Their names have no prefix.
struct WordNames {
  std::string_view transform, norm, words, bias;
};

Result<WordNames> word_names(EncoderFamily family) {
  switch (family) {
    case EncoderFamily::bert:
    case EncoderFamily::nomic_bert:
      return WordNames{"cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
                       "cls.predictions.decoder.weight", "cls.predictions.bias"};
    case EncoderFamily::roberta:
    case EncoderFamily::xlm_roberta:
    case EncoderFamily::mpnet:
      return WordNames{"lm_head.dense", "lm_head.layer_norm", "lm_head.decoder.weight",
                       "lm_head.bias"};
    case EncoderFamily::distilbert:
      return WordNames{"vocab_transform", "vocab_layer_norm", "vocab_projector.weight",
                       "vocab_projector.bias"};
    case EncoderFamily::modernbert:
      return WordNames{"head.dense", "head.norm", "decoder.weight", "decoder.bias"};
    case EncoderFamily::gte:
      return WordNames{"lm_head.dense", "lm_head.norm", "lm_head.decoder.weight",
                       "lm_head.decoder.bias"};
  }
  return Error{.kind = ErrorKind::unsupported, .message = "no head of this family is offered"};
}

/// Sets the prefix of tensors for as long as it lives.
class PrefixScope {
 public:
  PrefixScope(Tensors& tensors, std::string prefix) : tensors_(tensors), old_(tensors.prefix()) {
    tensors.set_prefix(std::move(prefix));
  }
  ~PrefixScope() { tensors_.set_prefix(old_); }
  PrefixScope(const PrefixScope&) = delete;
  PrefixScope& operator=(const PrefixScope&) = delete;

 private:
  Tensors& tensors_;
  std::string old_;
};

std::string_view embeddings_of(EncoderFamily family) {
  return family == EncoderFamily::modernbert ? "embeddings.tok_embeddings.weight"
                                             : "embeddings.word_embeddings.weight";
}

/// Linear, activation and norm of each token's state.
void transform_all(const Kernels& with, const Linear& linear, kernels::Activation activation,
                   const Norm& norm, const float* states, std::size_t stride, std::size_t tokens,
                   float epsilon, HeadMemory& memory) {
  const std::size_t out_stride = whole_columns(linear.columns());
  memory.transformed.grow(tokens * out_stride);
  memory.ready.make(with, linear.arithmetic(), states, stride, tokens, linear.depth());
  kernels::Product product = linear.product();
  memory.ready.set(product, 0, tokens);
  product.finish.activation = activation;
  product.finish.out = memory.transformed.data();
  product.finish.out_stride = out_stride;
  kernels::multiply(*with.matrix, linear.arithmetic(), product);
  for (std::size_t token = 0; !norm.empty() && token < tokens; ++token) {
    float* const row = memory.transformed.data() + token * out_stride;
    with.rows->layer_norm(row, linear.columns(), norm.gain.data(), norm.shift.data(), epsilon, row);
  }
}

}  // namespace

Result<WordHead> read_word_head(const EncoderConfig& config, Tensors& tensors,
                                kernels::Arithmetic arithmetic) {
  CAIRN_TRY(const WordNames names, word_names(config.family));
  const std::size_t hidden = config.shape.hidden, vocabulary = config.shape.vocabulary;
  WordHead out;
  out.activation = config.shape.activation;
  const std::string own_prefix = tensors.prefix();
  const PrefixScope scope(tensors, "");
  CAIRN_TRY(out.transform,
            read_linear(tensors, arithmetic, "", {{names.transform, 0, hidden, hidden}}, hidden));
  CAIRN_TRY(out.norm, read_norm(tensors, names.norm, hidden));
  const std::string words = tensors.has(names.words)
                                ? std::string(names.words)
                                : own_prefix + std::string(embeddings_of(config.family));
  CAIRN_TRY(const Tensor* const matrix, tensors.get(words, {vocabulary, hidden}));
  std::vector<float> bias(vocabulary);
  if (tensors.has(names.bias)) {
    CAIRN_TRY(bias, tensors.floats(names.bias, {vocabulary}));
  }
  out.words = Linear(arithmetic, hidden, vocabulary);
  const Table rows(*matrix);
  std::vector<float> row(hidden);
  for (std::size_t word = 0; word < vocabulary; ++word) {
    rows.read(word, row.data());
    out.words.set_column(word, row.data(), bias[word]);
  }
  return out;
}

Result<Classifier> read_classifier(const EncoderConfig& config, Tensors& tensors) {
  const std::size_t hidden = config.shape.hidden;
  Classifier out;
  out.sigmoid = config.sigmoid;
  std::string transform, norm, labels = "classifier";
  switch (config.family) {
    case EncoderFamily::bert:
    case EncoderFamily::gte: transform = tensors.prefix() + "pooler.dense"; break;
    case EncoderFamily::roberta:
    case EncoderFamily::xlm_roberta:
    case EncoderFamily::mpnet:
      transform = "classifier.dense";
      labels = "classifier.out_proj";
      break;
    case EncoderFamily::distilbert:
      transform = "pre_classifier";
      out.activation = kernels::Activation::relu;
      break;
    case EncoderFamily::modernbert:
      transform = "head.dense";
      norm = "head.norm";
      out.activation = kernels::Activation::gelu;
      out.takes_mean = config.classifier_takes_mean;
      break;
    case EncoderFamily::nomic_bert:
      return Error{.kind = ErrorKind::unsupported,
                   .message = "classifiers of model_type [nomic_bert] are not offered"};
  }
  const PrefixScope scope(tensors, "");
  constexpr auto exact = kernels::Arithmetic::float32;
  CAIRN_TRY(out.transform,
            read_linear(tensors, exact, "", {{transform, 0, hidden, hidden}}, hidden));
  if (!norm.empty()) {
    CAIRN_TRY(out.norm, read_norm(tensors, norm, hidden));
  }
  CAIRN_TRY(out.labels, read_linear(tensors, exact, "",
                                    {{labels, 0, config.labels, config.labels}}, hidden));
  return out;
}

const float* greatest_scores(const Kernels& with, const WordHead& head, const float* states,
                             std::size_t stride, std::size_t tokens, float epsilon,
                             HeadMemory& memory) {
  transform_all(with, head.transform, head.activation, head.norm, states, stride, tokens, epsilon,
                memory);
  const std::size_t words = head.words.columns();
  memory.results.grow(whole_columns(words));
  std::fill_n(memory.results.data(), whole_columns(words), 0.0F);
  memory.ready.make(with, head.words.arithmetic(), memory.transformed.data(),
                    whole_columns(head.transform.columns()), tokens, head.words.depth());
  kernels::Product product = head.words.product();
  memory.ready.set(product, 0, tokens);
  product.finish.maxima = memory.results.data();
  kernels::multiply(*with.matrix, head.words.arithmetic(), product);
  return memory.results.data();
}

std::vector<float> logits(const Kernels& with, const Classifier& classifier, const float* states,
                          std::size_t stride, std::size_t tokens, float epsilon,
                          HeadMemory& memory) {
  const std::size_t hidden = classifier.transform.depth();
  std::vector<float> seen(whole_columns(hidden));
  std::copy_n(states, hidden, seen.data());
  for (std::size_t token = 1; classifier.takes_mean && token < tokens; ++token) {
    with.rows->add(states + token * stride, hidden, seen.data());
  }
  if (classifier.takes_mean) {
    with.rows->scale(seen.data(), hidden, 1.0F / static_cast<float>(tokens), seen.data());
  }
  transform_all(with, classifier.transform, classifier.activation, classifier.norm, seen.data(),
                seen.size(), 1, epsilon, memory);
  std::vector<float> out(whole_columns(classifier.labels.columns()));
  memory.ready.make(with, classifier.labels.arithmetic(), memory.transformed.data(),
                    whole_columns(hidden), 1, hidden);
  kernels::Product product = classifier.labels.product();
  memory.ready.set(product, 0, 1);
  product.finish.out = out.data();
  product.finish.out_stride = out.size();
  kernels::multiply(*with.matrix, classifier.labels.arithmetic(), product);
  out.resize(classifier.labels.columns());
  return out;
}

}  // namespace cairn::inference
