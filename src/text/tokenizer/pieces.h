// SPDX-License-Identifier: Apache-2.0
// Cutting text at what a pattern matches: what becomes of the matches.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "text/tokenizer/characters.h"
#include "text/tokenizer/span.h"

namespace cairn::text::tokenizer {

enum class Behavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

std::optional<Behavior> behavior_of(std::string_view name);  // as tokenizer.json spells it

/// Takes matches and what lies between them, from left to right, and makes pieces of them.
class Cutter {
 public:
  Cutter(Behavior behavior, std::vector<Span>& out)
      : behavior_(behavior), out_(out), first_(out.size()) {}

  void add(std::size_t begin, std::size_t end, bool is_match) {
    const Span span = span_of(begin, end);
    switch (behavior_) {
      case Behavior::removed:
        if (!is_match) push(span);
        return;
      case Behavior::isolated:
        push(span);
        return;
      case Behavior::contiguous:
        if (is_match == matched_ && out_.size() > first_) {
          out_.back().end = span.end;
        } else {
          push(span);
        }
        break;
      case Behavior::merged_with_previous:
        if (is_match && !matched_ && out_.size() > first_) {
          out_.back().end = span.end;
        } else {
          push(span);
        }
        break;
      case Behavior::merged_with_next:
        if (is_match) {
          if (matched_) push(waiting_);
          waiting_ = span;
        } else {
          push({matched_ ? waiting_.begin : span.begin, span.end});
        }
        break;
    }
    matched_ = is_match;
  }

  void finish() {
    if (behavior_ == Behavior::merged_with_next && matched_) push(waiting_);
  }

 private:
  void push(Span span) {
    if (span.end > span.begin) out_.push_back(span);
  }

  Behavior behavior_;
  std::vector<Span>& out_;
  std::size_t first_;
  bool matched_ = false;
  Span waiting_;  // a match that the next piece takes
};

/// Cuts `piece` of `text` at each character that `is_match` names.
template <class IsMatch>
void cut_at_characters(std::string_view text, Span piece, Behavior behavior, IsMatch is_match,
                       std::vector<Span>& out) {
  Cutter cutter(behavior, out);
  const std::string_view part = text.substr(0, piece.end);
  std::size_t begin = piece.begin;
  for (std::size_t at = piece.begin; at < piece.end;) {
    const std::size_t character = at;
    if (!is_match(next_character(part, at))) continue;
    if (character > begin) cutter.add(begin, character, false);
    cutter.add(character, at, true);
    begin = at;
  }
  if (begin < piece.end) cutter.add(begin, piece.end, false);
  cutter.finish();
}

}  // namespace cairn::text::tokenizer
