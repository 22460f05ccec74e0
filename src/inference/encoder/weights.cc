// SPDX-License-Identifier: Apache-2.0
// Names of tensors by family, and the order in which their rows are packed.
#include "inference/encoder/weights.h"

#include <string>
#include <utility>
#include <vector>

#include "inference/layers/parts.h"

namespace cairn::inference {
namespace {

/// The names of one layer's tensors behind its own prefix.
struct LayerNames {
  std::string_view layers;  // before the number of the layer
  std::vector<std::string_view> joined;  // one tensor, or queries, keys and values
  std::string_view attended;
  std::string_view attention_norm;
  std::vector<std::string_view> up;  // one; or the activated half and the other
  bool up_is_reversed = false;       // one tensor whose activated half comes last
  std::string_view down;
  std::string_view output_norm;
};

struct FamilyNames {
  std::vector<std::string_view> prefixes;
  std::string_view words;
  std::string_view positions;  // empty: none
  std::string_view types;
  std::string_view embedding_norm;
  LayerNames layer;
  std::string_view final_norm;  // empty: none
};

const LayerNames& bert_layer() {
  static const LayerNames names = {
      "encoder.layer.",
      {"attention.self.query", "attention.self.key", "attention.self.value"},
      "attention.output.dense",
      "attention.output.LayerNorm",
      {"intermediate.dense"},
      false,
      "output.dense",
      "output.LayerNorm"};
  return names;
}

FamilyNames bert_names(std::string_view prefix) {
  return {{"", prefix},
          "embeddings.word_embeddings.weight",
          "embeddings.position_embeddings.weight",
          "embeddings.token_type_embeddings.weight",
          "embeddings.LayerNorm",
          bert_layer(),
          ""};
}

FamilyNames mpnet_names() {
  FamilyNames out = bert_names("mpnet.");
  out.types = "";
  out.layer.joined = {"attention.attn.q", "attention.attn.k", "attention.attn.v"};
  out.layer.attended = "attention.attn.o";
  out.layer.attention_norm = "attention.LayerNorm";
  return out;
}

FamilyNames distilbert_names() {
  FamilyNames out = bert_names("distilbert.");
  out.types = "";
  out.layer = {"transformer.layer.",
               {"attention.q_lin", "attention.k_lin", "attention.v_lin"},
               "attention.out_lin",
               "sa_layer_norm",
               {"ffn.lin1"},
               false,
               "ffn.lin2",
               "output_layer_norm"};
  return out;
}

FamilyNames modernbert_names() {
  return {{"", "model."},
          "embeddings.tok_embeddings.weight",
          "",
          "",
          "embeddings.norm",
          {"layers.", {"attn.Wqkv"}, "attn.Wo", "attn_norm", {"mlp.Wi"}, false, "mlp.Wo",
           "mlp_norm"},
          "final_norm"};
}

FamilyNames nomic_names() {
  return {{"", "bert."},
          "embeddings.word_embeddings.weight",
          "",
          "embeddings.token_type_embeddings.weight",
          "emb_ln",
          {"encoder.layers.",
           {"attn.Wqkv"},
           "attn.out_proj",
           "norm1",
           {"mlp.fc12", "mlp.fc11"},
           false,
           "mlp.fc2",
           "norm2"},
          ""};
}

FamilyNames gte_names() {
  FamilyNames out = bert_names("new.");
  out.positions = "";
  out.layer = {"encoder.layer.",
               {"attention.qkv_proj"},
               "attention.o_proj",
               "attn_ln",
               {"mlp.up_gate_proj"},
               true,
               "mlp.down_proj",
               "mlp_ln"};
  return out;
}

FamilyNames names_of(EncoderFamily family) {
  switch (family) {
    case EncoderFamily::bert: return bert_names("bert.");
    case EncoderFamily::roberta:
    case EncoderFamily::xlm_roberta: return bert_names("roberta.");
    case EncoderFamily::distilbert: return distilbert_names();
    case EncoderFamily::mpnet: return mpnet_names();
    case EncoderFamily::modernbert: return modernbert_names();
    case EncoderFamily::nomic_bert: return nomic_names();
    case EncoderFamily::gte: return gte_names();
  }
  return {};
}

/// Reads one encoder's tensors.
class Reader {
 public:
  Reader(const EncoderConfig& config, Tensors& tensors, const LayerArithmetic& arithmetic)
      : shape_(config.shape),
        config_(config),
        tensors_(tensors),
        arithmetic_(arithmetic),
        names_(names_of(config.family)) {}

