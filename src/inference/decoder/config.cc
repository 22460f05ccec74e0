// SPDX-License-Identifier: Apache-2.0
// config.json of decoders: what the families have in common, then what each has of its own.
#include "inference/decoder/config.h"

#include "inference/layers/config_fields.h"

namespace cairn::inference {
namespace {

constexpr std::string_view decoder_file = "config.json";
// Beyond any decoder that runs here; they bound what loading may ask for.
constexpr std::size_t most_decoder_words = 4'000'000;
constexpr std::size_t most_decoder_hidden = 65'536;
constexpr std::size_t most_decoder_intermediate = 524'288;
constexpr std::size_t most_decoder_layers = 512;
constexpr std::size_t most_decoder_heads = 1'024;
constexpr std::size_t most_head_size = 1'024;
constexpr std::size_t most_decoder_positions = 4'000'000;

Status read_decoder_sizes(const ConfigFields& fields, DecoderShape& out) {
  CAIRN_TRY(out.vocabulary, fields.size("vocab_size", 1, most_decoder_words));
  CAIRN_TRY(out.hidden, fields.size("hidden_size", 1, most_decoder_hidden));
  CAIRN_TRY(out.layers, fields.size("num_hidden_layers", 1, most_decoder_layers));
  CAIRN_TRY(out.heads, fields.size("num_attention_heads", 1, most_decoder_heads));
  CAIRN_TRY(out.kv_heads, fields.size("num_key_value_heads", 1, out.heads, out.heads));
  CAIRN_TRY(out.intermediate, fields.size("intermediate_size", 1, most_decoder_intermediate));
  CAIRN_TRY(out.most_tokens, fields.size("max_position_embeddings", 1, most_decoder_positions));
  CAIRN_TRY(out.epsilon, fields.number("rms_norm_eps", 1e-6F));
  if (out.heads % out.kv_heads != 0)
    return fields.wrong("num_key_value_heads", "must divide [num_attention_heads]");
  if (fields.find("head_dim") == nullptr && out.hidden % out.heads != 0)
    return fields.wrong("num_attention_heads", "must divide [hidden_size]");
  CAIRN_TRY(out.head_size, fields.size("head_dim", 2, most_head_size, out.hidden / out.heads));
  if (out.head_size < 2 || out.head_size % 2 != 0 || out.head_size > most_head_size)
    return fields.wrong("head_dim", "must be even, 2 to 1024: positions turn pairs of numbers");
  return ok_status();
}

/// Choices that other models of the same types make, and that would change every answer.
Status check_choices(const ConfigFields& fields) {
  CAIRN_TRY(const std::string activation, fields.string("hidden_act", "silu"));
  if (activation != "silu" && activation != "swish")
    return fields.not_offered("hidden_act", activation);
  CAIRN_TRY(const float part, fields.number("partial_rotary_factor", 1.0F));
  if (part != 1.0F) return fields.not_offered("partial_rotary_factor", std::to_string(part));
  if (fields.find("quantization_config") != nullptr)
    return fields.not_offered("quantization_config", "an object");
  const Json* const kinds = fields.find("layer_types");
  if (kinds == nullptr) return ok_status();
  if (!kinds->is_array()) return fields.wrong("layer_types", "must be an array of names");
  for (const Json& kind : kinds->as_array()) {
    if (!kind.is_string()) return fields.wrong("layer_types", "must be an array of names");
    if (kind.as_string() != "full_attention")
      return fields.not_offered("layer_types", kind.as_string());
  }
  return ok_status();
}

/// A window that every sequence fits into is none.
Status check_window(const ConfigFields& fields, const DecoderShape& shape, std::size_t fallback) {
  const Json* const found = fields.find("sliding_window");
  if (found == nullptr && fallback == 0) return ok_status();
  CAIRN_TRY(const std::size_t window,
            fields.size("sliding_window", 1, most_decoder_positions, fallback));
  if (window >= shape.most_tokens) return ok_status();
  return fields.not_offered("sliding_window", std::to_string(window));
}

Status read_llama(const ConfigFields& fields, DecoderConfig& out) {
  CAIRN_TRY(out.query_bias, fields.boolean("attention_bias", false));
  out.output_bias = out.query_bias;
  CAIRN_TRY(out.feed_bias, fields.boolean("mlp_bias", false));
  return ok_status();
}

/// Without the field the window is 4096 tokens; null means none.
Status read_mistral(const ConfigFields& fields, DecoderConfig& out) {
  const bool is_null = fields.has_null("sliding_window");
  return check_window(fields, out.shape, is_null ? 0 : 4096);
}

Status read_window_switch(const ConfigFields& fields, const DecoderShape& shape) {
  CAIRN_TRY(const bool on, fields.boolean("use_sliding_window", false));
  if (!on) return ok_status();
  CAIRN_CHECK(check_window(fields, shape, 4096));
  return ok_status();
}

Status read_qwen2(const ConfigFields& fields, DecoderConfig& out) {
  out.query_bias = true;
  return read_window_switch(fields, out.shape);
}

Status read_qwen3(const ConfigFields& fields, DecoderConfig& out) {
  out.head_norms = true;
  CAIRN_TRY(out.query_bias, fields.boolean("attention_bias", false));
  out.output_bias = out.query_bias;
  return read_window_switch(fields, out.shape);
}

struct DecoderName {
  std::string_view name;
  DecoderFamily family;
  Status (*read)(const ConfigFields&, DecoderConfig&);
};

constexpr DecoderName decoder_names[] = {{"llama", DecoderFamily::llama, read_llama},
                                         {"mistral", DecoderFamily::mistral, read_mistral},
                                         {"qwen2", DecoderFamily::qwen2, read_qwen2},
                                         {"qwen3", DecoderFamily::qwen3, read_qwen3}};

}  // namespace

std::string_view name_of(DecoderFamily family) {
  for (const DecoderName& one : decoder_names)
    if (one.family == family) return one.name;
  return {};
}

bool is_decoder_type(std::string_view model_type) {
  for (const DecoderName& one : decoder_names)
    if (one.name == model_type) return true;
  return false;
}

std::string_view decoder_types() { return "llama, mistral, qwen2 and qwen3"; }

Result<DecoderConfig> read_decoder_config(std::string_view config_json) {
  CAIRN_TRY(const Json json, read_object(config_json, decoder_file));
  const ConfigFields fields(json, decoder_file);
  CAIRN_TRY(const std::string type, fields.string("model_type", ""));
  for (const DecoderName& one : decoder_names) {
    if (one.name != type) continue;
    DecoderConfig out;
    out.family = one.family;
    CAIRN_CHECK(read_decoder_sizes(fields, out.shape));
    CAIRN_CHECK(check_choices(fields));
    CAIRN_TRY(out.tied, fields.boolean("tie_word_embeddings", false));
    // Scaled positions may take longer texts, which a window must not cut.
    CAIRN_TRY(out.rotary, read_rotary(fields, out.shape.head_size, out.shape.most_tokens));
    CAIRN_CHECK(one.read(fields, out));
    return out;
  }
  return Error{.kind = ErrorKind::unsupported,
               .message = "config.json: [model_type] is [" + type +
                          "], which is not offered for decoders; offered are " +
                          std::string(decoder_types())};
}

}  // namespace cairn::inference
