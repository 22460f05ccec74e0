// SPDX-License-Identifier: Apache-2.0
// Sub-word tokenizers of models, read from tokenizer.json (Hugging Face layout).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::text {

struct TokenIds {
  std::vector<std::uint32_t> ids;
  bool is_truncated = false;  // the text had more tokens than were asked for
};

/// Turns text into token ids: normalizer, pre-tokenizer, WordPiece. Immutable; safe from any
/// thread.
///
/// Offered: normalizers BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip,
/// Replace, Prepend, Sequence; pre-tokenizers BertPreTokenizer, WhitespaceSplit, Whitespace,
/// Punctuation, Digits, Split (isolated or removed), Sequence; model WordPiece. `truncation`,
/// `padding`, `post_processor` and `decoder` are not applied: encode() gives the tokens of the text
/// alone. Text never makes a special token, even where it spells one.
class Tokenizer {
 public:
  /// Errors: invalid_argument for text that is no tokenizer; unsupported, naming the component, for
  /// one whose components are not all offered.
  static Result<Tokenizer> parse(std::string_view tokenizer_json);

  /// The ids of the first `limit` tokens. Faulty UTF-8 counts as U+FFFD.
  TokenIds encode(std::string_view text, std::size_t limit = SIZE_MAX) const;

  /// Largest id + 1. Ids below it without a token have the empty text.
  std::size_t vocabulary_size() const;
  std::string_view token(std::uint32_t id) const;
  std::optional<std::uint32_t> id_of(std::string_view token) const;
  std::uint32_t unknown_id() const;
  std::size_t size_bytes() const;

  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

 private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::text
