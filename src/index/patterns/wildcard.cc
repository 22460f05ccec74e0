// SPDX-License-Identifier: Apache-2.0
#include "index/patterns/wildcard.h"

#include "text/words.h"

namespace cairn::index {
namespace {

std::size_t behind_character(std::string_view text, std::size_t at) {
  if (static_cast<unsigned char>(text[at]) < 0x80) return at + 1;
  text::next_code_point(text, at);
  return at;
}

}  // namespace

Wildcard::Wildcard(std::string_view pattern) : runs_(1) {
  bool literal = true;
  for (std::size_t at = 0; at < pattern.size(); ++characters_) {
    if (pattern[at] == '*') {
      runs_.emplace_back();
      literal = false;
      ++at;
      continue;
    }
    Run& run = runs_.back();
    ++run.characters;
    if (pattern[at] == '?') {
      if (run.pieces.empty() || !run.pieces.back().text.empty()) run.pieces.emplace_back();
      ++run.pieces.back().any;
      literal = false;
      ++at;
      continue;
    }
    if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
    const std::size_t next = behind_character(pattern, at);
    if (run.pieces.empty()) run.pieces.emplace_back();
    run.pieces.back().text += pattern.substr(at, next - at);
    if (literal) prefix_ += pattern.substr(at, next - at);
    at = next;
  }
}

// Where the run ends that begins at `at`; nothing where none does.
std::optional<std::size_t> Wildcard::end_of(const Run& run, std::string_view text, std::size_t at) {
  for (const Piece& piece : run.pieces) {
    for (std::size_t i = 0; i < piece.any; ++i) {
      if (at >= text.size()) return std::nullopt;
      at = behind_character(text, at);
    }
    if (!text.substr(at).starts_with(piece.text)) return std::nullopt;
    at += piece.text.size();
  }
  return at;
}

// Where the first run from `at` on ends.
std::optional<std::size_t> Wildcard::find(const Run& run, std::string_view text, std::size_t at) {
  if (run.pieces.empty()) return at;
  const Piece& first = run.pieces.front();
  while (at <= text.size()) {
    if (first.any == 0) {
      at = text.find(first.text, at);
      if (at == std::string_view::npos) return std::nullopt;
    }
    if (const auto end = end_of(run, text, at)) return end;
    if (at == text.size()) break;
    at = behind_character(text, at);
  }
  return std::nullopt;
}

bool Wildcard::ends_with(const Run& run, std::string_view text, std::size_t least) {
  std::size_t at = text.size();
  for (std::size_t i = 0; i < run.characters; ++i) {
    if (at <= least) return false;
    --at;
    while (at > least && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  }
  return end_of(run, text, at) == text.size();
}

bool Wildcard::matches(std::string_view text) const {
  auto at = end_of(runs_.front(), text, 0);
  if (runs_.size() == 1) return at == text.size();
  // Each run as early as it can be leaves the most for those that follow.
  for (std::size_t i = 1; at && i + 1 < runs_.size(); ++i) at = find(runs_[i], text, *at);
  return at && ends_with(runs_.back(), text, *at);
}

}  // namespace cairn::index
