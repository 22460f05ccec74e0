// SPDX-License-Identifier: Apache-2.0
// Tokens beside those of the model, found in the text before it is cut into words.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
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
  /// Appends the parts of `text`. Where not `with_special`, special tokens count as text.
  void split(std::string_view text, bool with_special, std::vector<AddedPart>& out) const;
  /// The same, where only what lies within one of some parts may be a token, special or not.
  void split_within(std::string_view text, std::span<const TokenRange> parts,
                    std::vector<AddedPart>& out) const;

 private:
  /// Looks in [from, to), and moves `done` behind what was found.
  void find(std::string_view text, TokenRange where, bool with_special, std::size_t& done,
            std::vector<AddedPart>& out) const;

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
  const std::vector<AddedToken>& all() const { return tokens_; }  // by id
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

/// The parts of a text whose bytes all stand for bytes of one of `trusted`, ranges of the input.
/// `origin_of(byte)` is what a byte stands for.
template <class OriginOf>
std::vector<TokenRange> trusted_parts(std::size_t size, std::span<const TokenRange> trusted,
                                      OriginOf origin_of) {
  std::vector<TokenRange> out;
  const TokenRange* last = nullptr;
  for (std::uint32_t at = 0; at < size; ++at) {
    const Span origin = origin_of(at);
    const auto next = std::upper_bound(
        trusted.begin(), trusted.end(), origin.begin,
        [](std::uint32_t begin, const TokenRange& range) { return begin < range.begin; });
    const TokenRange* const before = next == trusted.begin() ? nullptr : &*std::prev(next);
    const TokenRange* const part =
        before != nullptr && origin.end <= before->end ? before : nullptr;
    if (part != nullptr && part != last) out.push_back({at, at});
    if (part != nullptr) out.back().end = at + 1;
    last = part;
  }
  return out;
}

}  // namespace cairn::text::tokenizer
