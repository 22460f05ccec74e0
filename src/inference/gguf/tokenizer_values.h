// SPDX-License-Identifier: Apache-2.0
// The tokenizer of a GGUF file.
#pragma once

#include <string>

#include "base/result.h"
#include "inference/gguf/gguf_value.h"

namespace cairn::inference {

/// The files that other models have beside their weights.
struct TokenizerTexts {
  std::string tokenizer_json;
  std::string tokenizer_config;   // names of tokens, and the chat template where there is one
  std::string generation_config;  // the tokens that end a text
};

/// Reads `tokenizer.*`. Offered: `tokenizer.ggml.model` [gpt2], byte-level BPE with
/// `tokenizer.ggml.pre` [llama-bpe], [qwen2], [gpt-2] or [default] (also where it is absent), and
/// [llama], BPE by the scores of the tokens, with bytes for what is in none. Control tokens are
/// special: text of users does not make them. Errors: invalid_argument, unsupported, naming the
/// value.
Result<TokenizerTexts> tokenizer_of_gguf(const GgufValues& values);

}  // namespace cairn::inference
