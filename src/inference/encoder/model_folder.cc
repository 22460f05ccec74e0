// SPDX-License-Identifier: Apache-2.0
// Tokenizer, pooling and weights of a folder.
#include "inference/encoder/model_folder.h"

#include <algorithm>
#include <utility>

#include "format/json.h"
#include "inference/encoder/pool.h"
#include "inference/gguf/decoder_tensors.h"
#include "inference/model/shard_index.h"

namespace cairn::inference {
namespace {

Status read_module(const ModelFiles& files, const SentenceModule& module, SentenceFiles& out) {
  switch (module.kind) {
    case SentenceModule::Kind::transformer:
      break;
    case SentenceModule::Kind::normalize:
      out.normalises = true;
      break;
    case SentenceModule::Kind::splade:
      out.makes_terms = true;
      break;
    case SentenceModule::Kind::pooling: {
      CAIRN_TRY(const std::string json, files.read(module.path + "/config.json"));
      CAIRN_TRY(out.pooling, read_pooling(json));
      break;
    }
    case SentenceModule::Kind::dense: {
      CAIRN_TRY(const std::string json, files.read(module.path + "/config.json"));
      CAIRN_TRY(const DenseLayer dense, read_dense(json));
      out.dense.emplace_back(module.path, dense);
      break;
    }
  }
  return ok_status();
}

/// The GGUF file that config.json names; empty where it names none.
Result<std::string> gguf_file_of(const ModelFiles& files) {
  CAIRN_TRY(const std::string config, read_if_there(files, "config.json"));
  if (config.empty()) return std::string();
  CAIRN_TRY(const Json fields, parse_json(config));
  return fields.string_or("gguf_file");
}

}  // namespace

Result<std::string> read_if_there(const ModelFiles& files, const std::string& name) {
  Result<std::string> out = files.read(name);
  if (!out.ok() && out.error().kind == ErrorKind::not_found) return std::string();
  return out;
}

Result<text::Tokenizer> read_tokenizer(const ModelFiles& files) {
  CAIRN_TRY(const std::string json, read_if_there(files, "tokenizer.json"));
  CAIRN_TRY(const std::string config, read_if_there(files, "tokenizer_config.json"));
  CAIRN_TRY(const std::string special, read_if_there(files, "special_tokens_map.json"));
  CAIRN_TRY(const std::string vocabulary, read_if_there(files, "vocab.txt"));
  return text::Tokenizer::load({.tokenizer_json = json,
                                .tokenizer_config = config,
                                .special_tokens_map = special,
                                .vocab_txt = vocabulary});
}

Result<SentenceFiles> read_sentence_files(const ModelFiles& files) {
  SentenceFiles out;
  CAIRN_TRY(const std::string settings, read_if_there(files, "sentence_bert_config.json"));
  CAIRN_TRY(const std::string prompts, read_if_there(files, "config_sentence_transformers.json"));
  CAIRN_TRY(out.settings, read_sentence_settings(settings, prompts));
  out.pooling.mean = true;
  CAIRN_TRY(const std::string json, read_if_there(files, "modules.json"));
  if (json.empty()) return out;
  CAIRN_TRY(const std::vector<SentenceModule> modules, read_modules(json));
  out.has_modules = true;
  out.normalises = false;
  for (const SentenceModule& module : modules) CAIRN_CHECK(read_module(files, module, out));
  return out;
}

std::size_t SentenceFiles::dimensions(std::size_t hidden) const {
  return dense.empty() ? pooled_size(pooling, hidden) : dense.back().second.out;
}

std::string_view SentenceFiles::similarity() const {
  return normalises || settings.similarity != "dot" ? "cosine" : "dot_product";
}

const std::string& SentenceFiles::prompt(InputType type) const {
  static const std::string none;
  std::vector<std::string_view> names;
  if (type == InputType::search) names = {"query", "search_query"};
  if (type == InputType::ingest) names = {"passage", "document", "search_document"};
  if (type == InputType::classification) names = {"classification"};
  if (type == InputType::clustering) names = {"clustering"};
  names.push_back(settings.default_prompt);
  for (const std::string_view name : names) {
    for (const auto& [known, text] : settings.prompts) {
      if (known == name) return text;
    }
  }
  return none;
}

Status read_tensor_files(const ModelFiles& files, TensorFiles& out) {
  CAIRN_TRY(const std::string gguf, gguf_file_of(files));
  if (!gguf.empty()) {
    CAIRN_TRY(FileBytes bytes, files.weights(gguf));
    out.bytes.push_back(std::move(bytes));
    CAIRN_TRY(std::vector<Tensor> tensors, decoder_tensors_of(out.bytes.back().bytes()));
    return out.tensors.add(gguf, std::move(tensors));
  }
  std::vector<std::string> names = {"model.safetensors"};
  CAIRN_TRY(const std::string index, read_if_there(files, "model.safetensors.index.json"));
  if (!index.empty()) {
    CAIRN_TRY(const ShardIndex shards, read_shard_index(index));
    names = shards.files;
  }
  for (const std::string& name : names) {
    CAIRN_TRY(FileBytes bytes, files.weights(name));
    out.bytes.push_back(std::move(bytes));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAIRN_CHECK(out.tensors.add(names[i], out.bytes[i].view()));
  }
  return ok_status();
}

}  // namespace cairn::inference
