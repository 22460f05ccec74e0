// SPDX-License-Identifier: Apache-2.0
// Tokens beside those of the model, found in the text before it is cut into words.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "text/tokenizer/normalizers.h"
#include "text/tokenizer/trie.h"
#include "text/tokenizer/vocabulary.h"

namespace cairn::text::tokenizer {

struct AddedToken {
  std::string content;
  std::uint32_t id = 0;
  bool single_word = false;  // not next to letters, digits and the like
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // and behind it
  bool normalized = false;   // is looked for in normalized text
  bool special = false;
};

/// A part of a text: an added token, or what lies between.
struct AddedPart {
  Span span;
  std::optional<std::uint32_t> id;
};

/// Finds the longest of many contents at each place, from left to right.
class AddedMatcher {
 public:
  AddedMatcher() = default;
  /// Contents by which to look, and the tokens; `tokens` outlives the matcher.
  explicit AddedMatcher(const std::vector<std::pair<std::string, const AddedToken*>>& contents);

  bool empty() const { return tokens_.empty(); }
  /// Appends the parts of `text`. Where not `with_special`, special tokens count as text unless
  /// they lie in one of `within`.
  void split(std::string_view text, bool with_special, std::vector<AddedPart>& out,
             std::span<const TokenRange> within = {}) const;

 private:
  std::vector<const AddedToken*> tokens_;
  Trie trie_;
  std::array<bool, 256> begins_{};  // first bytes of contents
};

class AddedTokens {
 public:
  /// Reads `added_tokens`. Normalized ones go through `normalizers`.
  /// Errors: invalid_argument.
  static Result<AddedTokens> read(const Json& tokens, const Normalizers& normalizers,
                                  const Vocabulary& vocabulary);
  static Result<AddedTokens> build(std::vector<AddedToken> tokens, const Normalizers& normalizers,
                                   const Vocabulary& vocabulary);

  const AddedMatcher& raw() const { return raw_; }
  const AddedMatcher& normalized() const { return normalized_; }
  const AddedToken* find(std::uint32_t id) const;
  const AddedToken* find(std::string_view content) const;
  /// Largest id + 1.
  std::size_t ids() const { return ids_; }

  AddedTokens() = default;
  AddedTokens(AddedTokens&&) = default;
  AddedTokens& operator=(AddedTokens&&) = default;

 private:
  std::vector<AddedToken> tokens_;              // by id
  std::vector<std::uint32_t> by_content_ = {};  // places in tokens_, by content
  AddedMatcher raw_;
  AddedMatcher normalized_;
  std::size_t ids_ = 0;
};

}  // namespace cairn::text::tokenizer
