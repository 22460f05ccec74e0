// SPDX-License-Identifier: Apache-2.0
// Small GGUF files, for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::inference {

/// Writes values and tensors in the order in which they come.
class TinyGguf {
 public:
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
  std::string magic = "GGUF";

  TinyGguf& u32(std::string_view name, std::uint32_t value) { return add(name, 4, bytes(value)); }
  TinyGguf& i32(std::string_view name, std::int32_t value) { return add(name, 5, bytes(value)); }
  TinyGguf& u64(std::string_view name, std::uint64_t value) { return add(name, 10, bytes(value)); }
  TinyGguf& f32(std::string_view name, float value) { return add(name, 6, bytes(value)); }
  TinyGguf& boolean(std::string_view name, bool value) {
    return add(name, 7, std::string(1, value ? '\1' : '\0'));
  }
  TinyGguf& text(std::string_view name, std::string_view value) {
    return add(name, 8, string(value));
  }
  TinyGguf& texts(std::string_view name, const std::vector<std::string>& all) {
    std::string out = bytes(std::uint32_t{8}) + bytes(std::uint64_t{all.size()});
    for (const std::string& one : all) out += string(one);
    return add(name, 9, out);
  }
  TinyGguf& numbers(std::string_view name, const std::vector<float>& all) {
    std::string out = bytes(std::uint32_t{6}) + bytes(std::uint64_t{all.size()});
    for (const float one : all) out += bytes(one);
    return add(name, 9, out);
  }
  TinyGguf& integers(std::string_view name, const std::vector<std::int32_t>& all) {
    std::string out = bytes(std::uint32_t{5}) + bytes(std::uint64_t{all.size()});
    for (const std::int32_t one : all) out += bytes(one);
    return add(name, 9, out);
  }
  /// A value as bytes behind its type.
  TinyGguf& add(std::string_view name, std::uint32_t type, const std::string& value) {
    values_ += string(name) + bytes(type) + value;
    ++value_count_;
    return *this;
  }
  /// `columns_first` as in the file.
  TinyGguf& tensor(std::string_view name, std::uint32_t type,
                   const std::vector<std::uint64_t>& columns_first, const std::string& data) {
    return tensor_at(name, type, columns_first, data_.size(), data);
  }
  TinyGguf& tensor_at(std::string_view name, std::uint32_t type,
                      const std::vector<std::uint64_t>& columns_first, std::uint64_t at,
                      const std::string& data) {
    tensors_ += string(name) + bytes(static_cast<std::uint32_t>(columns_first.size()));
    for (const std::uint64_t length : columns_first) tensors_ += bytes(length);
    tensors_ += bytes(type) + bytes(at);
    data_ += data;
    data_.resize((data_.size() + alignment - 1) / alignment * alignment);
    ++tensor_count_;
    return *this;
  }
  TinyGguf& floats(std::string_view name, const std::vector<std::uint64_t>& columns_first,
                   const std::vector<float>& all) {
    return tensor(name, 0, columns_first,
                  {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(float)});
  }

  std::string file() const {
    std::string out = magic + bytes(version) + bytes(tensor_count_) + bytes(value_count_);
    out += values_ + tensors_;
    out.resize((out.size() + alignment - 1) / alignment * alignment);
    return out + data_;
  }

  template <class Number>
  static std::string bytes(Number number) {
    std::string out(sizeof number, '\0');
    std::memcpy(out.data(), &number, sizeof number);
    return out;
  }
  static std::string string(std::string_view text) {
    return bytes(std::uint64_t{text.size()}) + std::string(text);
  }

 private:
  std::string values_, tensors_, data_;
  std::uint64_t value_count_ = 0, tensor_count_ = 0;
};

/// Sizes of tiny_gguf_decoder().
inline constexpr std::uint32_t gguf_hidden = 32, gguf_heads = 2, gguf_wide = 64, gguf_words = 70;

/// A decoder of random weights in fp32, of one layer, with 70 tokens of byte-level BPE. `change`
/// may add values before its tensors come.
template <class Change>
TinyGguf tiny_gguf_decoder(const std::string& architecture, const Change& change) {
  TinyGguf out;
  const auto named = [&](const char* name) { return architecture + "." + name; };
  out.text("general.architecture", architecture);
  out.u32(named("context_length"), 128).u32(named("embedding_length"), gguf_hidden);
  out.u32(named("block_count"), 1).u32(named("feed_forward_length"), gguf_wide);
  out.u32(named("attention.head_count"), gguf_heads);
  out.u32(named("attention.head_count_kv"), 1);
  out.f32(named("attention.layer_norm_rms_epsilon"), 1e-5F);
  out.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", "qwen2");
  std::vector<std::string> tokens;
  for (std::uint32_t i = 0; i + 3 < gguf_words; ++i)
    tokens.emplace_back(1, static_cast<char>('!' + i));
  tokens.insert(tokens.end(), {"AB", "<|start|>", "<|end|>"});
  std::vector<std::int32_t> types(gguf_words, 1);
  types[gguf_words - 2] = types[gguf_words - 1] = 3;
  out.texts("tokenizer.ggml.tokens", tokens).integers("tokenizer.ggml.token_type", types);
  out.texts("tokenizer.ggml.merges", {"A B"});
  out.u32("tokenizer.ggml.bos_token_id", gguf_words - 2);
  out.u32("tokenizer.ggml.eos_token_id", gguf_words - 1);
  change(out);
  std::mt19937 random(3);
  const auto matrix = [&](const std::string& name, std::uint64_t rows, std::uint64_t columns) {
    std::normal_distribution<float> normal(0, 0.2F);
    std::vector<float> all(rows * columns);
    for (float& one : all) one = normal(random);
    out.floats(name, {columns, rows}, all);
  };
  const auto norm = [&](const std::string& name) {
    out.floats(name, {gguf_hidden}, std::vector<float>(gguf_hidden, 1.0F));
  };
  const std::uint64_t head = gguf_hidden / gguf_heads;
  matrix("token_embd.weight", gguf_words, gguf_hidden);
  norm("blk.0.attn_norm.weight");
  matrix("blk.0.attn_q.weight", gguf_hidden, gguf_hidden);
  matrix("blk.0.attn_k.weight", head, gguf_hidden);
  matrix("blk.0.attn_v.weight", head, gguf_hidden);
  matrix("blk.0.attn_output.weight", gguf_hidden, gguf_hidden);
  norm("blk.0.ffn_norm.weight");
  matrix("blk.0.ffn_gate.weight", gguf_wide, gguf_hidden);
  matrix("blk.0.ffn_up.weight", gguf_wide, gguf_hidden);
  matrix("blk.0.ffn_down.weight", gguf_hidden, gguf_wide);
  norm("output_norm.weight");
  return out;
}

}  // namespace cairn::inference
