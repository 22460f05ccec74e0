// SPDX-License-Identifier: Apache-2.0
// Tokens in, text out, piece by piece.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/tokenizer.h"

namespace cairn::inference {

/// Finds the first of some strings in a text that comes in pieces. What may be the beginning of one
/// is held back. Takes time in proportion to the text times the lengths of the strings.
class StopFinder {
 public:
  /// Errors: invalid_argument for more than 16 strings, and for an empty one or one over 256 bytes.
  static Result<StopFinder> make(std::vector<std::string> stops);

  /// The text that is certain to be no part of a stop string. Nothing once one was found.
  std::string push(std::string_view text);
  /// What was held back: the text is over.
  std::string finish();
  bool found() const { return found_; }

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool found_ = false;
};

/// The text of a growing row of tokens: whole characters, without special tokens, up to the first
/// stop string, which is dropped. One thread at a time; the tokenizer outlives it.
class TextStream {
 public:
  /// `printed_special`: ids of special tokens that are text all the same, as what marks calls.
  TextStream(const text::Tokenizer& tokenizer, StopFinder stops,
             std::vector<std::uint32_t> printed_special = {})
      : tokenizer_(tokenizer),
        stops_(std::move(stops)),
        printed_special_(std::move(printed_special)) {}

  /// The text that this token makes certain; empty where it ends inside a character.
  std::string push(std::uint32_t id);
  /// The rest; a character that was cut shows as U+FFFD.
  std::string finish();
  /// A stop string was found: further tokens add nothing.
  bool stopped() const { return stops_.found(); }

 private:
  std::string push_special(std::uint32_t id);
  std::string unprinted();
  void forget(std::size_t held);
  std::string decoded_from(std::size_t begin) const;

  const text::Tokenizer& tokenizer_;
  StopFinder stops_;
  std::vector<std::uint32_t> printed_special_;
  // Spaces and pieces of characters depend on neighbours: what was printed last is decoded along.
  std::vector<std::uint32_t> ids_;
  std::string printed_;    // text of ids_ that is out
  std::size_t whole_ = 0;  // ids of ids_ whose text is out to its end
};

}  // namespace cairn::inference
