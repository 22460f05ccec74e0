// SPDX-License-Identifier: Apache-2.0
// The files of a folder, in the order in which they are needed.
#include "inference/encoder/encoder_parts.h"

#include <algorithm>
#include <utility>

#include "inference/encoder/pool.h"
#include "inference/encoder/weights.h"
#include "inference/layers/parts.h"

namespace cairn::inference {
namespace {

/// The tensors of a dense layer's folder; the weight is called "linear".
Result<PooledLayer> pack_pooled_layer(const std::string& folder, const DenseLayer& dense,
                                      std::string_view bytes, std::size_t in) {
  if (dense.in != in) {
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = folder + "/config.json: [in_features] must be " + std::to_string(in)};
  }
  Tensors tensors;
  CAIRN_CHECK(tensors.add(folder + "/model.safetensors", bytes));
  PooledLayer out;
  out.activation = dense.activation;
  CAIRN_TRY(out.linear, read_linear(tensors, kernels::Arithmetic::float32, "",
                                    {{"linear", 0, dense.out, dense.out}}, in));
  return out;
}

/// Modules that make one vector count for more than a head that the config names.
EncoderHead head_of(const EncoderConfig& config, const SentenceFiles& sentences) {
  if (!sentences.has_modules) return config.head;
  return sentences.makes_terms ? EncoderHead::masked_language_model : EncoderHead::none;
}

/// What the layers, the tokenizer and the sentence files each allow.
std::size_t most_tokens_of(const EncoderParts& parts) {
  std::size_t out = parts.config.shape.most_tokens;
  if (parts.sentences.settings.max_tokens)
    out = std::min(out, *parts.sentences.settings.max_tokens);
  if (const auto most = parts.tokenizer.facts().max_length) {
    out = static_cast<std::size_t>(std::min<std::uint64_t>(out, *most));
  }
  return out;
}

Error bad_tokenizer(const std::string& what) {
  return Error{.kind = ErrorKind::invalid_argument, .message = "tokenizer.json " + what};
}

/// Tokens around texts come from a template, which may name any. `frame` is that of empty texts.
Status check_frame(const text::Encoding& frame, const EncoderParts& parts) {
  const std::size_t words = parts.config.shape.vocabulary;
  for (const std::uint32_t id : frame.ids) {
    if (id < words) continue;
    return bad_tokenizer("puts token [" + std::to_string(id) +
                         "] around texts, and [vocab_size] is [" + std::to_string(words) + "]");
  }
  if (frame.ids.size() < parts.most_tokens) return ok_status();
  return bad_tokenizer("puts [" + std::to_string(frame.ids.size()) +
                       "] tokens around texts of at most [" + std::to_string(parts.most_tokens) +
                       "]");
}

/// What the tables of the layers are asked for must be in them.
Status check_tokenizer(const EncoderParts& parts) {
  if (parts.tokenizer.vocabulary_size() > parts.config.shape.vocabulary) {
    return bad_tokenizer("has more tokens than [vocab_size] of config.json");
  }
  const text::EncodeOptions whole{.truncation = text::Truncation{.max_tokens = SIZE_MAX}};
  text::Encoding frame;
  CAIRN_CHECK(parts.tokenizer.encode("", whole, os::Deadline::never(), frame));
  CAIRN_CHECK(check_frame(frame, parts));
  if (parts.config.head != EncoderHead::classifier) return ok_status();
  CAIRN_CHECK(parts.tokenizer.encode_pair("", "", whole, os::Deadline::never(), frame));
  return check_frame(frame, parts);
}

}  // namespace

std::size_t EncoderParts::dimensions() const {
  return config.head == EncoderHead::none ? sentences.dimensions(config.shape.hidden) : 0;
}

Result<EncoderSummary> summarise_encoder(const ModelFiles& files, std::string_view config_json) {
  CAIRN_TRY(const EncoderConfig config, read_encoder_config(config_json));
  CAIRN_TRY(const SentenceFiles sentences, read_sentence_files(files));
  EncoderSummary out;
  out.similarity = sentences.similarity();
  switch (head_of(config, sentences)) {
    case EncoderHead::masked_language_model:
      out.task = TaskType::sparse_embedding;
      break;
    case EncoderHead::classifier:
      out.task = TaskType::rerank;
      break;
    case EncoderHead::none:
      out.dimensions = sentences.dimensions(config.shape.hidden);
      break;
  }
  return out;
}

Result<EncoderParts> read_encoder_parts(const ModelFiles& files, std::string_view config_json) {
  CAIRN_TRY(EncoderConfig config, read_encoder_config(config_json));
  CAIRN_TRY(text::Tokenizer tokenizer, read_tokenizer(files));
  EncoderParts out(std::move(tokenizer));
  out.model_id = files.model_id;
  out.config = std::move(config);
  CAIRN_TRY(out.sentences, read_sentence_files(files));
  out.config.head = head_of(out.config, out.sentences);
  out.most_tokens = most_tokens_of(out);
  CAIRN_CHECK(check_tokenizer(out));
  return out;
}

Result<std::unique_ptr<WeightFiles>> read_weight_files(const ModelFiles& files,
                                                       const EncoderParts& parts) {
  auto out = std::make_unique<WeightFiles>();
  CAIRN_CHECK(read_tensor_files(files, *out));
  for (const auto& [folder, dense] : parts.sentences.dense) {
    CAIRN_TRY(FileBytes bytes, files.weights(folder + "/model.safetensors"));
    out->dense.push_back(std::move(bytes));
  }
  return out;
}

Result<PackedEncoder> pack_encoder(const EncoderParts& parts, WeightFiles& files,
                                   const LayerArithmetic& arithmetic,
                                   const os::Deadline& deadline) {
  PackedEncoder out;
  CAIRN_TRY(out.weights, read_encoder_weights(parts.config, files.tensors, arithmetic, deadline));
  std::size_t size = pooled_size(parts.sentences.pooling, parts.config.shape.hidden);
  for (std::size_t i = 0; i < parts.sentences.dense.size(); ++i) {
    const auto& [folder, dense] = parts.sentences.dense[i];
    CAIRN_TRY(PooledLayer layer, pack_pooled_layer(folder, dense, files.dense[i].view(), size));
    size = dense.out;
    out.pooled_layers.push_back(std::move(layer));
  }
  if (parts.config.head == EncoderHead::masked_language_model) {
    CAIRN_TRY(out.words, read_word_head(parts.config, files.tensors, arithmetic.feed));
  }
  if (parts.config.head == EncoderHead::classifier) {
    CAIRN_TRY(out.classifier, read_classifier(parts.config, files.tensors));
  }
  return out;
}

}  // namespace cairn::inference