  Result<EncoderWeights> read(const os::Deadline& deadline) {
    EncoderWeights out;
    out.shape = shape_;
    out.arithmetic = arithmetic_.feed;
    tensors_.choose_prefix(names_.prefixes, names_.words);
    CAIRN_TRY(out.words, table(names_.words, shape_.vocabulary));
    if (!names_.positions.empty()) {
      CAIRN_TRY(out.positions,
                table(names_.positions, shape_.most_tokens + shape_.first_position));
    }
    CAIRN_CHECK(read_types(out));
    CAIRN_TRY(out.embedding_norm, norm(names_.embedding_norm));
    for (std::size_t index = 0; index < shape_.layers; ++index) {
      CAIRN_TRY(EncoderLayer next, layer(index));
      out.layers.push_back(std::move(next));
      CAIRN_CHECK(deadline.check("packing the weights of a model"));
    }
    if (!names_.final_norm.empty()) {
      CAIRN_TRY(out.final_norm, norm(names_.final_norm));
    }
    if (shape_.positions == Positions::relative) CAIRN_CHECK(read_relative(out));
    return out;
  }

 private:
  Result<Table> table(std::string_view name, std::size_t rows) const {
    CAIRN_TRY(const Tensor* const tensor, tensors_.get(name, {rows, shape_.hidden}));
    return Table(*tensor);
  }

  /// The table of types has one row for each side of a pair, or one for all.
  Status read_types(EncoderWeights& out) const {
    if (config_.token_types == 0 || names_.types.empty()) return ok_status();
    CAIRN_TRY(out.types, table(names_.types, config_.token_types));
    return ok_status();
  }

  Status read_relative(EncoderWeights& out) const {
    const std::size_t buckets = config_.relative_buckets;
    CAIRN_TRY(const std::vector<float> stored,
              tensors_.floats("encoder.relative_attention_bias.weight", {buckets, shape_.heads}));
    out.relative_buckets = buckets;
    out.relative_bias = kernels::Buffer<float>(stored.size());
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      for (std::size_t head = 0; head < shape_.heads; ++head) {
        out.relative_bias[head * buckets + bucket] = stored[bucket * shape_.heads + head];
      }
    }
    return ok_status();
  }

  Result<Norm> norm(std::string_view name) const {
    return read_norm(tensors_, name, shape_.hidden);
  }

  Result<Linear> linear(kernels::Arithmetic arithmetic, const std::string& prefix,
                        const std::vector<LinearPart>& parts, std::size_t depth) const {
    return read_linear(tensors_, arithmetic, prefix, parts, depth);
  }

  std::vector<LinearPart> joined_parts() const {
    const std::size_t width = shape_.heads * shape_.head_size;
    const auto& names = names_.layer.joined;
    if (names.size() == 1) return {{names[0], 0, 3 * width, 3 * width}};
    std::vector<LinearPart> out;
    for (const std::string_view name : names) out.push_back({name, 0, width, width});
    return out;
  }

  std::vector<LinearPart> up_parts() const {
    const std::size_t width = shape_.intermediate;
    const auto& names = names_.layer.up;
    if (!shape_.gated) return {{names[0], 0, width, width}};
    if (names.size() == 2) return {{names[0], 0, width, width}, {names[1], 0, width, width}};
    const std::size_t first = names_.layer.up_is_reversed ? width : 0;
    return {{names[0], first, width, 2 * width}, {names[0], width - first, width, 2 * width}};
  }

  Result<EncoderLayer> layer(std::size_t index) const {
    const LayerNames& names = names_.layer;
    const std::string prefix = std::string(names.layers) + std::to_string(index) + ".";
    const std::size_t width = shape_.heads * shape_.head_size;
    EncoderLayer out;
    const auto [attention, feed] = arithmetic_;
    CAIRN_TRY(out.joined, linear(attention, prefix, joined_parts(), shape_.hidden));
    CAIRN_TRY(out.attended,
              linear(attention, prefix, {{names.attended, 0, shape_.hidden, shape_.hidden}}, width));
    // The first layer of ModernBERT takes what the norm of the embeddings gives.
    const std::string attention_norm = prefix + std::string(names.attention_norm);
    if (index > 0 || !shape_.norm_first || tensors_.has(attention_norm + ".weight")) {
      CAIRN_TRY(out.attention_norm, norm(attention_norm));
    }
    CAIRN_TRY(out.up, linear(feed, prefix, up_parts(), shape_.hidden));
    CAIRN_TRY(out.down, linear(feed, prefix, {{names.down, 0, shape_.hidden, shape_.hidden}},
                               shape_.intermediate));
    CAIRN_TRY(out.output_norm, norm(prefix + std::string(names.output_norm)));
    return out;
  }

  const EncoderShape& shape_;
  const EncoderConfig& config_;
  Tensors& tensors_;
  LayerArithmetic arithmetic_;
  FamilyNames names_;
};

}  // namespace

Result<EncoderWeights> read_encoder_weights(const EncoderConfig& config, Tensors& tensors,
                                            const LayerArithmetic& arithmetic,
                                            const os::Deadline& deadline) {
  return Reader(config, tensors, arithmetic).read(deadline);
}

}  // namespace cairn::inference
