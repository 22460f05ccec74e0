// SPDX-License-Identifier: Apache-2.0
// config.json of decoders.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "inference/decoder/rotary.h"

namespace cairn::inference {

enum class DecoderFamily { llama, mistral, qwen2, qwen3 };

std::string_view name_of(DecoderFamily family);  // its `model_type`

/// Sizes of a decoder: blocks of attention and of a gated layer, each behind a norm.
struct DecoderShape {
  std::size_t vocabulary = 0;
  std::size_t hidden = 0;
  std::size_t layers = 0;
  std::size_t heads = 0;     // of queries
  std::size_t kv_heads = 0;  // of keys and of values; divides `heads`
  std::size_t head_size = 0;
  std::size_t intermediate = 0;
  std::size_t most_tokens = 0;  // of one sequence
  float epsilon = 1e-6F;        // of the norms

  std::size_t query_width() const { return heads * head_size; }
  std::size_t kv_width() const { return kv_heads * head_size; }
};

struct DecoderConfig {
  DecoderFamily family = DecoderFamily::llama;
  DecoderShape shape;
  Rotary rotary;
  bool tied = false;         // the table of words is also the last product's weight
  bool head_norms = false;   // queries and keys of each head are normed before they are turned
  bool query_bias = false;   // of queries, keys and values
  bool output_bias = false;  // of what attention gives
  bool feed_bias = false;
};

/// Whether config.json with this `model_type` is read here.
bool is_decoder_type(std::string_view model_type);
/// "llama, mistral, qwen2 and qwen3"
std::string_view decoder_types();

/// Errors: invalid_argument, naming the field; unsupported for a `model_type`, an activation, a
/// scaling of positions, a window or another choice that is not offered.
Result<DecoderConfig> read_decoder_config(std::string_view config_json);

}  // namespace cairn::inference
