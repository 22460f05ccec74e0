// SPDX-License-Identifier: Apache-2.0
#include "inference/templates/lexer.h"

#include <array>
#include <charconv>
#include <optional>

#include "base/strings.h"
#include "inference/errors.h"
#include "inference/templates/text_value.h"

namespace cairn::inference::templates {
namespace {

bool is_digit_of(char c, int base) {
  int value = 99;
  if (c >= '0' && c <= '9') value = c - '0';
  if (c >= 'a' && c <= 'f') value = c - 'a' + 10;
  if (c >= 'A' && c <= 'F') value = c - 'A' + 10;
  return value < base;
}

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

std::string with_line_feeds(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      out += source[i];
      continue;
    }
    out += '\n';
    if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Status run() {
    while (at_ < source_.size()) CAIRN_CHECK(data());
    add(Token::Kind::end, "");
    return ok_status();
  }
  std::vector<Token> take() { return std::move(tokens_); }

 private:
  /// Moves on, and keeps line and column.
  void go_to(std::size_t to) {
    for (; at_ < to; ++at_) {
      if (source_[at_] == '\n') {
        ++place_.line;
        place_.column = 1;
      } else if (starts_character(source_[at_])) {
        ++place_.column;
      }
    }
  }
  std::string_view rest() const { return source_.substr(at_); }
  Error wrong(std::string_view message) const { return template_error(place_, message); }
  void add(Token::Kind kind, std::string_view text) {
    tokens_.push_back({.kind = kind, .text = std::string(text), .place = place_});
  }

  static std::size_t next_tag(std::string_view text) {
    for (std::size_t i = text.find('{'); i < text.size() && i + 1 < text.size();
         i = text.find('{', i + 1))
      if (text[i + 1] == '{' || text[i + 1] == '%' || text[i + 1] == '#') return i;
    return std::string_view::npos;
  }

  /// The text before a tag whose sign is `sign`, trimmed as the sign and lstrip_blocks say.
  std::string_view trimmed(std::string_view text, char sign, bool is_print) const {
    if (sign == '-') return text.substr(0, without_space_at_end(text));
    if (sign == '+' || is_print) return text;
    const std::size_t feed = text.rfind('\n');
    const std::size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
    if (begin == 0 && !line_starts_) return text;
    return space_at_start(text.substr(begin)) == text.size() - begin ? text.substr(0, begin) : text;
  }

  void text_until(std::size_t tag, char sign, bool is_print) {
    const std::string_view text = trimmed(source_.substr(at_, tag - at_), sign, is_print);
    if (!text.empty()) add(Token::Kind::data, text);
    go_to(tag);
  }

  static char sign_at(std::string_view text, std::size_t at) {
    return at < text.size() && (text[at] == '-' || text[at] == '+') ? text[at] : ' ';
  }

  /// Text up to the next tag, and that tag.
  Status data() {
    const std::size_t found = next_tag(rest());
    if (found == std::string_view::npos) {
      add(Token::Kind::data, rest());
      go_to(source_.size());
      return ok_status();
    }
    const std::size_t tag = at_ + found;
    const char sign = sign_at(source_, tag + 2);
    const bool is_print = source_[tag + 1] == '{';
    text_until(tag, sign, is_print);
    const std::size_t inside = tag + (sign == ' ' ? 2 : 3);
    if (source_[tag + 1] == '#') return comment(inside);
    if (!is_print) {
      if (const auto raw_end = raw_head(inside)) return raw(*raw_end);
    }
    add(is_print ? Token::Kind::print_begin : Token::Kind::tag_begin, "");
    go_to(inside);
    return inside_tag(is_print);
  }

  /// Behind a tag's end: white space that its sign takes.
  void behind_tag(std::size_t end, char sign, bool trims_line) {
    const std::size_t begin = end;
    if (sign == '-') {
      end += space_at_start(source_.substr(end));
    } else if (trims_line && sign != '+' && end < source_.size() && source_[end] == '\n') {
      ++end;
    }
    line_starts_ = end > begin && source_[end - 1] == '\n';
    go_to(end);
  }

  Status comment(std::size_t inside) {
    const std::size_t end = source_.find("#}", inside);
    if (end == std::string_view::npos) return wrong("a comment {# has no end #}");
    const char sign = end > inside ? sign_at(source_, end - 1) : ' ';
    go_to(end + 2);
    behind_tag(end + 2, sign, true);
    return ok_status();
  }

