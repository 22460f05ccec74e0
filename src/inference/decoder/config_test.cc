// SPDX-License-Identifier: Apache-2.0
// config.json of decoders as models have it, and files that are none.
#include "inference/decoder/config.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace cairn::inference {
namespace decoder_config_test {

constexpr std::string_view qwen2 = R"({"architectures":["Qwen2ForCausalLM"],"model_type":"qwen2",
  "vocab_size":151936,"hidden_size":896,"num_hidden_layers":24,"num_attention_heads":14,
  "num_key_value_heads":2,"intermediate_size":4864,"hidden_act":"silu",
  "max_position_embeddings":32768,"max_window_layers":21,"rms_norm_eps":1e-06,
  "rope_theta":1000000.0,"sliding_window":32768,"tie_word_embeddings":true,
  "use_sliding_window":false})";

constexpr std::string_view llama = R"({"model_type":"llama","vocab_size":128256,
  "hidden_size":2048,"num_hidden_layers":16,"num_attention_heads":32,"num_key_value_heads":8,
  "head_dim":64,"intermediate_size":8192,"max_position_embeddings":131072,"rms_norm_eps":1e-05,
  "attention_bias":false,"mlp_bias":false,"pretraining_tp":1,"rope_theta":500000.0,
  "rope_scaling":{"factor":32.0,"high_freq_factor":4.0,"low_freq_factor":1.0,
  "original_max_position_embeddings":8192,"rope_type":"llama3"},"tie_word_embeddings":true})";

constexpr std::string_view mistral = R"({"model_type":"mistral","vocab_size":32768,
  "hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,
  "intermediate_size":14336,"hidden_act":"silu","max_position_embeddings":32768,
  "rms_norm_eps":1e-05,"rope_theta":1000000.0,"sliding_window":null,
  "tie_word_embeddings":false})";

constexpr std::string_view qwen3 = R"({"model_type":"qwen3","vocab_size":151669,
  "hidden_size":1024,"num_hidden_layers":28,"num_attention_heads":16,"num_key_value_heads":8,
  "head_dim":128,"intermediate_size":3072,"max_position_embeddings":32768,"rms_norm_eps":1e-06,
  "attention_bias":false,"rope_scaling":null,"rope_theta":1000000,"use_sliding_window":false,
  "tie_word_embeddings":true})";

DecoderConfig read(std::string_view text) {
  auto out = read_decoder_config(text);
  REQUIRE_MESSAGE(out.ok(), (out.ok() ? "" : out.error().message));
  return std::move(out).value();
}

/// The text with one part in place of another.
std::string with(std::string_view text, std::string_view old, std::string_view content) {
  std::string out(text);
  const std::size_t at = out.find(old);
  REQUIRE_MESSAGE(at != std::string::npos, old);
  return out.replace(at, old.size(), content);
}

void refused(const std::string& text, ErrorKind kind, std::string_view part) {
  CAPTURE(text);
  const auto got = read_decoder_config(text);
  REQUIRE_FALSE(got.ok());
  CHECK(got.error().kind == kind);
  CHECK_MESSAGE(got.error().message.find(part) != std::string::npos, got.error().message);
}

TEST_CASE("decoder config: the families as their models have them") {
  const DecoderConfig qwen = read(qwen2);
  CHECK(qwen.family == DecoderFamily::qwen2);
  CHECK(qwen.shape.head_size == 64);
  CHECK(qwen.shape.kv_heads == 2);
  CHECK(qwen.query_bias);
  CHECK_FALSE(qwen.output_bias);
  CHECK_FALSE(qwen.head_norms);
  CHECK(qwen.tied);
  CHECK(qwen.shape.most_tokens == 32768);
  CHECK(qwen.rotary.frequencies.size() == 32);
  CHECK(qwen.rotary.frequencies[16] == doctest::Approx(1e-3));
  const DecoderConfig newer = read(qwen3);
  CHECK(newer.head_norms);
  CHECK_FALSE(newer.query_bias);
  CHECK(newer.shape.head_size == 128);  // and not hidden_size / num_attention_heads
  CHECK(newer.shape.query_width() == 2048);
  const DecoderConfig small = read(llama);
  CHECK(small.family == DecoderFamily::llama);
  CHECK_FALSE(small.query_bias);
  const DecoderConfig biased =
      read(with(llama, R"("attention_bias":false)", R"("attention_bias":true)"));
  CHECK(biased.query_bias);
  CHECK(biased.output_bias);
  CHECK_FALSE(biased.feed_bias);
  const DecoderConfig plain = read(mistral);
  CHECK(plain.family == DecoderFamily::mistral);
  CHECK_FALSE(plain.tied);
  CHECK(plain.shape.head_size == 128);
  CHECK(name_of(plain.family) == "mistral");
  CHECK(is_decoder_type("qwen3"));
  CHECK_FALSE(is_decoder_type("bert"));
}

