// SPDX-License-Identifier: Apache-2.0
// config.json: each family names the same things by names of its own.
#include "inference/encoder/config.h"

#include <cmath>

#include "inference/layers/config_fields.h"

namespace cairn::inference {
namespace {

constexpr std::string_view config_file = "config.json";
// Beyond any encoder that there is; they bound what loading may ask for.
constexpr std::size_t most_vocabulary = 4'000'000;
constexpr std::size_t most_hidden = 16'384;
constexpr std::size_t most_intermediate = 131'072;
constexpr std::size_t most_layers = 256;
constexpr std::size_t most_positions = 1'000'000;
constexpr std::size_t most_labels = 10'000;

struct Names {
  std::string_view hidden = "hidden_size";
  std::string_view layers = "num_hidden_layers";
  std::string_view heads = "num_attention_heads";
  std::string_view intermediate = "intermediate_size";
  std::string_view positions = "max_position_embeddings";
  std::string_view activation = "hidden_act";
};

Status read_sizes(const ConfigFields& fields, const Names& names, EncoderShape& out) {
  CAIRN_TRY(out.vocabulary, fields.size("vocab_size", 1, most_vocabulary));
  CAIRN_TRY(out.hidden, fields.size(names.hidden, 1, most_hidden));
  CAIRN_TRY(out.layers, fields.size(names.layers, 1, most_layers));
  CAIRN_TRY(out.heads, fields.size(names.heads, 1, out.hidden));
  CAIRN_TRY(out.most_tokens, fields.size(names.positions, 1, most_positions));
  if (out.hidden % out.heads != 0)
    return fields.wrong(names.heads, "must divide [" + std::string(names.hidden) + "]");
  out.head_size = out.hidden / out.heads;
  CAIRN_TRY(out.intermediate,
            fields.size(names.intermediate, 1, most_intermediate, 4 * out.hidden));
  return ok_status();
}

Status read_activation(const ConfigFields& fields, std::string_view name, EncoderShape& out) {
  CAIRN_TRY(const std::string activation, fields.string(name, "gelu"));
  if (activation == "gelu") {
    out.activation = kernels::Activation::gelu;
  } else if (activation == "gelu_new" || activation == "gelu_pytorch_tanh" ||
             activation == "gelu_fast") {
    out.activation = kernels::Activation::gelu_tanh;
  } else if (activation == "relu") {
    out.activation = kernels::Activation::relu;
  } else if (activation == "silu" || activation == "swish") {
    out.activation = kernels::Activation::silu;
  } else {
    return fields.not_offered(name, activation);
  }
  return ok_status();
}

Status want_false(const ConfigFields& fields, std::string_view name) {
  CAIRN_TRY(const bool value, fields.boolean(name, false));
  if (value) return fields.not_offered(name, "true");
  return ok_status();
}

Status want_string(const ConfigFields& fields, std::string_view name, std::string_view wanted) {
  CAIRN_TRY(const std::string value, fields.string(name, wanted));
  if (value != wanted) return fields.not_offered(name, value);
  return ok_status();
}

Status want_rotary(const EncoderShape& shape) {
  if (shape.head_size % 2 == 0) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "config.json: rotary positions need heads of an even size, not " +
                          std::to_string(shape.head_size)};
}

Status read_pad(const ConfigFields& fields, EncoderConfig& out) {
  if (fields.find("pad_token_id") == nullptr) return ok_status();
  CAIRN_TRY(const auto id, fields.size("pad_token_id", 0, out.shape.vocabulary - 1));
  out.pad_id = static_cast<std::uint32_t>(id);
  return ok_status();
}

/// Positions of these families begin behind that of the padding.
Status count_from_padding(const ConfigFields& fields, EncoderConfig& out) {
  if (!out.pad_id) out.pad_id = 1;
  if (*out.pad_id >= out.shape.vocabulary)
    return fields.wrong("vocab_size", "has no place for the padding's token");
  out.shape.first_position = std::size_t{*out.pad_id} + 1;
  if (out.shape.most_tokens <= out.shape.first_position)
    return fields.wrong("max_position_embeddings", "leaves no position behind the padding's");
  out.shape.most_tokens -= out.shape.first_position;
  return ok_status();
}

Status read_bert_kind(const ConfigFields& fields, EncoderConfig& out) {
  CAIRN_CHECK(read_sizes(fields, {}, out.shape));
  CAIRN_CHECK(read_activation(fields, "hidden_act", out.shape));
  CAIRN_CHECK(want_string(fields, "position_embedding_type", "absolute"));
  CAIRN_CHECK(want_false(fields, "is_decoder"));
  const bool bert = out.family == EncoderFamily::bert;
  CAIRN_TRY(out.shape.epsilon, fields.number("layer_norm_eps", bert ? 1e-12F : 1e-5F));
  CAIRN_TRY(out.token_types, fields.size("type_vocab_size", 0, most_positions, bert ? 2 : 1));
  CAIRN_CHECK(read_pad(fields, out));
  return bert ? ok_status() : count_from_padding(fields, out);
}

Status read_distilbert(const ConfigFields& fields, EncoderConfig& out) {
  constexpr Names names{.hidden = "dim",
                        .layers = "n_layers",
                        .heads = "n_heads",
                        .intermediate = "hidden_dim",
                        .activation = "activation"};
  CAIRN_CHECK(read_sizes(fields, names, out.shape));
  CAIRN_CHECK(read_activation(fields, names.activation, out.shape));
  return read_pad(fields, out);
}

Status read_mpnet(const ConfigFields& fields, EncoderConfig& out) {
  CAIRN_CHECK(read_sizes(fields, {}, out.shape));
  CAIRN_CHECK(read_activation(fields, "hidden_act", out.shape));
  CAIRN_TRY(out.shape.epsilon, fields.number("layer_norm_eps", 1e-12F));
  CAIRN_TRY(out.relative_buckets, fields.size("relative_attention_num_buckets", 4, 1024, 32));
  if (out.relative_buckets % 4 != 0)
    return fields.wrong("relative_attention_num_buckets", "must be a multiple of 4");
  out.shape.positions = Positions::relative;
  CAIRN_CHECK(read_pad(fields, out));
  return count_from_padding(fields, out);
}

Status read_modernbert(const ConfigFields& fields, EncoderConfig& out) {
  constexpr Names names{.activation = "hidden_activation"};
  EncoderShape& shape = out.shape;
  CAIRN_CHECK(read_sizes(fields, names, shape));
  CAIRN_CHECK(read_activation(fields, names.activation, shape));
  for (const auto* name : {"attention_bias", "mlp_bias", "norm_bias"})
    CAIRN_CHECK(want_false(fields, name));
  CAIRN_TRY(shape.epsilon, fields.number("norm_eps", 1e-5F));
  CAIRN_TRY(shape.rotary_base, fields.number("global_rope_theta", 160'000.0F));
  CAIRN_TRY(shape.window_rotary_base, fields.number("local_rope_theta", 10'000.0F));
  CAIRN_TRY(shape.global_every, fields.size("global_attn_every_n_layers", 1, most_layers, 3));
  // The file names the whole width of the window.
  CAIRN_TRY(const auto width, fields.size("local_attention", 2, most_positions, 128));
  shape.window = width / 2;
  shape.positions = Positions::rotary;
  shape.gated = true;
  shape.norm_first = true;
  out.linear_bias = false;
  out.norm_bias = false;
  CAIRN_TRY(const std::string pooled, fields.string("classifier_pooling", "cls"));
  if (pooled != "cls" && pooled != "mean") return fields.not_offered("classifier_pooling", pooled);
  out.classifier_takes_mean = pooled == "mean";
  CAIRN_CHECK(want_rotary(shape));
  return read_pad(fields, out);
}

Status read_nomic(const ConfigFields& fields, EncoderConfig& out) {
  constexpr Names names{.hidden = "n_embd",
                        .layers = "n_layer",
                        .heads = "n_head",
                        .intermediate = "n_inner",
                        .positions = "n_positions"};
  EncoderShape& shape = out.shape;
  CAIRN_CHECK(read_sizes(fields, names, shape));
  CAIRN_CHECK(want_string(fields, "activation_function", "swiglu"));
  for (const auto* name : {"prenorm", "qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias",
                           "use_rms_norm", "parallel_block", "causal", "rotary_emb_interleaved"}) {
    CAIRN_CHECK(want_false(fields, name));
  }
  CAIRN_TRY(const float fraction, fields.number("rotary_emb_fraction", 1.0F));
  if (fraction != 1.0F) return fields.not_offered("rotary_emb_fraction", std::to_string(fraction));
  if (fields.find("rotary_emb_scale_base") != nullptr)
    return fields.not_offered("rotary_emb_scale_base", "a number");
  CAIRN_TRY(shape.rotary_base, fields.number("rotary_emb_base", 10'000.0F));
  CAIRN_TRY(shape.epsilon, fields.number("layer_norm_epsilon", 1e-12F));
  CAIRN_TRY(out.token_types, fields.size("type_vocab_size", 0, most_positions, 2));
  shape.activation = kernels::Activation::silu;
  shape.positions = Positions::rotary;
  shape.gated = true;
  out.linear_bias = false;
  CAIRN_CHECK(want_rotary(shape));
  return read_pad(fields, out);
}

Status read_gte(const ConfigFields& fields, EncoderConfig& out) {
  EncoderShape& shape = out.shape;
  CAIRN_CHECK(read_sizes(fields, {}, shape));
  CAIRN_CHECK(read_activation(fields, "hidden_act", shape));
  CAIRN_CHECK(want_string(fields, "position_embedding_type", "rope"));
  CAIRN_CHECK(want_string(fields, "layer_norm_type", "layer_norm"));
  CAIRN_CHECK(want_false(fields, "logn_attention_scale"));
  float stretch = 1;
  if (const Json* scaling = fields.find("rope_scaling")) {
    const std::string type = scaling->string_or("type", "an object");
    if (type != "ntk") return fields.not_offered("rope_scaling", type);
    const ConfigFields inner(*scaling, config_file);
    if (inner.find("mixed_b") != nullptr)
      return fields.not_offered("rope_scaling.mixed_b", "a number");
    CAIRN_TRY(stretch, inner.number("factor", 1.0F));
  }
  CAIRN_TRY(shape.rotary_base, fields.number("rope_theta", 10'000.0F));
  // A fixed stretch, as NTK scaling has it.
  shape.rotary_base *= stretch;
  shape.rotary_divisor = std::pow(stretch, 2.0F / static_cast<float>(shape.head_size));
  CAIRN_TRY(shape.epsilon, fields.number("layer_norm_eps", 1e-12F));
  CAIRN_TRY(out.token_types, fields.size("type_vocab_size", 0, most_positions, 0));
  shape.positions = Positions::rotary;
  shape.gated = true;
  CAIRN_CHECK(want_rotary(shape));
  return read_pad(fields, out);
}

Status read_head(const ConfigFields& fields, EncoderConfig& out) {
  const Json* architectures = fields.find("architectures");
  if (architectures == nullptr) return ok_status();
  if (!architectures->is_array() || architectures->as_array().empty() ||
      !architectures->as_array()[0].is_string()) {
    return fields.wrong("architectures", "must be an array of names");
  }
  const std::string& name = architectures->as_array()[0].as_string();
  if (name.ends_with("ForMaskedLM")) out.head = EncoderHead::masked_language_model;
  if (!name.ends_with("ForSequenceClassification")) return ok_status();
  out.head = EncoderHead::classifier;
  const Json* labels = fields.find("id2label");
  const std::size_t named =
      labels != nullptr && labels->is_object() ? labels->as_object().size() : 2;
  CAIRN_TRY(out.labels, fields.size("num_labels", 1, most_labels, named));
  if (out.labels == 0 || out.labels > most_labels)
    return fields.wrong("id2label", "has no labels, or too many");
  out.sigmoid = out.labels == 1;
  const Json* wrapped = fields.find("sentence_transformers");
  const std::string activation = wrapped == nullptr ? "" : wrapped->string_or("activation_fn");
  if (activation.ends_with("Sigmoid")) out.sigmoid = true;
  if (activation.ends_with("Identity")) out.sigmoid = false;
  return ok_status();
}

struct FamilyName {
  std::string_view name;
  EncoderFamily family;
  Status (*read)(const ConfigFields&, EncoderConfig&);
};

constexpr FamilyName families[] = {{"bert", EncoderFamily::bert, read_bert_kind},
                                   {"distilbert", EncoderFamily::distilbert, read_distilbert},
                                   {"roberta", EncoderFamily::roberta, read_bert_kind},
                                   {"camembert", EncoderFamily::roberta, read_bert_kind},
                                   {"xlm-roberta", EncoderFamily::xlm_roberta, read_bert_kind},
                                   {"mpnet", EncoderFamily::mpnet, read_mpnet},
                                   {"modernbert", EncoderFamily::modernbert, read_modernbert},
                                   {"nomic_bert", EncoderFamily::nomic_bert, read_nomic},
                                   {"new", EncoderFamily::gte, read_gte}};

}  // namespace

std::string_view name_of(EncoderFamily family) {
  for (const FamilyName& one : families)
    if (one.family == family) return one.name;
  return {};
}

Result<EncoderConfig> read_encoder_config(std::string_view config_json) {
  CAIRN_TRY(const Json json, read_object(config_json, config_file));
  const ConfigFields fields(json, config_file);
  CAIRN_TRY(const std::string type, fields.string("model_type", ""));
  for (const FamilyName& one : families) {
    if (one.name != type) continue;
    EncoderConfig out;
    out.family = one.family;
    CAIRN_CHECK(one.read(fields, out));
    CAIRN_CHECK(read_head(fields, out));
    return out;
  }
  return Error{.kind = ErrorKind::unsupported,
               .message = "config.json: [model_type] is [" + type +
                          "], which is not offered; offered are cairn-static, bert, distilbert, "
                          "roberta, camembert, xlm-roberta, mpnet, modernbert, nomic_bert, "
                          "new (GTE), llama, mistral, qwen2 and qwen3"};
}

}  // namespace cairn::inference
