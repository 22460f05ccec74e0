// SPDX-License-Identifier: Apache-2.0
// Tokens of a vocabulary that words must not become, however they are spelt.
#pragma once

#include <vector>

#include "text/tokenizer/added_tokens.h"

namespace cairn::text::tokenizer {

/// Control tokens often stand in the vocabulary too, where the search for words would find them:
/// `</s>` is a piece like others. Those with one character are no control tokens.
class BarredTokens {
 public:
  BarredTokens() = default;
  BarredTokens(const AddedTokens& added, const Vocabulary& vocabulary);

  /// By id: special tokens; in prompts all added ones but white space. Null where there are none.
  const std::vector<bool>* of(bool is_prompt) const {
    const std::vector<bool>& out = is_prompt ? in_prompts_ : special_;
    return out.empty() ? nullptr : &out;
  }

 private:
  std::vector<bool> special_;
  std::vector<bool> in_prompts_;
};

}  // namespace cairn::text::tokenizer
