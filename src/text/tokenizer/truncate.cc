// SPDX-License-Identifier: Apache-2.0
// Truncation by the rules of the library that the files come from.
#include "text/tokenizer/truncate.h"

#include <algorithm>

#include "text/tokenizer/byte_level.h"

namespace cairn::text::tokenizer {
namespace {

void keep_tokens(TokenList& tokens, std::size_t count, bool from_left) {
  if (tokens.ids.size() <= count) return;
  if (from_left) {
    const auto gone = static_cast<std::ptrdiff_t>(tokens.ids.size() - count);
    tokens.ids.erase(tokens.ids.begin(), tokens.ids.begin() + gone);
    if (tokens.with_spans) tokens.spans.erase(tokens.spans.begin(), tokens.spans.begin() + gone);
  } else {
    tokens.cut(count);
  }
}

/// How many tokens each of two texts keeps: the longer one loses first.
void share(std::size_t& first, std::size_t& second, std::size_t room) {
  const bool swapped = first > second;
  if (swapped) std::swap(first, second);
  second = first > room ? first : std::max(first, room - first);
  if (first + second > room) {
    first = room / 2;
    second = first + room % 2;
  }
  if (swapped) std::swap(first, second);
}

bool is_byte_space(UChar32 c) { return c == byte_characters()[' '] || is_space(c); }

}  // namespace

Result<std::optional<Truncation>> read_truncation(const Json& truncation) {
  if (truncation.is_null()) return std::optional<Truncation>();
  const Fields fields(truncation, "truncation");
  Truncation out;
  CAIRN_TRY(const auto most, fields.integer("max_length", 512, 0, INT32_MAX));
  out.max_tokens = static_cast<std::size_t>(most);
  CAIRN_TRY(const std::string strategy, fields.string("strategy", "LongestFirst"));
  if (strategy == "OnlyFirst") {
    out.strategy = Truncation::Strategy::only_first;
  } else if (strategy == "OnlySecond") {
    out.strategy = Truncation::Strategy::only_second;
  } else if (strategy != "LongestFirst") {
    return fields.wrong("strategy", "must be LongestFirst, OnlyFirst or OnlySecond");
  }
  CAIRN_TRY(const std::string direction, fields.string("direction", "Right"));
  if (direction != "Right" && direction != "Left")
    return fields.wrong("direction", "must be Right or Left");
  out.from_left = direction == "Left";
  return std::optional(out);
}

Result<bool> truncate(std::span<TokenList> texts, const Truncation& how, std::size_t room) {
  std::size_t total = 0;
  for (const TokenList& tokens : texts) total += tokens.ids.size();
  if (total <= room) return false;
  const std::size_t gone = total - room;
  if (room == 0) {
    for (TokenList& tokens : texts) tokens.cut(0);
    return true;
  }
  if (how.strategy == Truncation::Strategy::longest_first || texts.size() == 1) {
    if (texts.size() == 1) {
      keep_tokens(texts[0], room, how.from_left);
      return true;
    }
    std::size_t first = texts[0].ids.size();
    std::size_t second = texts[1].ids.size();
    share(first, second, room);
    keep_tokens(texts[0], first, how.from_left);
    keep_tokens(texts[1], second, how.from_left);
    return true;
  }
  TokenList& target = texts[how.strategy == Truncation::Strategy::only_first ? 0 : 1];
  if (target.ids.size() <= gone) {
    return Error{.kind = ErrorKind::invalid_argument,
                 .message =
                     "tokenizer: the text that may be truncated is too short: the other "
                     "leaves it no room"};
  }
  keep_tokens(target, target.ids.size() - gone, how.from_left);
  return true;
}

void trim_ranges(std::string_view text, const Pipeline& pipeline, bool keeps_added,
                 TokenList& tokens) {
  for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
    Span& span = tokens.spans[i];
    const bool added = pipeline.added.find(tokens.ids[i]) != nullptr;
    const std::string_view token =
        added ? span.of(text) : pipeline.model->vocabulary().token(tokens.ids[i]);
    std::size_t leading = 0;
    for (std::size_t at = 0; at < token.size() && is_byte_space(next_character(token, at));)
      ++leading;
    std::size_t trailing = 0;
    for (std::size_t at = token.size(); at > 0 && is_byte_space(previous_character(token, at));)
      ++trailing;
    if (leading == 1 && keeps_added && (i == 0 || span.begin == 0)) leading = 0;
    for (; leading > 0 && span.begin < span.end; --leading) {
      std::size_t next = span.begin;
      next_character(text, next);
      span.begin = static_cast<std::uint32_t>(next);
    }
    std::size_t end = span.end;
    std::size_t left = trailing;
    for (; left > 0 && end > 0; --left) previous_character(text, end);
    if (left == 0) span.end = std::max(static_cast<std::uint32_t>(end), span.begin);
  }
}

}  // namespace cairn::text::tokenizer