TEST_CASE("decoder config: scalings of positions") {
  const DecoderConfig scaled = read(llama);
  const double plain = std::pow(500000.0, -62.0 / 64);
  CHECK(scaled.rotary.frequencies[0] == 1);  // turns often: is kept
  CHECK(scaled.rotary.frequencies[31] == doctest::Approx(plain / 32));
  const DecoderConfig linear = read(with(
      qwen2, R"("rope_theta")", R"("rope_scaling":{"type":"linear","factor":4},"rope_theta")"));
  CHECK(linear.rotary.frequencies[0] == 0.25);
  const DecoderConfig yarn =
      read(with(qwen2, R"("rope_theta")", R"("rope_scaling":{"type":"yarn","factor":4.0,
                 "original_max_position_embeddings":32768},"rope_theta")"));
  CHECK(yarn.rotary.factor == doctest::Approx(0.1 * std::log(4.0) + 1));
  CHECK(yarn.shape.most_tokens == 131072);
  CHECK(yarn.rotary.frequencies[0] == 1);
  CHECK(yarn.rotary.frequencies[31] == doctest::Approx(read(qwen2).rotary.frequencies[31] / 4));
  const DecoderConfig given =
      read(with(qwen2, R"("rope_theta")", R"("rope_scaling":{"rope_type":"yarn","factor":4.0,
                 "attention_factor":1.5},"rope_theta")"));
  CHECK(given.rotary.factor == 1.5);
  const DecoderConfig dynamic = read(with(
      qwen2, R"("rope_theta")", R"("rope_scaling":{"type":"dynamic","factor":2},"rope_theta")"));
  CHECK(dynamic.rotary.frequencies == read(qwen2).rotary.frequencies);
  CHECK(dynamic.shape.most_tokens == 32768);  // beyond it all keys would have to be turned anew
  const DecoderConfig joined =
      read(with(qwen2, R"("rope_theta":1000000.0)",
                R"("rope_parameters":{"rope_type":"linear","factor":2,"rope_theta":1000000.0})"));
  CHECK(joined.rotary.frequencies[16] == doctest::Approx(5e-4));
}

TEST_CASE("decoder config: what is not offered is refused by name") {
  constexpr ErrorKind no = ErrorKind::unsupported;
  refused(with(qwen2, R"("qwen2")", R"("gemma2")"), no, "[model_type] is [gemma2]");
  refused(with(qwen2, R"("silu")", R"("gelu")"), no, "[hidden_act] is [gelu]");
  refused(with(llama, R"("llama3"})", R"("longrope"})"), no, "[rope_type] is [longrope]");
  refused(with(with(qwen2, "window\":false", "window\":true"), "window\":32768", "window\":4096"),
          no, "[sliding_window] is [4096]");
  read(with(qwen2, "window\":false", "window\":true"));  // as long as the longest text
  // Stretched positions take longer texts than the window, which was as long as the longest.
  refused(with(with(qwen2, "window\":false", "window\":true"), R"("rope_theta")",
               R"("rope_scaling":{"type":"yarn","factor":4.0,
                   "original_max_position_embeddings":32768},"rope_theta")"),
          no, "[sliding_window] is [32768]");
  refused(with(mistral, "null", "4096"), no, "[sliding_window] is [4096]");
  refused(with(mistral, R"("sliding_window":null,)", ""), no, "[sliding_window] is [4096]");
  refused(with(qwen3, R"("rope_scaling")",
               R"("layer_types":["full_attention","sliding_attention"],"rope_scaling")"),
          no, "[layer_types] is [sliding_attention]");
  refused(with(qwen3, R"("rope_scaling")", R"("quantization_config":{"bits":4},"rope_scaling")"),
          no, "[quantization_config]");
  refused(with(llama, R"("mlp_bias")", R"("partial_rotary_factor":0.5,"mlp_bias")"), no,
          "[partial_rotary_factor]");
}

TEST_CASE("decoder config: wrong types and sizes are refused by name") {
  constexpr ErrorKind bad = ErrorKind::invalid_argument;
  refused("[]", bad, "must be an object");
  refused("{", bad, "config.json");
  refused(with(qwen2, R"("hidden_size":896)", R"("hidden_size":"896")"), bad, "[hidden_size]");
  refused(with(qwen2, R"("vocab_size":151936)", R"("vocab_size":9000000000)"), bad, "[vocab_size]");
  refused(with(qwen2, R"("num_hidden_layers":24)", R"("num_hidden_layers":0)"), bad,
          "[num_hidden_layers]");
  refused(with(qwen2, R"("num_key_value_heads":2)", R"("num_key_value_heads":4)"), bad,
          "[num_key_value_heads] must divide");
  refused(with(qwen2, R"("num_key_value_heads":2)", R"("num_key_value_heads":28)"), bad,
          "[num_key_value_heads]");
  refused(with(qwen2, R"("hidden_size":896)", R"("hidden_size":897)"), bad,
          "[num_attention_heads] must divide");
  refused(with(qwen2, R"("hidden_size":896)", R"("hidden_size":14)"), bad, "[head_dim]");
  refused(with(llama, R"("head_dim":64)", R"("head_dim":63)"), bad, "[head_dim]");
  refused(with(qwen2, "1e-06", "0"), bad, "[rms_norm_eps]");
  refused(with(qwen2, "1000000.0", "1.0"), bad, "[rope_theta]");
  refused(with(llama, R"("high_freq_factor":4.0)", R"("high_freq_factor":1.0)"), bad,
          "[high_freq_factor]");
  refused(with(llama, R"("factor":32.0,)", ""), bad, "[factor]");
  refused(with(llama, R"("factor":32.0,)", R"("factor":0.5,)"), bad, "[factor] must be at least 1");
  refused(with(qwen3, R"("rope_scaling":null)", R"("rope_scaling":"linear")"), bad,
          "[rope_scaling]");
  refused(with(qwen3, R"("attention_bias":false)", R"("attention_bias":0)"), bad,
          "[attention_bias]");
}

}  // namespace decoder_config_test
}  // namespace cairn::inference
