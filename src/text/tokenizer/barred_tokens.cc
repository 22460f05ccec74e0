// SPDX-License-Identifier: Apache-2.0
#include "text/tokenizer/barred_tokens.h"

#include "text/tokenizer/characters.h"

namespace cairn::text::tokenizer {
namespace {

constexpr UChar32 space_mark = 0x2581;  // stands for a space in vocabularies

bool is_all_space(std::string_view content) {
  for (std::size_t at = 0; at < content.size();) {
    const UChar32 c = next_character(content, at);
    if (!is_space(c) && c != space_mark) return false;
  }
  return true;
}

void bar(std::uint32_t id, std::size_t size, std::vector<bool>& all) {
  all.resize(size);
  all[id] = true;
}

}  // namespace

BarredTokens::BarredTokens(const AddedTokens& added, const Vocabulary& vocabulary) {
  for (const AddedToken& token : added.all()) {
    if (token.id >= vocabulary.size() || count_characters(token.content) < 2) continue;
    if (token.special) bar(token.id, vocabulary.size(), special_);
    if (token.special || !is_all_space(token.content))
      bar(token.id, vocabulary.size(), in_prompts_);
  }
}

}  // namespace cairn::text::tokenizer
