// SPDX-License-Identifier: Apache-2.0
// Matching by hand, each rule in the order in which the expression has it. Every character belongs
// to a match, so there is nothing between them.
#include "text/tokenizer/patterns.h"

#include <unicode/uniset.h>

#include <utility>

#include "text/regex.h"

namespace cairn::text::tokenizer {
namespace {

constexpr std::string_view gpt2_expression =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
// Of Llama 3 and cl100k with \p{N}{1,3}, of Qwen2 with \p{N}.
constexpr std::string_view modern_before =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)";
constexpr std::string_view modern_after = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

enum class Kind { letter, number, space, other };

Kind kind_of(UChar32 c) {
  if (c < 0x80) {
    if (is_letter(c)) return Kind::letter;
    if (is_number(c)) return Kind::number;
    return is_space(c) ? Kind::space : Kind::other;
  }
  const std::uint32_t category = U_GET_GC_MASK(c);
  if ((category & U_GC_L_MASK) != 0) return Kind::letter;
  if ((category & U_GC_N_MASK) != 0) return Kind::number;
  return is_space(c) ? Kind::space : Kind::other;
}

/// A place in a text that looks one character ahead.
struct Reader {
  std::string_view text;
  std::size_t at;
  UChar32 c = 0;
  std::size_t next = 0;  // behind c
  Kind kind = Kind::other;

