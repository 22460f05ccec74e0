// SPDX-License-Identifier: Apache-2.0
// Tensors of decoders that are missing, wrong, or too many.
#include "inference/decoder/weights.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "inference/tiny_decoder.h"

namespace cairn::inference {
namespace decoder_weights_test {

Result<DecoderWeights> read_changed(const std::function<void(TinyDecoder&)>& change,
                                    std::string config = TinyDecoder::config()) {
  TinyDecoder model;
  change(model);
  const std::string bytes = model.weights();
  Tensors tensors;
  REQUIRE(tensors.add("model.safetensors", bytes).ok());
  return read_decoder_weights(read_decoder_config(config).value(), tensors,
                              kernels::Arithmetic::int8, DecoderOutput::logits,
                              os::Deadline::never());
}

void refused(const std::function<void(TinyDecoder&)>& change, std::string_view part) {
  const auto got = read_changed(change);
  REQUIRE_FALSE(got.ok());
  CHECK(got.error().kind == ErrorKind::invalid_argument);
  CHECK_MESSAGE(got.error().message.find(part) != std::string::npos, got.error().message);
}

TEST_CASE("decoder weights: names may have the prefix of a model with a head, or none") {
  CHECK(read_changed([](TinyDecoder&) {}).ok());
  const auto bare = read_changed([](TinyDecoder& model) {
    std::map<std::string, TinyDecoder::Stored> renamed;
    for (auto& [name, stored] : model.tensors()) {
      renamed[name.starts_with("model.") ? name.substr(6) : name] = stored;
    }
    model.tensors() = std::move(renamed);
  });
  CHECK(bare.ok());
}

TEST_CASE("decoder weights: what is missing or has another shape is named") {
  refused([](TinyDecoder& m) { m.tensors().erase("model.layers.1.mlp.up_proj.weight"); },
          "[model.layers.1.mlp.up_proj.weight] is missing");
  refused([](TinyDecoder& m) { m.tensors().erase("model.layers.0.self_attn.k_norm.weight"); },
          "[model.layers.0.self_attn.k_norm.weight] is missing");
  refused([](TinyDecoder& m) { m.tensors().erase("lm_head.weight"); },
          "[lm_head.weight] is missing");
  refused(
      [](TinyDecoder& m) {
        m.tensors()["model.layers.0.self_attn.k_proj.weight"].shape = {48, 24};
      },
      "24 x 48 was expected");
  refused(
      [](TinyDecoder& m) {
        m.tensors()["model.embed_tokens.weight"].shape = {35, 96};
      },
      "[model.embed_tokens.weight]");
  refused(
      [](TinyDecoder& m) {
        m.tensors()["model.layers.0.mlp.down_proj.weight"].numbers[7] =
            std::numeric_limits<float>::quiet_NaN();
      },
      "holds a number that is not finite");
}

TEST_CASE("decoder weights: biases and layers that the config does not name are refused") {
  refused(
      [](TinyDecoder& m) {
        m.tensors()["model.layers.0.self_attn.q_proj.bias"] = {{72}, std::vector<float>(72)};
      },
      "[model.layers.0.self_attn.q_proj.bias] is there");
  refused(
      [](TinyDecoder& m) {
        m.tensors()["model.layers.2.input_layernorm.weight"] = {{48}, std::vector<float>(48)};
      },
      "[num_hidden_layers] of config.json is [2]");
  std::string biased = TinyDecoder::config();
  biased.replace(biased.find("\"rope_theta\""), 0, "\"attention_bias\":true,");
  const auto got = read_changed([](TinyDecoder&) {}, biased);
  REQUIRE_FALSE(got.ok());
  CHECK(got.error().message.find("q_proj.bias] is missing") != std::string::npos);
}

TEST_CASE("decoder weights: a tied model needs no last product of its own") {
  std::string tied = TinyDecoder::config();
  tied.replace(tied.find("\"rope_theta\""), 0, "\"tie_word_embeddings\":true,");
  const auto got = read_changed([](TinyDecoder& m) { m.tensors().erase("lm_head.weight"); }, tied);
  REQUIRE(got.ok());
  CHECK(got->logits.columns() == TinyDecoder::words);
}

TEST_CASE("decoder weights: packing ends with its deadline") {
  const std::string bytes = TinyDecoder().weights();
  Tensors tensors;
  REQUIRE(tensors.add("model.safetensors", bytes).ok());
  const auto config = read_decoder_config(TinyDecoder::config()).value();
  const auto got = read_decoder_weights(config, tensors, kernels::Arithmetic::float32,
                                        DecoderOutput::states, os::Deadline::in_ms(0));
  CHECK(got.error().kind == ErrorKind::timeout);
}

}  // namespace decoder_weights_test
}  // namespace cairn::inference
