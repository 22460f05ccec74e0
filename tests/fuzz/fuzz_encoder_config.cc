// SPDX-License-Identifier: Apache-2.0
// Every JSON file of an encoder: sizes that are read agree with each other.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "inference/encoder/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::inference;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto config = read_encoder_config(text); config.ok()) {
    const EncoderShape& shape = config->shape;
    if (shape.head_size * shape.heads != shape.hidden || shape.most_tokens == 0) std::abort();
    if (shape.positions == Positions::rotary && shape.head_size % 2 != 0) std::abort();
    if (config->pad_id && *config->pad_id >= shape.vocabulary) std::abort();
  }
  if (const auto modules = read_modules(text); modules.ok()) {
    for (const SentenceModule& module : *modules)
      if (module.path.find('/') != std::string::npos || module.path == "..") std::abort();
  }
  if (const auto pooling = read_pooling(text); pooling.ok() && pooling->dimensions == 0)
    std::abort();
  if (const auto dense = read_dense(text); dense.ok() && dense->out == 0) std::abort();
  (void)read_sentence_settings(text, text).ok();
  return 0;
}
