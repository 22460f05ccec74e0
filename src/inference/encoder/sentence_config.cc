// SPDX-License-Identifier: Apache-2.0
// The files of sentence-transformers.
#include <array>

#include "inference/encoder/config.h"
#include "inference/layers/config_fields.h"

namespace cairn::inference {
namespace {

constexpr std::size_t most_modules = 16;
constexpr std::size_t most_prompts = 64;
constexpr std::size_t most_dimensions = 65'536;

/// A folder's name: nothing that leads out of the model's.
bool is_plain_path(std::string_view path) {
  return path.size() < 256 && path.find_first_of("/\\") == std::string_view::npos && path != ".." &&
         path != "." && path.find('\0') == std::string_view::npos;
}

Result<SentenceModule> read_module(const Json& json) {
  const ConfigFields fields(json, "modules.json");
  SentenceModule out;
  CAIRN_TRY(const std::string type, fields.string("type", ""));
  CAIRN_TRY(out.path, fields.string("path", ""));
  if (!is_plain_path(out.path)) return fields.wrong("path", "must name a folder of the model");
  const std::string_view kind = std::string_view(type).substr(type.rfind('.') + 1);
  if (kind == "Transformer" || kind == "MLMTransformer") {
    out.kind = SentenceModule::Kind::transformer;
  } else if (kind == "Pooling") {
    out.kind = SentenceModule::Kind::pooling;
  } else if (kind == "Dense") {
    out.kind = SentenceModule::Kind::dense;
  } else if (kind == "Normalize") {
    out.kind = SentenceModule::Kind::normalize;
  } else if (kind == "SpladePooling") {
    out.kind = SentenceModule::Kind::splade;
  } else {
    return fields.not_offered("type", type);
  }
  return out;
}

Status read_prompts(const ConfigFields& fields, SentenceSettings& out) {
  const Json* prompts = fields.find("prompts");
  if (prompts == nullptr) return ok_status();
  if (!prompts->is_object() || prompts->as_object().size() > most_prompts)
    return fields.wrong("prompts", "must be an object of at most 64 texts");
  for (const auto& [name, text] : prompts->as_object()) {
    if (!text.is_string()) return fields.wrong("prompts." + name, "must be a string");
    out.prompts.emplace_back(name, text.as_string());
  }
  return ok_status();
}

}  // namespace

Result<std::vector<SentenceModule>> read_modules(std::string_view modules_json) {
  auto json = parse_json(modules_json);
  if (!json.ok()) return with_context(std::move(json).error(), "modules.json");
  if (!json->is_array() || json->as_array().size() > most_modules) {
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "modules.json: must be an array of at most 16 modules"};
  }
  std::vector<SentenceModule> out;
  for (const Json& one : json->as_array()) {
    CAIRN_TRY(SentenceModule module, read_module(one));
    out.push_back(std::move(module));
  }
  return out;
}

Result<Pooling> read_pooling(std::string_view text) {
  CAIRN_TRY(const Json json, read_object(text, "Pooling/config.json"));
  const ConfigFields fields(json, "Pooling/config.json");
  Pooling out;
  CAIRN_TRY(out.dimensions, fields.size("word_embedding_dimension", 1, most_dimensions));
  CAIRN_TRY(out.first, fields.boolean("pooling_mode_cls_token", false));
  CAIRN_TRY(out.mean, fields.boolean("pooling_mode_mean_tokens", false));
  CAIRN_TRY(out.max, fields.boolean("pooling_mode_max_tokens", false));
  CAIRN_TRY(out.mean_sqrt, fields.boolean("pooling_mode_mean_sqrt_len_tokens", false));
  CAIRN_TRY(out.weighted_mean, fields.boolean("pooling_mode_weightedmean_tokens", false));
  CAIRN_TRY(out.last, fields.boolean("pooling_mode_lasttoken", false));
  CAIRN_TRY(out.include_prompt, fields.boolean("include_prompt", true));
  if (!out.first && !out.mean && !out.max && !out.mean_sqrt && !out.weighted_mean && !out.last)
    return fields.wrong("pooling_mode_mean_tokens", "or another mode must be true");
  return out;
}

Result<DenseLayer> read_dense(std::string_view text) {
  CAIRN_TRY(const Json json, read_object(text, "Dense/config.json"));
  const ConfigFields fields(json, "Dense/config.json");
  DenseLayer out;
  CAIRN_TRY(out.in, fields.size("in_features", 1, most_dimensions));
  CAIRN_TRY(out.out, fields.size("out_features", 1, most_dimensions));
  CAIRN_TRY(out.bias, fields.boolean("bias", true));
  CAIRN_TRY(const std::string name, fields.string("activation_function", "Tanh"));
  using kernels::Activation;
  constexpr std::array<std::pair<std::string_view, Activation>, 5> activations{
      {{"Tanh", Activation::tanh},
       {"Identity", Activation::none},
       {"ReLU", Activation::relu},
       {"GELU", Activation::gelu},
       {"SiLU", Activation::silu}}};
  const std::string_view last = std::string_view(name).substr(name.rfind('.') + 1);
  for (const auto& [known, activation] : activations) {
    if (known != last) continue;
    out.activation = activation;
    return out;
  }
  return fields.not_offered("activation_function", name);
}

Result<SentenceSettings> read_sentence_settings(std::string_view sentence_bert_config,
                                                std::string_view config_sentence_transformers) {
  SentenceSettings out;
  if (!sentence_bert_config.empty()) {
    constexpr std::string_view file = "sentence_bert_config.json";
    CAIRN_TRY(const Json json, read_object(sentence_bert_config, file));
    const ConfigFields fields(json, file);
    if (fields.find("max_seq_length") != nullptr) {
      CAIRN_TRY(out.max_tokens, fields.size("max_seq_length", 1, 1'000'000));
    }
    CAIRN_TRY(out.lowercase, fields.boolean("do_lower_case", false));
  }
  if (!config_sentence_transformers.empty()) {
    constexpr std::string_view file = "config_sentence_transformers.json";
    CAIRN_TRY(const Json json, read_object(config_sentence_transformers, file));
    const ConfigFields fields(json, file);
    CAIRN_CHECK(read_prompts(fields, out));
    CAIRN_TRY(out.default_prompt, fields.string("default_prompt_name", ""));
    CAIRN_TRY(out.similarity, fields.string("similarity_fn_name", ""));
  }
  return out;
}

}  // namespace cairn::inference
