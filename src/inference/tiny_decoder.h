// SPDX-License-Identifier: Apache-2.0
// The files of a small Qwen3 of random weights, for tests.
#pragma once

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "inference/model/safetensors.h"

namespace cairn::inference {

class TinyDecoder {
 public:
  static constexpr std::size_t hidden = 48, heads = 6, kv_heads = 2, head_size = 12, wide = 80,
                               words = 70, tokens = 256, layers = 2;

  TinyDecoder() {
    matrix("model.embed_tokens.weight", words, hidden, 0.5F);
    for (std::size_t layer = 0; layer < layers; ++layer) {
      const std::string at = "model.layers." + std::to_string(layer) + ".";
      vector(at + "input_layernorm.weight", hidden);
      matrix(at + "self_attn.q_proj.weight", heads * head_size, hidden, 0.15F);
      matrix(at + "self_attn.k_proj.weight", kv_heads * head_size, hidden, 0.15F);
      matrix(at + "self_attn.v_proj.weight", kv_heads * head_size, hidden, 0.15F);
      vector(at + "self_attn.q_norm.weight", head_size);
      vector(at + "self_attn.k_norm.weight", head_size);
      matrix(at + "self_attn.o_proj.weight", hidden, heads * head_size, 0.15F);
      vector(at + "post_attention_layernorm.weight", hidden);
      matrix(at + "mlp.gate_proj.weight", wide, hidden, 0.15F);
      matrix(at + "mlp.up_proj.weight", wide, hidden, 0.15F);
      matrix(at + "mlp.down_proj.weight", hidden, wide, 0.15F);
    }
    vector("model.norm.weight", hidden);
    matrix("lm_head.weight", words, hidden, 0.2F);
  }

  struct Stored {
    std::vector<std::uint64_t> shape;
    std::vector<float> numbers;
  };
  std::map<std::string, Stored>& tensors() { return tensors_; }

  static std::string config() {
    return R"({"model_type":"qwen3","vocab_size":70,"hidden_size":48,"num_hidden_layers":2,)"
           R"("num_attention_heads":6,"num_key_value_heads":2,"head_dim":12,)"
           R"("intermediate_size":80,"max_position_embeddings":256,"hidden_act":"silu",)"
           R"("rms_norm_eps":1e-6,"rope_theta":10000})";
  }

  std::string weights() const {
    std::vector<Tensor> all;
    for (const auto& [name, one] : tensors_) {
      all.push_back({name,
                     NumberType::f32,
                     one.shape,
                     {reinterpret_cast<const char*>(one.numbers.data()),
                      one.numbers.size() * sizeof(float)}});
    }
    return write_safetensors(all, {});
  }

  /// The folder's files by name, with a tokenizer that knows "w5" to "w69".
  std::map<std::string, std::string, std::less<>> files() const {
    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]";
    for (std::size_t i = 5; i < words; ++i) vocabulary += "\nw" + std::to_string(i);
    return {{"config.json", config()}, {"vocab.txt", vocabulary}, {"model.safetensors", weights()}};
  }

 private:
  std::vector<float> random(std::size_t count, float spread, float mean) {
    std::normal_distribution<float> normal(mean, spread);
    std::vector<float> out(count);
    for (float& value : out) value = normal(random_);
    return out;
  }
  void matrix(const std::string& name, std::size_t rows, std::size_t columns, float spread) {
    tensors_[name] = {{rows, columns}, random(rows * columns, spread, 0)};
  }
  void vector(const std::string& name, std::size_t count) {
    tensors_[name] = {{count}, random(count, 0.2F, 1)};
  }

  std::mt19937 random_{11};
  std::map<std::string, Stored> tensors_;
};

}  // namespace cairn::inference
