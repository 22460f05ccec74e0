// SPDX-License-Identifier: Apache-2.0
#include "script/lexer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace cairn::script {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The longest first.
constexpr std::array<std::string_view, 50> marks = {
    ">>>=", "===", "!==", "==~", ">>>", "<<=", ">>=", "->", "::", "=~", "?.", "?:", "==", "!=",
    "<=",   ">=",  "&&",  "||",  "++",  "--",  "<<",  ">>", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=",   "^=",  "{",   "}",   "[",   "]",   "(",   ")",  ".",  ",",  ";",  "?",  ":",  "!",
    "~",    "*",   "/",   "%",   "+",   "-",   "<",   ">"};
constexpr std::string_view single_marks = "=&|^";

class Lexer {
 public:
  Lexer(std::string_view source, std::vector<Token>& out, Fault& fault)
      : source_(source), out_(out), fault_(fault) {}

  bool run() {
    while (pass_blanks()) {
      if (at_ == source_.size()) {
        out_.push_back({.kind = Token::Kind::end, .at = position(), .word = {}});
        return true;
      }
      if (!token()) return false;
    }
    return false;
  }

 private:
  std::uint32_t position() const { return static_cast<std::uint32_t>(at_); }
  bool fail(std::size_t at, std::string reason) {
    fault_ = {.reason = std::move(reason), .at = static_cast<std::uint32_t>(at)};
    return false;
  }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  void add(Token::Kind kind, std::size_t from) {
    out_.push_back({.kind = kind,
                    .at = static_cast<std::uint32_t>(from),
                    .word = source_.substr(from, at_ - from)});
  }

  bool pass_blanks() {
    while (at_ < source_.size()) {
      const std::string_view rest = source_.substr(at_);
      if (rest.starts_with("//")) {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t end = source_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return fail(at_, "a comment has no end: expected [*/]");
        at_ = end + 2;
      } else if (rest[0] == ' ' || (rest[0] >= '\t' && rest[0] <= '\r')) {
        ++at_;
      } else {
        break;
      }
    }
    return true;
  }

  bool token() {
    const std::size_t from = at_;
    if (is_letter(peek())) {
      while (is_letter(peek()) || is_digit(peek())) ++at_;
      add(Token::Kind::name, from);
      return true;
    }
    if (is_digit(peek())) return number();
    if (peek() == '\'' || peek() == '"') return text();
    for (const std::string_view mark : marks) {
      if (!source_.substr(at_).starts_with(mark)) continue;
      at_ += mark.size();
      add(Token::Kind::mark, from);
      return true;
    }
    if (single_marks.find(peek()) == std::string_view::npos || peek() == '\0')
      return fail(from, "unexpected character [" + character() + "].");
    ++at_;
    add(Token::Kind::mark, from);
    return true;
  }
  /// The whole one, however many bytes it has.
  std::string character() const {
    std::size_t end = at_ + 1;
    while (end < source_.size() && (static_cast<unsigned char>(source_[end]) & 0xC0) == 0x80) ++end;
    return std::string(source_.substr(at_, end - at_));
  }

  bool text() {
    const std::size_t from = at_;
    const char quote = source_[at_++];
    std::string said;
    while (at_ < source_.size() && source_[at_] != quote) {
      if (source_[at_] == '\\') {
        const char next = peek(1);
        if (next != quote && next != '\\')
          return fail(from, std::string("unexpected character [\\") + next +
                                "]. The only valid escape sequences in strings starting with [" +
                                quote + "] are [\\\\] and [\\" + quote + "].");
        ++at_;
      }
      said += source_[at_++];
    }
    if (at_ == source_.size()) return fail(from, "a text has no end: expected [" + std::string(1, quote) + "]");
    ++at_;
    add(Token::Kind::text, from);
    out_.back().text = std::move(said);
    return true;
  }

  bool number() {
    const std::size_t from = at_;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) return whole(from, 2, 16);
    bool broken = false;
    const auto digits = [&] {
      while (is_digit(peek())) ++at_;
    };
    digits();
    // 1.e is a member of 1; only digits make a fraction.
    if (peek() == '.' && is_digit(peek(1))) {
      broken = true;
      ++at_;
      digits();
    }
    if ((peek() == 'e' || peek() == 'E') &&
        (is_digit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && is_digit(peek(2))))) {
      broken = true;
      at_ += 2;
      digits();
    }
    const char suffix = peek();
    const bool is_real = broken || suffix == 'd' || suffix == 'D' || suffix == 'f' || suffix == 'F';
    if (is_real) return real(from);
    const bool octal = source_[from] == '0' && at_ - from > 1;
    at_ = from;
    return whole(from, octal ? 1 : 0, octal ? 8 : 10);
  }

  bool real(std::size_t from) {
    const std::string_view digits = source_.substr(from, at_ - from);
    const char suffix = peek();
    const bool narrow = suffix == 'f' || suffix == 'F';
    if (narrow || suffix == 'd' || suffix == 'D') ++at_;
    Value value;
    bool fits = false;
    if (narrow) {
      float read = 0;
      fits = std::from_chars(digits.data(), digits.data() + digits.size(), read).ec == std::errc{};
      value = Value::of(read);
    } else {
      double read = 0;
      fits = std::from_chars(digits.data(), digits.data() + digits.size(), read).ec == std::errc{};
      value = Value::of(read);
    }
    if (!fits || is_letter(peek()))
      return fail(from, std::string("Invalid ") + (narrow ? "float" : "double") + " constant [" +
                            std::string(source_.substr(from, at_ - from)) + "].");
    add(Token::Kind::number, from);
    out_.back().number = value;
    return true;
  }

  bool whole(std::size_t from, std::size_t prefix, int base) {
    at_ = from + prefix;
    std::uint64_t read = 0;
    const char* begin = source_.data() + at_;
    const auto [end, fault] = std::from_chars(begin, source_.data() + source_.size(), read, base);
    at_ += static_cast<std::size_t>(end - begin);
    const bool wide = peek() == 'l' || peek() == 'L';
    if (wide) ++at_;
    const std::string word(source_.substr(from, at_ - from));
    const std::uint64_t greatest = wide ? std::numeric_limits<std::int64_t>::max()
                                        : std::numeric_limits<std::int32_t>::max();
    // Hexadecimal and octal numbers may use the bit of the sign.
    const std::uint64_t most = base == 10 ? greatest + 1 : 2 * greatest + 1;
    if (fault != std::errc{} || is_letter(peek()) || is_digit(peek()))
      return fail(from, "Invalid " + std::string(wide ? "long" : "int") + " constant [" + word + "].");
    if (read > most)
      return fail(from, wide ? "Invalid long constant [" + word + "]."
                             : "Invalid int constant [" + word + "]. If you want a long constant "
                               "then change it to [" + word + "L].");
    add(Token::Kind::number, from);
    Token& token = out_.back();
    token.number = wide ? Value::of(static_cast<std::int64_t>(read))
                        : Value::of(static_cast<std::int32_t>(static_cast<std::uint32_t>(read)));
    token.is_least = base == 10 && read == greatest + 1;
    return true;
  }

  std::string_view source_;
  std::vector<Token>& out_;
  Fault& fault_;
  std::size_t at_ = 0;
};

}  // namespace

bool read_tokens(std::string_view source, std::vector<Token>& out, Fault& fault) {
  return Lexer(source, out, fault).run();
}

}  // namespace cairn::script
