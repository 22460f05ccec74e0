// SPDX-License-Identifier: Apache-2.0
#include "graphql/language/lexer.h"

#include <algorithm>
#include <cstdio>

#include "base/strings.h"

namespace cairn::graphql {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Of the character that begins there; the source is UTF-8.
std::size_t length_of(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0x80) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

std::uint32_t code_point_at(std::string_view text) {
  const std::size_t length = std::min(length_of(text.front()), text.size());
  auto code = static_cast<std::uint32_t>(static_cast<unsigned char>(text.front()));
  if (length > 1) code &= 0x7fU >> length;
  for (std::size_t i = 1; i < length; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  return code;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

/// Ended by \n, \r\n or \r.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t end = text.find_first_of("\r\n");
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  }
}

}  // namespace

Error syntax_error(std::string_view what, Location at) {
  return Error{ErrorKind::invalid_argument,
               "graphql_syntax",
               "Syntax Error: " + std::string(what),
               {{"line", std::to_string(at.line)}, {"column", std::to_string(at.column)}}};
}

std::string describe(const Token& token) {
  switch (token.kind) {
    case Token::Kind::end:
      return "<EOF>";
    case Token::Kind::punctuator:
      return "\"" + std::string(token.text) + "\"";
    case Token::Kind::name:
      return "Name \"" + std::string(token.text) + "\"";
    case Token::Kind::integer:
      return "Int \"" + std::string(token.text) + "\"";
    case Token::Kind::floating:
      return "Float \"" + std::string(token.text) + "\"";
    case Token::Kind::string:
      return "String \"" + token.value + "\"";
    case Token::Kind::block_string:
      return "BlockString \"" + token.value + "\"";
  }
  return {};
}

Lexer::Lexer(std::string_view source) : source_(source) {}

