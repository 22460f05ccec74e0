// SPDX-License-Identifier: Apache-2.0
// config.json of a decoder: sizes that are read agree with each other, and frequencies are numbers.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "inference/decoder/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::inference;
  const auto config = read_decoder_config({reinterpret_cast<const char*>(data), size});
  if (!config.ok()) return 0;
  const DecoderShape& shape = config->shape;
  if (shape.heads == 0 || shape.kv_heads == 0 || shape.heads % shape.kv_heads != 0) std::abort();
  if (shape.head_size == 0 || shape.head_size % 2 != 0 || shape.most_tokens == 0) std::abort();
  if (config->rotary.frequencies.size() != shape.head_size / 2) std::abort();
  if (!std::isfinite(config->rotary.factor)) std::abort();
  for (const double frequency : config->rotary.frequencies) {
    if (!std::isfinite(frequency)) std::abort();
  }
  return 0;
}
