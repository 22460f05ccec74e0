// SPDX-License-Identifier: Apache-2.0
// The files of a small BERT of random weights, for tests.
#pragma once

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "inference/model/model.h"
#include "inference/model/safetensors.h"

namespace cairn::inference {

class TinyEncoder {
 public:
  static constexpr std::size_t hidden = 32, wide = 48, words = 60, tokens = 40;

  TinyEncoder() {
    matrix("embeddings.word_embeddings.weight", words, 0.5F);
    matrix("embeddings.position_embeddings.weight", tokens, 0.4F);
    matrix("embeddings.token_type_embeddings.weight", 2, 0.4F);
    norm("embeddings.LayerNorm");
    for (const char* const layer : {"encoder.layer.0.", "encoder.layer.1."}) {
      const std::string at = layer;
      for (const char* const part : {"query", "key", "value"}) {
        linear(at + "attention.self." + part, hidden, hidden);
      }
      linear(at + "attention.output.dense", hidden, hidden);
      norm(at + "attention.output.LayerNorm");
      linear(at + "intermediate.dense", wide, hidden);
      linear(at + "output.dense", hidden, wide);
      norm(at + "output.LayerNorm");
    }
  }

  std::vector<float>& numbers(const std::string& name) { return tensors_.at(name).numbers; }

  /// The folder's files by name.
  std::map<std::string, std::string, std::less<>> files() const {
    std::vector<Tensor> all;
    for (const auto& [name, one] : tensors_) {
      all.push_back({name, NumberType::f32, one.shape,
                     {reinterpret_cast<const char*>(one.numbers.data()),
                      one.numbers.size() * sizeof(float)}});
    }
    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]";
    for (std::size_t i = 5; i < words; ++i) vocabulary += "\nw" + std::to_string(i);
    return {{"config.json", config()},
            {"vocab.txt", vocabulary},
            {"model.safetensors", write_safetensors(all, {})}};
  }

 private:
  struct Stored {
    std::vector<std::uint64_t> shape;
    std::vector<float> numbers;
  };

  static std::string config() {
    return R"({"model_type":"bert","vocab_size":60,"hidden_size":32,"num_hidden_layers":2,)"
           R"("num_attention_heads":2,"intermediate_size":48,"max_position_embeddings":40,)"
           R"("type_vocab_size":2,"hidden_act":"gelu","layer_norm_eps":1e-12,"pad_token_id":0})";
  }

  std::vector<float> random(std::size_t count, float spread, float mean = 0) {
    std::normal_distribution<float> normal(mean, spread);
    std::vector<float> out(count);
    for (float& value : out) value = normal(random_);
    return out;
  }
  void matrix(const std::string& name, std::size_t rows, float spread) {
    tensors_[name] = {{rows, hidden}, random(rows * hidden, spread)};
  }
  void linear(const std::string& name, std::size_t columns, std::size_t depth) {
    tensors_[name + ".weight"] = {{columns, depth}, random(columns * depth, 0.1F)};
    tensors_[name + ".bias"] = {{columns}, random(columns, 0.1F)};
  }
  void norm(const std::string& name) {
    tensors_[name + ".weight"] = {{hidden}, random(hidden, 0.2F, 1)};
    tensors_[name + ".bias"] = {{hidden}, random(hidden, 0.1F)};
  }

  std::mt19937 random_{3};
  std::map<std::string, Stored> tensors_;
};

}  // namespace cairn::inference
