// SPDX-License-Identifier: Apache-2.0
// Names of tensors, the same in all families.
#include "inference/decoder/weights.h"

#include <cstring>
#include <string>
#include <utility>

#include "inference/layers/parts.h"

namespace cairn::inference {
namespace {

constexpr std::string_view words_name = "embed_tokens";

class DecoderReader {
 public:
  DecoderReader(const DecoderConfig& config, Tensors& tensors, WeightForm form)
      : config_(config),
        shape_(config.shape),
        tensors_(tensors),
        arithmetic_(form.arithmetic),
        four_bits_(form.four_bits),
        in_blocks_(form.arithmetic == kernels::Arithmetic::int8 && kernels::are_blocks_fast()) {}

  Result<DecoderWeights> read(DecoderOutput output, const os::Deadline& deadline) {
    tensors_.choose_prefix({"model.", ""}, std::string(words_name) + ".weight");
    DecoderWeights out;
    out.shape = shape_;
    out.rotary = config_.rotary;
    out.arithmetic = arithmetic_;
    CAIRN_CHECK(read_words(out));
    CAIRN_CHECK(check_layers());
    for (std::size_t index = 0; index < shape_.layers; ++index) {
      CAIRN_TRY(DecoderLayer next, layer("layers." + std::to_string(index) + "."));
      out.layers.push_back(std::move(next));
      CAIRN_CHECK(deadline.check("packing the weights of a model"));
    }
    CAIRN_TRY(out.final_norm, norm("norm", shape_.hidden));
    if (output == DecoderOutput::logits) CAIRN_CHECK(read_logits(out));
    return out;
  }

 private:
  Status read_words(DecoderWeights& out) const {
    CAIRN_TRY(const Tensor* const tensor, tensors_.get(std::string(words_name) + ".weight",
                                                       {shape_.vocabulary, shape_.hidden}));
    out.word_bytes = kernels::Buffer<std::byte>(tensor->bytes.size());
    std::memcpy(out.word_bytes.data(), tensor->bytes.data(), tensor->bytes.size());
    out.words =
        Table(tensor->type, shape_.vocabulary, shape_.hidden,
              {reinterpret_cast<const char*>(out.word_bytes.data()), out.word_bytes.size()});
    return ok_status();
  }

  /// A file with more layers than the config names is another model's.
  Status check_layers() const {
    const std::string behind =
        "layers." + std::to_string(shape_.layers) + ".input_layernorm.weight";
    if (!tensors_.has(behind)) return ok_status();
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "[" + tensors_.prefix() + behind +
                            "] is there, and [num_hidden_layers] of config.json is [" +
                            std::to_string(shape_.layers) + "]"};
  }

  Result<Norm> norm(const std::string& name, std::size_t width) const {
    return read_norm(tensors_, name, width);
  }

  /// Biases stand where the config says, there alone: a model with others would answer wrongly.
  Status check_biases(const std::string& prefix, const std::vector<LinearPart>& parts,
                      bool wanted) const {
    for (const LinearPart& part : parts) {
      const std::string name = prefix + std::string(part.name) + ".bias";
      if (tensors_.has(name) == wanted) continue;
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "[" + tensors_.prefix() + name + "] " +
                              (wanted ? "is missing" : "is there, and config.json names no bias")};
    }
    return ok_status();
  }

  Result<DecoderLinear> linear(const std::string& prefix, const std::vector<LinearPart>& parts,
                               std::size_t depth, bool bias) const {
    CAIRN_CHECK(check_biases(prefix, parts, bias));
    if (in_blocks_ && four_bits_ && depth % kernels::block_part == 0 &&
        !are_blocks(tensors_, prefix, parts)) {
      CAIRN_TRY(BlockLinear rounded, read_rounded_linear(tensors_, prefix, parts, depth));
      return DecoderLinear(std::move(rounded));
    }
    return read_weights(prefix, parts, depth);
  }

