// SPDX-License-Identifier: Apache-2.0
// Names by a table, rows by the heads.
#include "inference/gguf/decoder_tensors.h"

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "inference/gguf/decoder_values.h"
#include "inference/gguf/gguf_file.h"

namespace cairn::inference {
namespace {

struct NamePair {
  std::string_view in_file;
  std::string_view in_folder;
};

constexpr std::string_view before_layer = "blk.";
constexpr std::uint64_t most_numbered_layers = 100'000;

constexpr NamePair whole_names[] = {
    {"token_embd", "model.embed_tokens"}, {"output_norm", "model.norm"}, {"output", "lm_head"}};

constexpr NamePair layer_names[] = {
    {"attn_norm", "input_layernorm"},    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},      {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"}, {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"}, {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},       {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"}};

template <std::size_t count>
std::optional<std::string_view> folder_name(const NamePair (&names)[count], std::string_view name) {
  for (const NamePair& one : names)
    if (one.in_file == name) return one.in_folder;
  return std::nullopt;
}

/// "blk.3.attn_q" in its parts: "3" and "attn_q".
struct LayerName {
  std::string_view layer;
  std::string_view part;
  std::uint64_t number = 0;
};

std::optional<LayerName> layer_name_of(std::string_view stem) {
  if (!stem.starts_with(before_layer)) return std::nullopt;
  stem.remove_prefix(before_layer.size());
  const std::size_t dot = stem.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  LayerName out = {stem.substr(0, dot), stem.substr(dot + 1)};
  std::uint64_t& number = out.number;
  const char* const end = out.layer.data() + out.layer.size();
  const auto read = std::from_chars(out.layer.data(), end, number);
  const bool is_canonical = out.layer == "0" || !out.layer.starts_with('0');
  if (read.ec != std::errc() || read.ptr != end || !is_canonical || number > most_numbered_layers)
    return std::nullopt;
  return out;
}

/// What the decoder of a file has.
struct DecoderHas {
  std::uint64_t layers = 0;
  bool head_norms = false;
};

/// The name in a folder; nothing for a tensor that the decoder does not have.
std::optional<std::string> name_in_folder(std::string_view name, const DecoderHas& has) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view stem = name.substr(0, dot), ending = name.substr(dot);
  if (ending != ".weight" && ending != ".bias") return std::nullopt;
  if (const auto whole = folder_name(whole_names, stem))
    return std::string(*whole) + std::string(ending);
  const auto layer = layer_name_of(stem);
  if (!layer) return std::nullopt;
  const auto part = folder_name(layer_names, layer->part);
  if (!part || layer->number >= has.layers) return std::nullopt;
  const bool norms_heads = layer->part == "attn_q_norm" || layer->part == "attn_k_norm";
  if (norms_heads && !has.head_norms) return std::nullopt;
  return "model.layers." + std::string(layer->layer) + "." + std::string(*part) +
         std::string(ending);
}

/// Of each head, row 2i + j of the file becomes row i + j * (half of the head).
void put_rows_back(char* bytes, std::size_t row_bytes, std::size_t rows, std::size_t heads) {
  const std::size_t head_rows = rows / heads, half = head_rows / 2;
  std::string before;
  for (std::size_t head = 0; head < heads; ++head) {
    char* const at = bytes + head * head_rows * row_bytes;
    before.assign(at, head_rows * row_bytes);
    for (std::size_t row = 0; row < head_rows; ++row) {
      const std::size_t to = row / 2 + row % 2 * half;
      std::memcpy(at + to * row_bytes, before.data() + row * row_bytes, row_bytes);
    }
  }
}

/// How many heads' rows a tensor has, where they have another order; else 0.
std::uint64_t turned_heads(std::string_view name, std::uint64_t heads, std::uint64_t kv_heads) {
  const auto layer = layer_name_of(name.substr(0, name.rfind('.')));
  if (!layer) return 0;
  if (layer->part == "attn_q") return heads;
  return layer->part == "attn_k" ? kv_heads : 0;
}

Status undo_order(std::span<char> file, const GgufTensor& tensor, std::uint64_t heads) {
  const std::uint64_t rows = tensor.shape.front();
  if (heads == 0 || rows % (2 * heads) != 0)
    return gguf_value_error(tensor.name,
                            "has rows that do not fit [" + std::to_string(heads) + "] heads");
  if (tensor.bytes % rows != 0) return gguf_value_error(tensor.name, "must have whole rows");
  put_rows_back(file.data() + tensor.begin, tensor.bytes / rows, rows, heads);
  return ok_status();
}

}  // namespace

Result<std::vector<Tensor>> decoder_tensors_of(std::span<char> file) {
  const std::string_view bytes(file.data(), file.size());
  CAIRN_TRY(const auto head, GgufFile::read(bytes, bytes.size()));
  if (!head) return gguf_value_error("the head", "is not whole");
  CAIRN_TRY(const std::string architecture, architecture_of(head->values()));
  constexpr std::uint64_t most_heads = 1'000'000;
  CAIRN_TRY(const std::uint64_t heads,
            head->values().integer(architecture + ".attention.head_count", most_heads));
  CAIRN_TRY(const std::uint64_t kv_heads,
            head->values().integer(architecture + ".attention.head_count_kv", most_heads, heads));
  DecoderHas has{.head_norms = architecture == "qwen3"};
  CAIRN_TRY(has.layers,
            head->values().integer(architecture + ".block_count", most_numbered_layers));
  std::vector<Tensor> out;
  for (const GgufTensor& tensor : head->tensors()) {
    if (tensor.name == "rope_freqs.weight") continue;  // of the config
    const auto name = name_in_folder(tensor.name, has);
    if (!name)
      return gguf_value_error(tensor.name, "is a tensor that decoders of the architecture [" +
                                               architecture + "] do not have");
    if (const auto turned = turned_heads(tensor.name, heads, kv_heads);
        architecture == "llama" && turned > 0)
      CAIRN_CHECK(undo_order(file, tensor, turned));
    out.push_back({.name = *name,
                   .type = tensor.type,
                   .shape = tensor.shape,
                   .bytes = bytes.substr(tensor.begin, tensor.bytes)});
  }
  return out;
}

}  // namespace cairn::inference
