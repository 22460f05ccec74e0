// SPDX-License-Identifier: Apache-2.0
// The way of a text through the components of a tokenizer: added tokens, normalizers,
// pre-tokenizers, model.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "text/tokenizer/added_tokens.h"
#include "text/tokenizer/barred_tokens.h"
#include "text/tokenizer/model.h"
#include "text/tokenizer/normalizers.h"
#include "text/tokenizer/pre_tokenizers.h"

namespace cairn::text::tokenizer {

struct Pipeline {
  Normalizers normalizers;
  PreTokenizers pre_tokenizers;
  std::unique_ptr<const Model> model;
  AddedTokens added;
  BarredTokens barred;  // of the model

  struct Wanted {
    bool match_special = false;
    std::optional<std::span<const TokenRange>> trusted = {};  // of the input
    bool ranges = false;                                      // of the input, in out.spans
    std::size_t limit = SIZE_MAX;
  };

  /// Appends the tokens of `text`; ends early once there are more than the limit.
  Status run(std::string_view text, const Wanted& wanted, os::Steps& steps, TokenList& out) const;
  /// The words that the model would be given.
  Status words(std::string_view text, os::Steps& steps, std::vector<std::string>& out) const;
};

/// Reads all but post-processor and decoder. Errors: invalid_argument, unsupported.
Result<Pipeline> read_pipeline(const Json& tokenizer);
/// What BERT models without a tokenizer.json have.
Result<Pipeline> bert_pipeline(std::string_view vocab_txt, BertOptions options);

}  // namespace cairn::text::tokenizer
