// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/files/path_rules.h"

#include <algorithm>
#include <utility>

#include "connectors/errors.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t pattern_bytes_max = 1024;
constexpr std::size_t lines_max = 10'000;

/// What stands in brackets, from behind the opening one; its length, or nothing where none closes.
std::size_t bracket_length(std::string_view text) {
  std::size_t i = text.starts_with('!') || text.starts_with('^') ? 1 : 0;
  if (i < text.size() && text[i] == ']') ++i;
  for (; i < text.size(); ++i) {
    if (text[i] == ']') return i;
    if (text[i] == '\\') ++i;
  }
  return std::string_view::npos;
}

/// Pairs of first and last byte.
std::string ranges_in(std::string_view inside) {
  std::string out;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == '\\' && i + 1 < inside.size()) ++i;
    const char first = inside[i];
    char last = first;
    if (i + 2 < inside.size() && inside[i + 1] == '-') {
      last = inside[i + 2];
      i += 2;
    }
    out += first;
    out += last;
  }
  return out;
}

bool holds(const std::string& ranges, char c) {
  for (std::size_t i = 0; i + 1 < ranges.size(); i += 2)
    if (static_cast<unsigned char>(ranges[i]) <= static_cast<unsigned char>(c) &&
        static_cast<unsigned char>(c) <= static_cast<unsigned char>(ranges[i + 1]))
      return true;
  return false;
}

/// Blanks at the end do not count, but behind a backslash.
std::string_view without_blanks_behind(std::string_view line) {
  while (line.ends_with(' ') || line.ends_with('\r')) {
    if (line.size() > 1 && line[line.size() - 2] == '\\') break;
    line.remove_suffix(1);
  }
  return line;
}

}  // namespace

Result<PathPattern> PathPattern::parse(std::string_view text) {
  const std::string shown(text.substr(0, 100));
  if (text.size() > pattern_bytes_max)
    return invalid("the pattern [" + shown + "…] is longer than 1024 bytes");
  PathPattern out;
  if (text.ends_with('/')) {
    out.folders_only_ = true;
    text.remove_suffix(1);
  }
  const bool anchored = text.find('/') != std::string_view::npos;
  if (text.starts_with('/')) text.remove_prefix(1);
  if (text.empty()) return invalid("the pattern [" + shown + "] names no path");
  if (!anchored) out.tokens_.push_back({.kind = Token::Kind::folders});
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_part = i == 0 || text[i - 1] == '/';
    const std::string_view rest = text.substr(i);
    if (begins_part && rest.starts_with("**/")) {
      out.tokens_.push_back({.kind = Token::Kind::folders});
      i += 2;
    } else if (begins_part && rest == "**") {  // all that lies within
      out.tokens_.push_back({.kind = Token::Kind::any_byte});
      out.tokens_.push_back({.kind = Token::Kind::run});
      out.tokens_.push_back({.kind = Token::Kind::folders, .negated = true});
      i += 1;
    } else if (rest[0] == '*') {
      if (out.tokens_.empty() || out.tokens_.back().kind != Token::Kind::run)
        out.tokens_.push_back({.kind = Token::Kind::run});
    } else if (rest[0] == '?') {
      out.tokens_.push_back({.kind = Token::Kind::any_byte});
    } else if (rest[0] == '[' && bracket_length(rest.substr(1)) != std::string_view::npos) {
      std::string_view inside = rest.substr(1, bracket_length(rest.substr(1)));
      i += inside.size() + 1;
      const bool negated = inside.starts_with('!') || inside.starts_with('^');
      if (negated) inside.remove_prefix(1);
      out.tokens_.push_back(
          {.kind = Token::Kind::one_of, .negated = negated, .members = ranges_in(inside)});
    } else {
      if (rest[0] == '\\' && rest.size() > 1) ++i;
      out.tokens_.push_back({.kind = Token::Kind::byte, .byte = text[i]});
    }
  }
  return out;
}

// All places in the pattern that the path's bytes so far may have come to, side by side.
bool PathPattern::matches_bytes(std::string_view path) const {
  std::vector<char> at(tokens_.size() + 1, 0), next(tokens_.size() + 1, 0);
  // A place before what may stand for nothing is also one behind it.
  const auto pass_on = [&](std::vector<char>& places) {
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (places[i] != 0 &&
          (tokens_[i].kind == Token::Kind::run || tokens_[i].kind == Token::Kind::folders))
        places[i + 1] = 1;
  };
  at[0] = 1;
  pass_on(at);
  for (std::size_t n = 0; n < path.size(); ++n) {
    const char c = path[n];
    std::fill(next.begin(), next.end(), 0);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (at[i] == 0) continue;
      const Token& token = tokens_[i];
      switch (token.kind) {
        case Token::Kind::byte:
          if (token.byte == c) next[i + 1] = 1;
          break;
        case Token::Kind::any_byte:
          if (c != '/') next[i + 1] = 1;
          break;
        case Token::Kind::one_of:
          if (c != '/' && holds(token.members, c) != token.negated) next[i + 1] = 1;
          break;
        case Token::Kind::run:
          if (c != '/') next[i] = 1;
          break;
        case Token::Kind::folders:  // whole folders with their slashes; as `negated`: anything
          next[i] = at[i];
          break;
      }
    }
    // Behind folders the pattern goes on after a slash alone.
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (next[i] == 0) continue;
      if (tokens_[i].kind == Token::Kind::run) next[i + 1] = 1;
      if (tokens_[i].kind == Token::Kind::folders && (c == '/' || tokens_[i].negated))
        next[i + 1] = 1;
    }
    std::swap(at, next);
  }
  return at[tokens_.size()] != 0;
}

bool PathPattern::matches(std::string_view path, bool is_folder) const {
  return (is_folder || !folders_only_) && matches_bytes(path);
}

IgnoreFile::IgnoreFile(std::string folder, std::string_view text) : folder_(std::move(folder)) {
  while (!text.empty() && lines_.size() < lines_max) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = without_blanks_behind(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    const bool takes_in = line.starts_with('!');
    if (takes_in) line.remove_prefix(1);
    auto pattern = PathPattern::parse(line);
    if (pattern.ok()) lines_.push_back({*std::move(pattern), takes_in});
  }
}

std::optional<bool> IgnoreFile::judge(std::string_view path, bool is_folder) const {
  if (!folder_.empty()) path.remove_prefix(folder_.size() + 1);
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line)
    if (line->pattern.matches(path, is_folder)) return !line->takes_in;
  return std::nullopt;
}

}  // namespace cairn::connectors