  Reader(std::string_view whole, std::size_t begin) : text(whole), at(begin) { look(); }
  bool done() const { return at >= text.size(); }
  void look() {
    if (done()) return;
    next = at;
    c = next_character(text, next);
    kind = kind_of(c);
  }
  void go() {
    at = next;
    look();
  }
  void skip(Kind wanted) {
    while (!done() && kind == wanted) go();
  }
};

/// The length of 's 't 're 've 'm 'll 'd at an apostrophe, or 0.
std::size_t contraction(std::string_view rest, bool ignore_case) {
  const auto letter = [&](std::size_t i) {
    if (i >= rest.size()) return '\0';
    const char c = rest[i];
    return ignore_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  const char first = letter(1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const char second = letter(2);
  if ((first == 'r' || first == 'v') && second == 'e') return 3;
  if (first == 'l' && second == 'l') return 3;
  // The long s is an s where case does not matter.
  if (ignore_case && rest.substr(1, 2) == "\xc5\xbf") return 3;
  return 0;
}

/// White space from `begin` on. All but its last character where something follows, so that one
/// space is left for the next word; the one where there is just one.
std::size_t space_end(Reader& reader, std::size_t begin) {
  std::size_t last = begin;
  while (!reader.done() && reader.kind == Kind::space) {
    last = reader.at;
    reader.go();
  }
  return reader.done() || last == begin ? reader.at : last;
}

class Gpt2 : public Pattern {
 public:
  Status cut(std::string_view text, Span piece, bool invert, Cutter& cutter) const override {
    const std::string_view part = text.substr(0, piece.end);
    for (std::size_t at = piece.begin; at < piece.end;) {
      const std::size_t end = match(part, at);
      cutter.add(at, end, !invert);
      at = end;
    }
    return ok_status();
  }

 private:
  static std::size_t match(std::string_view text, std::size_t at) {
    if (text[at] == '\'')
      if (const std::size_t length = contraction(text.substr(at), false); length > 0)
        return at + length;
    Reader reader(text, at);
    if (reader.c == ' ') {
      reader.go();
      if (reader.done()) return reader.at;
    }
    if (reader.kind != Kind::space) {
      reader.skip(reader.kind);
      return reader.at;
    }
    Reader again(text, at);
    return space_end(again, at);
  }
};

class Modern : public Pattern {
 public:
  explicit Modern(int most_digits) : most_digits_(most_digits) {}

  Status cut(std::string_view text, Span piece, bool invert, Cutter& cutter) const override {
    const std::string_view part = text.substr(0, piece.end);
    for (std::size_t at = piece.begin; at < piece.end;) {
      const std::size_t end = match(part, at);
      cutter.add(at, end, !invert);
      at = end;
    }
    return ok_status();
  }

 private:
  static bool ends_line(UChar32 c) { return c == '\r' || c == '\n'; }

  std::size_t match(std::string_view text, std::size_t at) const {
    if (text[at] == '\'')
      if (const std::size_t length = contraction(text.substr(at), true); length > 0)
        return at + length;
    Reader reader(text, at);
    if (reader.kind == Kind::letter) {
      reader.skip(Kind::letter);
      return reader.at;
    }
    if (reader.kind == Kind::number) {
      for (int i = 0; i < most_digits_ && !reader.done() && reader.kind == Kind::number; ++i)
        reader.go();
      return reader.at;
    }
    const UChar32 first = reader.c;
    const Kind first_kind = reader.kind;
    reader.go();
    if (!ends_line(first) && !reader.done() && reader.kind == Kind::letter) {
      reader.skip(Kind::letter);
      return reader.at;
    }
    const bool others =
        first_kind == Kind::other || (first == ' ' && !reader.done() && reader.kind == Kind::other);
    if (others) {
      reader.skip(Kind::other);
      while (!reader.done() && ends_line(reader.c)) reader.go();
      return reader.at;
    }
    return spaces(text, at);
  }

  /// \s*[\r\n]+|\s+(?!\S)|\s+: up to the last end of a line, if there is one.
  static std::size_t spaces(std::string_view text, std::size_t at) {
    Reader reader(text, at);
    std::size_t last_line = 0;
    std::size_t last = at;
    while (!reader.done() && reader.kind == Kind::space) {
      last = reader.at;
      if (ends_line(reader.c)) last_line = reader.next;
      reader.go();
    }
    if (last_line > 0) return last_line;
    return reader.done() || last == at ? reader.at : last;
  }

  int most_digits_;
};

class Text : public Pattern {
 public:
  explicit Text(std::string text) : text_(std::move(text)) {}

  Status cut(std::string_view text, Span piece, bool invert, Cutter& cutter) const override {
    const std::string_view part = text.substr(0, piece.end);
    std::size_t begin = piece.begin;
    for (std::size_t at = part.find(text_, begin); at != std::string_view::npos;
         at = part.find(text_, begin)) {
      if (at > begin) cutter.add(begin, at, invert);
      begin = at + text_.size();
      cutter.add(at, begin, !invert);
    }
    if (begin < piece.end) cutter.add(begin, piece.end, invert);
    return ok_status();
  }

 private:
  std::string text_;
};

class Expression : public Pattern {
 public:
  explicit Expression(Regex regex) : regex_(std::move(regex)) {}

  Status cut(std::string_view text, Span piece, bool invert, Cutter& cutter) const override {
    CAIRN_TRY(const auto found, regex_.find_all(piece.of(text)));
    std::size_t begin = piece.begin;
    for (const auto& [from, to] : found) {
      if (piece.begin + from > begin) cutter.add(begin, piece.begin + from, invert);
      cutter.add(piece.begin + from, piece.begin + to, !invert);
      begin = piece.begin + to;
    }
    if (begin < piece.end) cutter.add(begin, piece.end, invert);
    return ok_status();
  }

 private:
  Regex regex_;
};

/// One or more characters of a set: `[...]+`. Kept as a sorted set, which takes no steps of an
/// interpreter.
class SetRun : public Pattern {
 public:
  SetRun(icu::UnicodeSet set, bool repeats) : set_(std::move(set)), repeats_(repeats) {
    set_.freeze();
  }

  Status cut(std::string_view text, Span piece, bool invert, Cutter& cutter) const override {
    const std::string_view part = text.substr(0, piece.end);
    std::size_t begin = piece.begin;
    for (std::size_t at = piece.begin; at < piece.end;) {
      std::size_t end = at;
      if (set_.contains(next_character(part, end)) == 0) {
        at = end;
        continue;
      }
      for (std::size_t next = end; repeats_ && end < piece.end; end = next)
        if (set_.contains(next_character(part, next)) == 0) break;
      if (at > begin) cutter.add(begin, at, invert);
      cutter.add(at, end, !invert);
      begin = at = end;
    }
    if (begin < piece.end) cutter.add(begin, piece.end, invert);
    return ok_status();
  }

 private:
  icu::UnicodeSet set_;
  bool repeats_;
};

/// A set without escapes, nesting or spaces, which mean the same to all libraries.
bool is_plain_set(std::string_view set) {
  return set.size() > 2 && set.front() == '[' && set.back() == ']' &&
         set.substr(1, set.size() - 2).find_first_of("[]\\&:{}$^ \t\r\n") == std::string_view::npos;
}

}  // namespace

std::unique_ptr<const Pattern> gpt2_pattern() { return std::make_unique<Gpt2>(); }

std::unique_ptr<const Pattern> text_pattern(std::string text) {
  return std::make_unique<Text>(std::move(text));
}

Result<std::unique_ptr<const Pattern>> read_pattern(const std::string& expression) {
  using Made = std::unique_ptr<const Pattern>;
  const std::string_view all = expression;
  if (all == gpt2_expression) return Made(gpt2_pattern());
  if (all.size() > modern_before.size() + modern_after.size() && all.starts_with(modern_before) &&
      all.ends_with(modern_after)) {
    const std::string_view digits =
        all.substr(modern_before.size(), all.size() - modern_before.size() - modern_after.size());
    if (digits == R"(\p{N})") return Made(std::make_unique<Modern>(1));
    if (digits == R"(\p{N}{1,3})") return Made(std::make_unique<Modern>(3));
  }
  const bool repeats = all.ends_with("]+");
  if (const std::string_view set = repeats ? all.substr(0, all.size() - 1) : all;
      is_plain_set(set)) {
    UErrorCode status = U_ZERO_ERROR;
    icu::UnicodeSet made(icu::UnicodeString::fromUTF8(std::string(set)), status);
    if (U_SUCCESS(status)) return Made(std::make_unique<SetRun>(std::move(made), repeats));
  }
  CAIRN_TRY(Regex regex, Regex::compile(expression));
  return Made(std::make_unique<Expression>(std::move(regex)));
}

}  // namespace cairn::text::tokenizer