  /// Few bits are not rounded again.
  Result<DecoderLinear> read_weights(const std::string& prefix,
                                     const std::vector<LinearPart>& parts,
                                     std::size_t depth) const {
    if (in_blocks_ && are_blocks(tensors_, prefix, parts)) {
      CAIRN_TRY(BlockLinear blocks, read_block_linear(tensors_, prefix, parts, depth));
      return DecoderLinear(std::move(blocks));
    }
    CAIRN_TRY(Linear plain, read_linear(tensors_, arithmetic_, prefix, parts, depth));
    return DecoderLinear(std::move(plain));
  }

  Result<DecoderLayer> layer(const std::string& prefix) const {
    const std::size_t queries = shape_.query_width(), keys = shape_.kv_width();
    const std::size_t hidden = shape_.hidden, wide = shape_.intermediate;
    DecoderLayer out;
    CAIRN_TRY(out.attention_norm, norm(prefix + "input_layernorm", hidden));
    CAIRN_TRY(out.joined, linear(prefix,
                                 {{"self_attn.q_proj", 0, queries, queries},
                                  {"self_attn.k_proj", 0, keys, keys},
                                  {"self_attn.v_proj", 0, keys, keys}},
                                 hidden, config_.query_bias));
    if (config_.head_norms) {
      CAIRN_TRY(out.query_norm, norm(prefix + "self_attn.q_norm", shape_.head_size));
      CAIRN_TRY(out.key_norm, norm(prefix + "self_attn.k_norm", shape_.head_size));
    }
    CAIRN_TRY(out.attended, linear(prefix, {{"self_attn.o_proj", 0, hidden, hidden}}, queries,
                                   config_.output_bias));
    CAIRN_TRY(out.feed_norm, norm(prefix + "post_attention_layernorm", hidden));
    CAIRN_TRY(out.up,
              linear(prefix, {{"mlp.gate_proj", 0, wide, wide}, {"mlp.up_proj", 0, wide, wide}},
                     hidden, config_.feed_bias));
    CAIRN_TRY(out.down,
              linear(prefix, {{"mlp.down_proj", 0, hidden, hidden}}, wide, config_.feed_bias));
    return out;
  }

  /// The last product stands beside the model, without its prefix.
  Status read_logits(DecoderWeights& out) {
    const std::size_t words = shape_.vocabulary;
    if (config_.tied) {
      CAIRN_TRY(out.logits, read_weights("", {{words_name, 0, words, words}}, shape_.hidden));
      return ok_status();
    }
    tensors_.set_prefix("");
    CAIRN_CHECK(check_biases("", {{"lm_head", 0, words, words}}, false));
    CAIRN_TRY(out.logits, read_weights("", {{"lm_head", 0, words, words}}, shape_.hidden));
    return ok_status();
  }

  const DecoderConfig& config_;
  const DecoderShape& shape_;
  Tensors& tensors_;
  kernels::Arithmetic arithmetic_;
  bool four_bits_;
  bool in_blocks_;
};

std::size_t bytes_of(const Norm& norm) { return norm.gain.size_bytes() + norm.shift.size_bytes(); }

}  // namespace

std::size_t DecoderWeights::size_bytes() const {
  std::size_t out = word_bytes.size() + logits.size_bytes() + bytes_of(final_norm);
  for (const DecoderLayer& layer : layers) {
    for (const DecoderLinear* const one :
         {&layer.joined, &layer.attended, &layer.up, &layer.down}) {
      out += one->size_bytes();
    }
    for (const Norm* const one :
         {&layer.attention_norm, &layer.query_norm, &layer.key_norm, &layer.feed_norm}) {
      out += bytes_of(*one);
    }
  }
  return out;
}

Result<DecoderWeights> read_decoder_weights(const DecoderConfig& config, Tensors& tensors,
                                            WeightForm form, DecoderOutput output,
                                            const os::Deadline& deadline) {
  return DecoderReader(config, tensors, form).read(output, deadline);
}

}  // namespace cairn::inference