  /// The end of `raw %}`, where that stands inside a tag.
  std::optional<std::size_t> raw_head(std::size_t inside) const {
    std::size_t at = inside + space_at_start(source_.substr(inside));
    if (!source_.substr(at).starts_with("raw")) return std::nullopt;
    at += 3;
    at += space_at_start(source_.substr(at));
    if (source_.substr(at).starts_with("-%}"))
      return at + 3 + space_at_start(source_.substr(at + 3));
    if (source_.substr(at).starts_with("%}")) return at + 2;
    return std::nullopt;
  }

  Status raw(std::size_t begin) {
    go_to(begin);
    line_starts_ = source_[begin - 1] == '\n';
    for (std::size_t tag = source_.find("{%", begin); tag != std::string_view::npos;
         tag = source_.find("{%", tag + 2)) {
      const char sign = sign_at(source_, tag + 2);
      std::size_t at = tag + (sign == ' ' ? 2 : 3);
      at += space_at_start(source_.substr(at));
      if (!source_.substr(at).starts_with("endraw")) continue;
      at += 6;
      at += space_at_start(source_.substr(at));
      const char end_sign = sign_at(source_, at);
      if (end_sign != ' ') ++at;
      if (!source_.substr(at).starts_with("%}")) continue;
      text_until(tag, sign, false);
      go_to(at + 2);
      behind_tag(at + 2, end_sign, true);
      return ok_status();
    }
    return wrong("{% raw %} has no end {% endraw %}");
  }

  Status inside_tag(bool is_print) {
    const std::string_view end = is_print ? "}}" : "%}";
    const Place begin = place_;
    std::string open;  // brackets
    while (true) {
      go_to(at_ + space_at_start(rest()));
      if (at_ == source_.size()) {
        return template_error(begin, is_print ? "{{ has no end }}" : "{% has no end %}");
      }
      if (open.empty()) {
        // }} knows no plus sign.
        const char sign = sign_at(source_, at_);
        const bool signed_end = sign == '-' || (sign == '+' && !is_print);
        if (source_.substr(at_ + (signed_end ? 1 : 0)).starts_with(end)) {
          add(is_print ? Token::Kind::print_end : Token::Kind::tag_end, "");
          const std::size_t behind = at_ + (signed_end ? 3 : 2);
          go_to(behind);
          behind_tag(behind, signed_end ? sign : ' ', !is_print);
          return ok_status();
        }
      }
      CAIRN_CHECK(token(open));
    }
  }

  Status token(std::string& open) {
    const char c = source_[at_];
    if (c == '"' || c == '\'') return string(c);
    if (c >= '0' && c <= '9') return number();
    if (begins_name(c)) {
      std::size_t end = at_;
      while (end < source_.size() && continues_name(source_[end])) ++end;
      if (end - at_ > most_name_bytes) return wrong("a name has more than 256 bytes");
      add(Token::Kind::name, source_.substr(at_, end - at_));
      go_to(end);
      return ok_status();
    }
    return sign(open);
  }

  Status sign(std::string& open) {
    static constexpr std::array<std::string_view, 27> signs = {
        "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]",
        "(",  ")",  "{",  "}",  ">",  "<",  "=", ".", ":", "|", ",", ";", "@"};
    for (const std::string_view one : signs) {
      if (!rest().starts_with(one) || one == "@") continue;
      const char c = one.front();
      if (c == '(' || c == '[' || c == '{') open += c == '(' ? ')' : c == '[' ? ']' : '}';
      if (c == ')' || c == ']' || c == '}') {
        if (open.empty() || open.back() != c)
          return wrong("unexpected '" + std::string(1, c) + "'");
        open.pop_back();
      }
      add(Token::Kind::sign, one);
      go_to(at_ + one.size());
      return ok_status();
    }
    std::size_t end = at_;
    next_character(source_, end);
    return wrong("unexpected character '" + std::string(source_.substr(at_, end - at_)) + "'");
  }

  /// Digits with single underscores between them.
  std::size_t digits_end(std::size_t at, int base) const {
    while (at < source_.size()) {
      if (is_digit_of(source_[at], base)) {
        ++at;
      } else if (source_[at] == '_' && at + 1 < source_.size() &&
                 is_digit_of(source_[at + 1], base)) {
        at += 2;
      } else {
        break;
      }
    }
    return at;
  }

  std::string digits(std::size_t begin, std::size_t end) const {
    std::string out;
    for (const char c : source_.substr(begin, end - begin))
      if (c != '_') out += c;
    return out;
  }

