// SPDX-License-Identifier: Apache-2.0
// The regular expressions of Split: those that many models share are matched by hand, others by
// ICU within a bound of steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text/tokenizer/fields.h"
#include "text/tokenizer/pieces.h"

namespace cairn::text::tokenizer {

/// Immutable; safe from any thread.
class Pattern {
 public:
  virtual ~Pattern() = default;
  /// Gives the cutter the matches in `piece` of `text` and what lies between; `invert` says of each
  /// the contrary. Errors: invalid_argument where it needs too many steps.
  virtual Status cut(std::string_view text, Span piece, bool invert, Cutter& cutter) const = 0;
};

/// Errors: invalid_argument, naming the pattern.
Result<std::unique_ptr<const Pattern>> read_pattern(const std::string& expression);
std::unique_ptr<const Pattern> text_pattern(std::string text);
/// That of GPT-2.
std::unique_ptr<const Pattern> gpt2_pattern();

}  // namespace cairn::text::tokenizer
