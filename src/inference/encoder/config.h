// SPDX-License-Identifier: Apache-2.0
// config.json of encoders, and the files that sentence-transformers puts beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "inference/encoder/shape.h"

namespace cairn::inference {

enum class EncoderFamily {
  bert,
  distilbert,
  roberta,
  xlm_roberta,
  mpnet,
  modernbert,
  nomic_bert,
  gte
};

std::string_view name_of(EncoderFamily family);  // its `model_type`

/// What comes behind the layers, by the first of `architectures`.
enum class EncoderHead { none, masked_language_model, classifier };

struct EncoderConfig {
  EncoderFamily family = EncoderFamily::bert;
  EncoderShape shape;
  std::size_t token_types = 0;       // rows of their table; 0: there is none
  std::size_t relative_buckets = 0;  // of MPNet's biases
  bool linear_bias = true;           // whether the layers' products add biases
  bool norm_bias = true;
  std::optional<std::uint32_t> pad_id;
  EncoderHead head = EncoderHead::none;
  std::size_t labels = 0;              // of a classifier
  bool sigmoid = false;                // of a classifier: scores from 0 to 1
  bool classifier_takes_mean = false;  // of all tokens, instead of the first
};

/// Errors: invalid_argument, naming the field; unsupported for a `model_type`, an activation or
/// another choice that is not offered.
Result<EncoderConfig> read_encoder_config(std::string_view config_json);

/// How the hidden states of a text become one vector. Several: one after the other.
struct Pooling {
  std::size_t dimensions = 0;
  bool first = false;
  bool mean = false;
  bool max = false;
  bool mean_sqrt = false;      // the sum, divided by the root of the number of tokens
  bool weighted_mean = false;  // by place, from 1
  bool last = false;
  bool include_prompt = true;
};

/// A layer behind the pooling.
struct DenseLayer {
  std::size_t in = 0;
  std::size_t out = 0;
  bool bias = true;
  kernels::Activation activation = kernels::Activation::tanh;
};

struct SentenceModule {
  enum class Kind { transformer, pooling, dense, normalize, splade };
  Kind kind = Kind::transformer;
  std::string path;  // a folder below the model's, or empty
};

struct SentenceSettings {
  std::optional<std::size_t> max_tokens;
  bool lowercase = false;
  std::vector<std::pair<std::string, std::string>> prompts;  // by name: query, passage, ...
  std::string default_prompt;                                // a name, or empty
  std::string similarity;                                    // cosine, dot, ... or empty
};

/// modules.json, in order. Errors: invalid_argument; unsupported for a type that is not offered.
Result<std::vector<SentenceModule>> read_modules(std::string_view modules_json);
/// config.json of a Pooling.
Result<Pooling> read_pooling(std::string_view json);
/// config.json of a Dense.
Result<DenseLayer> read_dense(std::string_view json);
/// sentence_bert_config.json and config_sentence_transformers.json; both may be empty.
Result<SentenceSettings> read_sentence_settings(std::string_view sentence_bert_config,
                                                std::string_view config_sentence_transformers);

}  // namespace cairn::inference