/// Counts on from the last place that was asked for, so that all of them together cost one pass.
Location Lexer::here() {
  const std::size_t until = std::min(at_, source_.size());
  for (; counted_ < until; ++counted_) {
    const char c = source_[counted_];
    const bool pair = c == '\r' && counted_ + 1 < source_.size() && source_[counted_ + 1] == '\n';
    if (c == '\n' || (c == '\r' && !pair)) {
      ++place_.line;
      place_.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {
      place_.column += static_cast<unsigned char>(c) >= 0xf0 ? 2 : 1;
    }
  }
  return place_;
}

Error Lexer::fault(std::string_view what, std::size_t offset) {
  at_ = offset;
  return syntax_error(what, here());
}

std::string Lexer::shown(std::size_t offset) const {
  if (offset >= source_.size()) return "<EOF>";
  const std::uint32_t code = code_point_at(source_.substr(offset));
  if (code == '"') return "'\"'";
  if (code >= 0x20 && code < 0x7f) return "\"" + std::string(1, static_cast<char>(code)) + "\"";
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", static_cast<unsigned>(code));
  return text;
}

Error Lexer::unexpected_character(std::size_t offset) {
  if (source_[offset] == '\'')
    return fault("Unexpected single quote character ('), did you mean to use a double quote (\")?",
                 offset);
  return fault("Unexpected character: " + shown(offset) + ".", offset);
}

Status Lexer::pass_ignored() {
  for (; at_ < source_.size(); ++at_) {
    const char c = source_[at_];
    if (c == '#') {
      at_ = std::min(source_.find_first_of("\r\n", at_), source_.size());
      if (at_ == source_.size()) break;
    } else if (source_.substr(at_).starts_with("\xef\xbb\xbf")) {
      at_ += 2;
    } else if (c != ' ' && c != '\t' && c != ',' && c != '\n' && c != '\r') {
      break;
    }
  }
  return ok_status();
}

Result<Token> Lexer::next() {
  CAIRN_CHECK(pass_ignored());
  Token token;
  token.at = here();
  if (at_ >= source_.size()) return token;
  const char c = source_[at_];
  if (is_name_start(c)) {
    const std::size_t begin = at_;
    while (is_name_start(peek()) || is_digit(peek())) ++at_;
    token.kind = Token::Kind::name;
    token.text = source_.substr(begin, at_ - begin);
    return token;
  }
  if (c == '"')
    return source_.substr(at_).starts_with("\"\"\"") ? read_block_string(std::move(token))
                                                     : read_string(std::move(token));
  if (is_digit(c) || c == '-') return read_number(std::move(token));
  const bool spread = source_.substr(at_).starts_with("...");
  if (!spread && std::string_view("!$&():=@[]{|}").find(c) == std::string_view::npos)
    return unexpected_character(at_);
  token.kind = Token::Kind::punctuator;
  token.text = source_.substr(at_, spread ? 3 : 1);
  at_ += token.text.size();
  return token;
}

Result<std::size_t> Lexer::digits_from(std::size_t at) {
  if (at >= source_.size() || !is_digit(source_[at]))
    return fault("Invalid number, expected digit but got: " + shown(at) + ".", at);
  while (at < source_.size() && is_digit(source_[at])) ++at;
  return at;
}

Result<Token> Lexer::read_number(Token token) {
  const auto at_of = [&](std::size_t at) { return at < source_.size() ? source_[at] : '\0'; };
  std::size_t end = at_;
  token.kind = Token::Kind::integer;
  if (at_of(end) == '-') ++end;
  if (at_of(end) == '0') {
    if (is_digit(at_of(++end)))
      return fault("Invalid number, unexpected digit after 0: " + shown(end) + ".", end);
  } else {
    CAIRN_TRY(end, digits_from(end));
  }
  if (at_of(end) == '.') {
    token.kind = Token::Kind::floating;
    CAIRN_TRY(end, digits_from(end + 1));
  }
  if (at_of(end) == 'e' || at_of(end) == 'E') {
    token.kind = Token::Kind::floating;
    ++end;
    if (at_of(end) == '+' || at_of(end) == '-') ++end;
    CAIRN_TRY(end, digits_from(end));
  }
  if (at_of(end) == '.' || is_name_start(at_of(end)))
    return fault("Invalid number, expected digit but got: " + shown(end) + ".", end);
  token.text = source_.substr(at_, end - at_);
  at_ = end;
  return token;
}

Result<Token> Lexer::read_string(Token token) {
  token.kind = Token::Kind::string;
  ++at_;
  for (;;) {
    const char c = peek();
    if (at_ >= source_.size() || c == '\n' || c == '\r') return fault("Unterminated string.", at_);
    if (c == '"') break;
    if (c == '\\') {
      CAIRN_CHECK(read_escape(token.value));
    } else {
      token.value += c;
      ++at_;
    }
  }
  ++at_;
  return token;
}

Status Lexer::read_escape(std::string& out) {
  static constexpr std::string_view names = "\"\\/bfnrt";
  static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  const char c = peek(1);
  if (c == 'u') return read_unicode_escape(out);
  const std::size_t which = c == '\0' ? std::string_view::npos : names.find(c);
  if (which == std::string_view::npos) {
    const std::size_t length = at_ + 1 < source_.size() ? length_of(source_[at_ + 1]) : 0;
    return fault("Invalid character escape sequence: \"" +
                     std::string(source_.substr(at_, 1 + length)) + "\".",
                 at_);
  }
  out += meanings[which];
  at_ += 2;
  return ok_status();
}

Status Lexer::read_unicode_escape(std::string& out) {
  const auto four_at = [&](std::size_t at) -> std::int32_t {
    std::int32_t code = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      const int digit = i < source_.size() ? hex_value(source_[i]) : -1;
      if (digit < 0) return -1;
      code = code * 16 + digit;
    }
    return code;
  };
  const auto invalid = [&](std::size_t length) {
    const std::size_t whole = valid_utf8_prefix(source_.substr(at_, length));
    return fault(
        "Invalid Unicode escape sequence: \"" + std::string(source_.substr(at_, whole)) + "\".",
        at_);
  };
  if (peek(2) == '{') {
    std::uint32_t code = 0;
    std::size_t length = 3;
    for (; hex_value(peek(length)) >= 0 && length < 11; ++length)
      code = code * 16 + static_cast<std::uint32_t>(hex_value(peek(length)));
    const bool scalar = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    if (peek(length) != '}' || length == 3 || !scalar) return invalid(length + 1);
    append_utf8(out, static_cast<char32_t>(code));
    at_ += length + 1;
    return ok_status();
  }
  const std::int32_t first = four_at(at_ + 2);
  if (first < 0 || (first >= 0xdc00 && first <= 0xdfff)) return invalid(6);
  if (first < 0xd800 || first > 0xdbff) {
    append_utf8(out, static_cast<char32_t>(first));
    at_ += 6;
    return ok_status();
  }
  const bool two = peek(6) == '\\' && peek(7) == 'u';
  const std::int32_t second = two ? four_at(at_ + 8) : -1;
  if (second < 0xdc00 || second > 0xdfff) return invalid(6);
  append_utf8(out, static_cast<char32_t>(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)));
  at_ += 12;
  return ok_status();
}

Result<Token> Lexer::read_block_string(Token token) {
  token.kind = Token::Kind::block_string;
  std::string raw;
  at_ += 3;
  for (;;) {
    if (at_ >= source_.size()) return fault("Unterminated string.", at_);
    const std::string_view rest = source_.substr(at_);
    if (rest.starts_with("\"\"\"")) break;
    const bool escaped = rest.starts_with("\\\"\"\"");
    raw += escaped ? std::string_view("\"\"\"") : rest.substr(0, 1);
    at_ += escaped ? 4 : 1;
  }
  at_ += 3;
  token.value = without_indent(raw);
  return token;
}

std::string without_indent(std::string_view raw) {
  const auto lines = lines_of(raw);
  std::size_t indent = std::string_view::npos, first = lines.size(), last = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_blank(lines[i])) continue;
    first = std::min(first, i);
    last = i;
    if (i > 0) indent = std::min(indent, lines[i].find_first_not_of(" \t"));
  }
  std::string out;
  for (std::size_t i = first; i <= last && i < lines.size(); ++i) {
    if (i > first) out += '\n';
    out += i == 0 ? lines[i] : lines[i].substr(std::min(indent, lines[i].size()));
  }
  return out;
}

}  // namespace cairn::graphql
