// SPDX-License-Identifier: Apache-2.0
// What makes tokens of a word.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "text/tokenizer/vocabulary.h"
#include "text/tokenizer/work.h"

namespace cairn::text::tokenizer {

/// Immutable; safe from any thread.
class Model {
 public:
  virtual ~Model() = default;

  /// Appends the tokens of words, ranges of `text`; ends early once there are more than `limit`.
  /// Errors: timeout, cancelled; invalid_argument where a word needs the unknown token and the
  /// model has none.
  virtual Status encode(std::string_view text, std::span<const Span> words, Work& work,
                        TokenList& out, std::size_t limit) const = 0;
  virtual const Vocabulary& vocabulary() const = 0;
  virtual std::optional<std::uint32_t> unknown_id() const = 0;
  virtual std::size_t size_bytes() const = 0;
};

using MadeModel = Result<std::unique_ptr<const Model>>;

/// Read the `model` of a tokenizer.json. Errors: invalid_argument; unsupported.
MadeModel read_wordpiece(const Fields& fields);
/// `vocab.txt`: a token a line, from id 0.
MadeModel wordpiece_of_lines(std::string_view lines);
MadeModel read_unigram(const Fields& fields);
/// `plain_bytes`: words come as bytes, and the vocabulary spells them (byte_level.h).
MadeModel read_bpe(const Fields& fields, bool plain_bytes);

/// The ids of <0x00> to <0xFF>, those that the vocabulary has.
std::array<std::optional<std::uint32_t>, 256> byte_tokens(const Vocabulary& vocabulary);

}  // namespace cairn::text::tokenizer
