// SPDX-License-Identifier: Apache-2.0
// Values of an architecture become the fields of config.json.
#include "inference/gguf/decoder_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

namespace cairn::inference {
namespace {

constexpr std::string_view gguf_architectures[] = {"llama", "qwen2", "qwen3"};
constexpr std::string_view words_tensor = "token_embd.weight";
constexpr std::string_view factors_tensor = "rope_freqs.weight";
constexpr std::uint64_t most_gguf_size = 4'000'000;  // the config's own bounds are narrower

/// Values that are read here, behind the architecture's name.
constexpr std::string_view known_values[] = {
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.layer_norm_rms_epsilon",
    "attention.value_length",
    "block_count",
    "context_length",
    "embedding_length",
    "feed_forward_length",
    "rope.dimension_count",
    "rope.freq_base",
    "rope.scale_linear",
    "rope.scaling.attn_factor",
    "rope.scaling.factor",
    "rope.scaling.finetuned",
    "rope.scaling.original_context_length",
    "rope.scaling.type",
    "tensor_data_layout",
    "vocab_size",
};

/// Values that may be there as long as they are 0 or false: each is a part that is not built.
constexpr std::string_view unused_values[] = {"attention.sliding_window", "expert_count",
                                              "expert_used_count", "use_parallel_residual"};

Error not_offered_value(std::string_view name, std::string_view what) {
  return Error{.kind = ErrorKind::unsupported,
               .message = "gguf: [" + std::string(name.substr(0, 200)) + "] is [" +
                          std::string(what.substr(0, 200)) + "], which is not offered"};
}

template <std::size_t count>
bool is_among(const std::string_view (&names)[count], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

class ConfigOfGguf {
 public:
  ConfigOfGguf(const GgufFile& file, std::string architecture, const ReadRange& read)
      : file_(file),
        values_(file.values()),
        architecture_(std::move(architecture)),
        read_(read),
        out_(Json::object({{"model_type", architecture_}})) {}

  Result<Json> make(std::string_view file_name) {
    out_.set("gguf_file", file_name);
    CAIRN_CHECK(check_names());
    CAIRN_CHECK(set_sizes());
    CAIRN_CHECK(set_heads());
    CAIRN_CHECK(set_positions());
    set_tensors();
    return std::move(out_);
  }

 private:
  std::string named(std::string_view name) const { return architecture_ + "." + std::string(name); }
  Result<std::uint64_t> size(std::string_view name,
                             std::optional<std::uint64_t> fallback = {}) const {
    return values_.integer(named(name), most_gguf_size, fallback);
  }
  Result<double> number(std::string_view name, std::optional<double> fallback = {}) const {
    return values_.number(named(name), fallback);
  }

  Status check_names() const {
    const std::string before = architecture_ + ".";
    for (const std::string_view name : values_.names()) {
      if (!name.starts_with(before)) continue;
      const std::string_view rest = name.substr(before.size());
      if (is_among(known_values, rest)) continue;
      if (!is_among(unused_values, rest))
        return Error{.kind = ErrorKind::unsupported,
                     .message = "gguf: [" + std::string(name.substr(0, 200)) +
                                "] is not known here, and could change every answer"};
      if (values_.boolean(name, false).ok()) {
        CAIRN_TRY(const bool on, values_.boolean(name, false));
        if (on) return not_offered_value(name, "true");
        continue;
      }
      CAIRN_TRY(const std::uint64_t value, values_.integer(name, UINT64_MAX));
      if (value != 0) return not_offered_value(name, std::to_string(value));
    }
    return ok_status();
  }

  Status set_sizes() {
    const GgufTensor* const words = file_.find(words_tensor);
    if (words == nullptr || words->shape.size() != 2)
      return gguf_value_error(words_tensor, "must be there, with two dimensions");
    CAIRN_TRY(hidden_, size("embedding_length"));
    CAIRN_TRY(most_tokens_, size("context_length"));
    CAIRN_TRY(const std::uint64_t layers, size("block_count"));
    CAIRN_TRY(const std::uint64_t wide, size("feed_forward_length"));
    CAIRN_TRY(const double epsilon, number("attention.layer_norm_rms_epsilon"));
    out_.set("vocab_size", words->shape[0]);
    out_.set("hidden_size", hidden_);
    out_.set("num_hidden_layers", layers);
    out_.set("intermediate_size", wide);
    out_.set("max_position_embeddings", most_tokens_);
    out_.set("rms_norm_eps", epsilon);
    return ok_status();
  }

  Status set_heads() {
    CAIRN_TRY(const std::uint64_t heads, size("attention.head_count"));
    CAIRN_TRY(const std::uint64_t kv_heads, size("attention.head_count_kv", heads));
    if (heads == 0) return gguf_value_error(named("attention.head_count"), "must be above 0");
    if (!values_.has(named("attention.key_length")) && hidden_ % heads != 0)
      return gguf_value_error(named("attention.head_count"), "must divide the embedding's length");
    CAIRN_TRY(head_size_, size("attention.key_length", hidden_ / heads));
    CAIRN_TRY(const std::uint64_t value_size, size("attention.value_length", hidden_ / heads));
    if (value_size != head_size_)
      return not_offered_value(named("attention.value_length"), std::to_string(value_size));
    CAIRN_TRY(const std::uint64_t turned, size("rope.dimension_count", head_size_));
    if (turned != head_size_)
      return not_offered_value(named("rope.dimension_count"), std::to_string(turned));
    out_.set("num_attention_heads", heads);
    out_.set("num_key_value_heads", kv_heads);
    out_.set("head_dim", head_size_);
    return ok_status();
  }

  Status set_positions() {
    CAIRN_TRY(const double base, number("rope.freq_base", 10'000.0));
    out_.set("rope_theta", base);
    // Without a type a factor is meant all the same.
    CAIRN_TRY(const std::string type, values_.string(named("rope.scaling.type"), "linear"));
    CAIRN_TRY(const double old_factor, number("rope.scale_linear", 1.0));
    CAIRN_TRY(double factor, number("rope.scaling.factor", old_factor));
    if (factor == 0) factor = 1;  // says that there is none
    if (type != "none" && type != "linear" && type != "yarn")
      return not_offered_value(named("rope.scaling.type"), type);
    const GgufTensor* const factors = file_.find(factors_tensor);
    if (factors != nullptr) {
      if (type != "none" && factor != 1.0)
        return not_offered_value(factors_tensor, "beside a scaling of positions");
      return set_factors(*factors);
    }
    if (type == "none" || (type == "linear" && factor == 1.0)) return ok_status();
    Json scaling = Json::object({{"rope_type", type}, {"factor", factor}});
    if (type == "yarn") CAIRN_CHECK(set_yarn(factor, scaling));
    out_.set("rope_scaling", std::move(scaling));
    return ok_status();
  }

  Status set_yarn(double factor, Json& scaling) const {
    CAIRN_TRY(const std::uint64_t original,
              size("rope.scaling.original_context_length", most_tokens_));
    CAIRN_TRY(const double growth, number("rope.scaling.attn_factor", 1.0));
    scaling.set("original_max_position_embeddings", original);
    const double usual = factor <= 1 ? 1 : 0.1 * std::log(factor) + 1;
    if (growth != 1.0) scaling.set("attention_factor", growth * usual);
    return ok_status();
  }

  /// What the frequencies of a head's pairs are divided by.
  Status set_factors(const GgufTensor& tensor) {
    const std::uint64_t pairs = head_size_ / 2;
    if (tensor.type != NumberType::f32 || tensor.shape != std::vector<std::uint64_t>{pairs})
      return gguf_value_error(factors_tensor,
                              "must be [" + std::to_string(pairs) + "] numbers of type F32");
    CAIRN_TRY(const std::string bytes, read_(tensor.begin, tensor.bytes));
    if (bytes.size() != tensor.bytes) return gguf_value_error(factors_tensor, "is not whole");
    Json list = Json::array();
    for (std::uint64_t i = 0; i < pairs; ++i) {
      float one = 0;
      std::memcpy(&one, bytes.data() + i * sizeof one, sizeof one);
      if (!std::isfinite(one) || !(one > 0))
        return gguf_value_error(factors_tensor, "must hold numbers above 0");
      list.push(static_cast<double>(one));
    }
    out_.set("rope_scaling",
             Json::object({{"rope_type", "divided"}, {"divisors", std::move(list)}}));
    return ok_status();
  }

  void set_tensors() {
    out_.set("tie_word_embeddings", file_.find("output.weight") == nullptr);
    if (architecture_ != "qwen2")
      out_.set("attention_bias", file_.find("blk.0.attn_q.bias") != nullptr);
    if (architecture_ == "llama")
      out_.set("mlp_bias", file_.find("blk.0.ffn_gate.bias") != nullptr);
  }

  const GgufFile& file_;
  const GgufValues& values_;
  const std::string architecture_;
  const ReadRange& read_;
  Json out_;
  std::uint64_t hidden_ = 0;
  std::uint64_t head_size_ = 0;
  std::uint64_t most_tokens_ = 0;
};

}  // namespace

Result<std::string> architecture_of(const GgufValues& values) {
  constexpr std::string_view name = "general.architecture";
  CAIRN_TRY(std::string out, values.string(name));
  if (is_among(gguf_architectures, out)) return out;
  return Error{.kind = ErrorKind::unsupported,
               .message = "gguf: [general.architecture] is [" + out.substr(0, 200) +
                          "]; offered are llama, qwen2 and qwen3"};
}

Result<Json> config_of_gguf(const GgufFile& file, std::string_view file_name,
                            const ReadRange& read) {
  CAIRN_TRY(std::string architecture, architecture_of(file.values()));
  return ConfigOfGguf(file, std::move(architecture), read).make(file_name);
}

}  // namespace cairn::inference