  Status number() {
    int base = 10;
    std::size_t begin = at_;
    if (source_[at_] == '0' && at_ + 2 < source_.size()) {
      const char kind = static_cast<char>(source_[at_ + 1] | 0x20);
      const int other = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
      if (other != 10 && is_digit_of(source_[at_ + 2], other)) base = other;
    }
    if (base != 10) begin += 2;
    std::size_t end = digits_end(begin, base);
    bool is_integer = true;
    const auto digit_at = [&](std::size_t at) {
      return at < source_.size() && is_digit_of(source_[at], 10);
    };
    const bool after_dot = at_ > 0 && source_[at_ - 1] == '.';  // a.1.2: two items
    if (base == 10 && !after_dot) {
      if (end < source_.size() && source_[end] == '.' && digit_at(end + 1)) {
        end = digits_end(end + 1, 10);
        is_integer = false;
      }
      if (end < source_.size() && (source_[end] == 'e' || source_[end] == 'E')) {
        std::size_t power = end + 1;
        if (power < source_.size() && (source_[power] == '+' || source_[power] == '-')) ++power;
        if (digit_at(power)) {
          end = digits_end(power, 10);
          is_integer = false;
        }
      }
    }
    const std::string text = digits(begin, end);
    add(is_integer ? Token::Kind::integer : Token::Kind::number, text);
    Token& made = tokens_.back();
    if (is_integer) {
      const auto [stop, fault] =
          std::from_chars(text.data(), text.data() + text.size(), made.integer, base);
      if (fault != std::errc{} || stop != text.data() + text.size())
        return wrong("the number " + text.substr(0, 40) + " is too large");
    } else {
      const auto read = parse_number<double>(text);
      if (!read) return wrong("the number " + text.substr(0, 40) + " is too large");
      made.number = *read;
    }
    go_to(end);
    return ok_status();
  }

  Status string(char quote) {
    const Place begin = place_;
    std::string out;
    std::size_t at = at_ + 1;
    while (at < source_.size() && source_[at] != quote) {
      if (source_[at] != '\\') {
        out += source_[at++];
        continue;
      }
      if (at + 1 == source_.size()) break;
      CAIRN_TRY(at, escape(at + 1, out));
    }
    if (at >= source_.size()) return template_error(begin, "a string has no end");
    add(Token::Kind::string, out);
    go_to(at + 1);
    return ok_status();
  }

  /// Undoes the escape whose letter is at `at`; gives what is behind it.
  Result<std::size_t> escape(std::size_t at, std::string& out) const {
    const char letter = source_[at];
    static constexpr std::string_view letters = "\\'\"abfnrtv";
    static constexpr std::string_view meanings = "\\'\"\a\b\f\n\r\t\v";
    if (const auto known = letters.find(letter); known != std::string_view::npos) {
      out += meanings[known];
      return at + 1;
    }
    if (letter == '\n') return at + 1;
    if (letter == 'N') return wrong("a string has \\N, which names no character here");
    if (letter >= '0' && letter <= '7') {
      std::size_t end = at;
      while (end < at + 3 && end < source_.size() && is_digit_of(source_[end], 8)) ++end;
      return code(at, end, 8, out);
    }
    const std::size_t length = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    if (length == 0) {
      out += '\\';
      return at;
    }
    std::size_t end = at + 1;
    while (end < source_.size() && end < at + 1 + length && is_digit_of(source_[end], 16)) ++end;
    if (end != at + 1 + length)
      return wrong("a string has \\" + std::string(1, letter) + " without " +
                   std::to_string(length) + " hexadecimal digits");
    return code(at + 1, end, 16, out);
  }

  Result<std::size_t> code(std::size_t begin, std::size_t end, int base, std::string& out) const {
    std::uint32_t value = 0;
    std::from_chars(source_.data() + begin, source_.data() + end, value, base);
    if (value > 0x10ffff) return wrong("a string has an escape beyond U+10FFFF");
    append_utf8(out, value);
    return end;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  Place place_;
  bool line_starts_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

Error template_error(Place place, std::string_view message) {
  return bad_request("chat template, line " + std::to_string(place.line) + ", column " +
                     std::to_string(place.column) + ": " + std::string(message))
      .with_detail("line", std::to_string(place.line))
      .with_detail("col", std::to_string(place.column));
}

Result<std::vector<Token>> read_tokens(std::string_view source) {
  const std::string text = with_line_feeds(source);
  Lexer lexer(text);
  CAIRN_CHECK(lexer.run());
  return lexer.take();
}

}  // namespace cairn::inference::templates
