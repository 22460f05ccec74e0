// SPDX-License-Identifier: Apache-2.0
// WordPiece: a word as the longest pieces of a vocabulary, from left to right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::text {

/// Token texts by id and ids by text, in one block of bytes.
class Vocabulary {
 public:
  /// Errors: invalid_argument for two tokens with one id or ids far beyond the number of tokens.
  static Result<Vocabulary> build(const std::vector<std::pair<std::string, std::uint32_t>>& tokens);

  std::size_t size() const { return ends_.size(); }
  std::string_view token(std::uint32_t id) const;
  std::optional<std::uint32_t> id_of(std::string_view token) const;
  std::size_t longest_token() const { return longest_; }
  std::size_t size_bytes() const;

 private:
  std::string bytes_;
  std::vector<std::uint32_t> ends_;   // of the texts in bytes_, by id
  std::vector<std::uint32_t> slots_;  // open addressing: id + 1, or 0; a power of two of them
  std::size_t longest_ = 0;
};

class WordPiece {
 public:
  /// Reads the `model` of a tokenizer.json. Errors: invalid_argument; unsupported.
  static Result<WordPiece> parse(const Json& model);

  /// Appends the ids of one word; the unknown id where it cannot be put together.
  void encode(std::string_view word, std::vector<std::uint32_t>& out) const;

  const Vocabulary& vocabulary() const { return vocabulary_; }
  std::uint32_t unknown_id() const { return unknown_id_; }

 private:
  Vocabulary vocabulary_;
  std::string prefix_;  // of pieces that continue a word
  std::uint32_t unknown_id_ = 0;
  std::size_t longest_word_ = 100;  // in characters
};

}  // namespace cairn::text
