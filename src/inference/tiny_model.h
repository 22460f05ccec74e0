// SPDX-License-Identifier: Apache-2.0
// The files of a static model whose answers can be worked out by hand, for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "format/json.h"
#include "inference/model/safetensors.h"
#include "inference/static/static_reranker.h"

namespace cairn::inference {

using TinyFiles = std::map<std::string, std::string, std::less<>>;

template <class Number>
std::string tiny_bytes(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

/// Six tokens in two dimensions: car and auto point one way, sea the other; `the` carries nothing.
inline TinyFiles tiny_files() {
  TinyFiles files;
  files["tokenizer.json"] =
      R"({"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},)"
      R"("model":{"type":"WordPiece","vocab":{"[UNK]":0,"the":1,"car":2,"auto":3,"sea":4,)"
      R"("red":5}}})";
  Json config = Json::object(
      {{"model_type", "cairn-static"},
       {"tasks", Json::array({"text_embedding", "sparse_embedding", "rerank"})},
       {"vocab_size", 6},
       {"hidden_size", 2},
       {"max_input_tokens", 8},
       {"sparse",
        Json::object({{"k1", 1.0}, {"b", 0.0}, {"average_length", 10}, {"most_expansions", 4}})},
       {"rerank",
        Json::object({{"hidden_size", 1}, {"features", Json::array_of(rerank_feature_names)}})}});
  files["config.json"] = config.dump(true);
  const std::string vectors = tiny_bytes<std::int8_t>({0, 0, 0, 0, 100, 0, 90, 10, 0, 100, 50, 50});
  const std::string scales = tiny_bytes<float>({0, 0, 0.01F, 0.01F, 0.01F, 0.01F});
  const std::string idf = tiny_bytes<float>({0, 0, 4, 9, 4, 1});
  const std::string ends = tiny_bytes<std::int32_t>({0, 0, 1, 2, 2, 2});
  const std::string ids = tiny_bytes<std::int32_t>({3, 2});
  const std::string weights = tiny_bytes<std::uint8_t>({51, 51});  // 0.2
  const std::uint64_t n = rerank_feature_names.size();
  const std::string zeros = tiny_bytes(std::vector<float>(n, 0));
  const std::string ones = tiny_bytes(std::vector<float>(n, 1));
  const std::string one = tiny_bytes<float>({1});
  const std::string minus = tiny_bytes<float>({-1});
  files["model.safetensors"] =
      write_safetensors({{"embedding.weight", NumberType::i8, {6, 2}, vectors},
                         {"embedding.scale", NumberType::f32, {6}, scales},
                         {"token.idf", NumberType::f32, {6}, idf},
                         {"expansion.ends", NumberType::i32, {6}, ends},
                         {"expansion.ids", NumberType::i32, {2}, ids},
                         {"expansion.weights", NumberType::u8, {2}, weights},
                         {"rerank.input.mean", NumberType::f32, {n}, zeros},
                         {"rerank.input.inverse_spread", NumberType::f32, {n}, ones},
                         {"rerank.hidden.weight", NumberType::f32, {1, n}, ones},
                         {"rerank.hidden.bias", NumberType::f32, {1}, one},
                         {"rerank.output.weight", NumberType::f32, {1, 1}, one},
                         {"rerank.output.bias", NumberType::f32, {1}, minus}},
                        {});
  return files;
}

}  // namespace cairn::inference
