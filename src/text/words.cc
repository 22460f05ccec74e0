// SPDX-License-Identifier: Apache-2.0
// The word splitter: a table for ASCII, ICU's properties for the rest.
#include "text/words.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <array>
#include <memory>

#include "base/strings.h"

namespace cairn::text {
namespace {

// The word-break property, as far as joining words goes.
enum Class : std::uint8_t {
  other,
  letter,
  hangul,  // letters too, told apart for the type only
  hebrew,
  number,
  katakana,
  joiner,        // _ and its like
  mid_letter,    // :
  mid_number,    // , ;
  mid_both,      // .
  single_quote,  // '
  double_quote,  // " matters between Hebrew letters
  extend,        // marks and format characters: belong to what stands before
  ideograph,
  hiragana,
  complex,  // scripts without spaces
  emoji,
  maybe_emoji,  // an emoji only with U+FE0F after it
  regional,     // flags are pairs of these
};

constexpr std::array<Class, 128> make_ascii() {
  std::array<Class, 128> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = letter;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = letter;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = number;
  table['_'] = joiner;
  table[':'] = mid_letter;
  table[','] = mid_number;
  table[';'] = mid_number;
  table['.'] = mid_both;
  table['\''] = single_quote;
  table['"'] = double_quote;
  return table;
}
constexpr std::array<Class, 128> ascii_class = make_ascii();

Class letter_class(UChar32 c) {
  UErrorCode fault = U_ZERO_ERROR;
  return uscript_getScript(c, &fault) == USCRIPT_HANGUL ? hangul : letter;
}

Class other_class(UChar32 c) {
  UErrorCode fault = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(c, &fault);
  if (script == USCRIPT_HAN) return ideograph;
  if (script == USCRIPT_HIRAGANA) return hiragana;
  if (u_getIntPropertyValue(c, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT) return complex;
  if (u_hasBinaryProperty(c, UCHAR_EMOJI_PRESENTATION)) return emoji;
  if (u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC)) return maybe_emoji;
  // Full-width digits have no word-break class of their own but are digits to a search.
  if (c >= 0xFF10 && c <= 0xFF19) return number;
  return other;
}

Class slow_class(UChar32 c) {
  switch (u_getIntPropertyValue(c, UCHAR_WORD_BREAK)) {
    case U_WB_ALETTER:
      return letter_class(c);
    case U_WB_HEBREW_LETTER:
      return hebrew;
    case U_WB_NUMERIC:
      return number;
    case U_WB_KATAKANA:
      return katakana;
    case U_WB_EXTENDNUMLET:
      return joiner;
    case U_WB_MIDLETTER:
      return mid_letter;
    case U_WB_MIDNUM:
      return mid_number;
    case U_WB_MIDNUMLET:
      return mid_both;
    case U_WB_SINGLE_QUOTE:
      return single_quote;
    case U_WB_DOUBLE_QUOTE:
      return double_quote;
    case U_WB_EXTEND:
    case U_WB_FORMAT:
    case U_WB_ZWJ:
      // Marks of the scripts without spaces stay in their run as marks do.
      return extend;
    case U_WB_REGIONAL_INDICATOR:
      return regional;
    default:
      return other_class(c);
  }
}

// Classes of the basic plane, asked of ICU once.
const std::array<Class, 0x10000>& plane_table() {
  static const auto table = [] {
    auto made = std::make_unique<std::array<Class, 0x10000>>();
    for (UChar32 c = 0; c < 0x10000; ++c)
      (*made)[static_cast<std::size_t>(c)] =
          c < 0x80 ? ascii_class[static_cast<std::size_t>(c)] : slow_class(c);
    return made;
  }();
  return *table;
}

Class class_of(char32_t c) {
  if (c < 0x80) return ascii_class[c];
  if (c < 0x10000) return plane_table()[c];
  return slow_class(static_cast<UChar32>(c));
}

bool is_letter(Class c) { return c == letter || c == hangul || c == hebrew; }
bool is_word(Class c) { return is_letter(c) || c == number || c == katakana || c == joiner; }

/// Reads characters with what extends them.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  struct Item {
    Class kind = other;
    std::size_t end = 0;  // behind the character and its extending marks
    bool at_end = true;
  };
  Item read(std::size_t at) const {
    if (at >= text_.size()) return {};
    Item item{.kind = class_of(next_code_point(text_, at)), .end = at, .at_end = false};
    while (at < text_.size() && static_cast<unsigned char>(text_[at]) >= 0x80) {
      if (class_of(next_code_point(text_, at)) != extend) break;
      item.end = at;
    }
    return item;
  }

 private:
  std::string_view text_;
};

// Whether `mid` joins `before` and `after` (rules WB6, 7, 7b, 7c, 11, 12).
bool joins(Class before, Class mid, Class after) {
  const bool quote_or_dot = mid == mid_both || mid == single_quote;
  if (is_letter(before) && is_letter(after)) {
    if (mid == mid_letter || quote_or_dot) return true;
    return mid == double_quote && before == hebrew && after == hebrew;
  }
  return before == number && after == number && (mid == mid_number || quote_or_dot);
}

// Whether nothing stands between the two (WB5, 8, 9, 10, 13, 13a, 13b).
bool adjoins(Class before, Class after) {
  if (before == joiner || after == joiner) return is_word(before) && is_word(after);
  if (before == katakana || after == katakana) return before == after;
  return (is_letter(before) || before == number) && (is_letter(after) || after == number);
}

struct Word {
  std::size_t end = 0;
  TokenType type = TokenType::alphanum;
  bool kept = false;  // holds more than joiners
};

Word read_word(const Reader& reader, Reader::Item item) {
  bool any_letter = false, any_number = false, any_katakana = false, only_hangul = true;
  Class last = item.kind;
  std::size_t end = item.end;
  const auto note = [&](Class kind) {
    any_letter |= is_letter(kind);
    any_number |= kind == number;
    any_katakana |= kind == katakana;
    only_hangul &= kind == hangul;
  };
  note(last);
  for (;;) {
    const auto next = reader.read(end);
    if (next.at_end) break;
    if (adjoins(last, next.kind)) {
      note(next.kind), last = next.kind, end = next.end;
      continue;
    }
    const auto after = reader.read(next.end);
    if (!after.at_end && joins(last, next.kind, after.kind)) {
      only_hangul = false;
      note(after.kind), last = after.kind, end = after.end;
      continue;
    }
    if (last == hebrew && next.kind == single_quote) end = next.end;  // WB7a
    break;
  }
  TokenType type = TokenType::alphanum;
  if (any_letter && only_hangul) type = TokenType::hangul;
  if (!any_letter && !any_number) type = TokenType::katakana;
  if (!any_letter && any_number && !any_katakana) type = TokenType::num;
  return {.end = end, .type = type, .kept = any_letter || any_number || any_katakana};
}

// What follows an emoji: marks, and further emoji joined by U+200D.
std::size_t emoji_end(std::string_view text, std::size_t at) {
  for (std::size_t look = at; look < text.size();) {
    const char32_t c = next_code_point(text, look);
    if (c == 0x200D && look < text.size()) {
      std::size_t further = look;
      const Class kind = class_of(next_code_point(text, further));
      if (kind == emoji || kind == maybe_emoji) look = further;
    } else if (class_of(c) != extend && !(c >= 0x1F3FB && c <= 0x1F3FF)) {
      break;
    }
    at = look;
  }
  return at;
}

Word read_emoji(std::string_view text, std::size_t at, Class kind) {
  std::size_t end = at;
  next_code_point(text, end);
  if (kind == regional) {
    std::size_t second = end;
    if (second < text.size() && class_of(next_code_point(text, second)) == regional)
      return {.end = second, .type = TokenType::emoji, .kept = true};
    return {.end = end};
  }
  if (kind == maybe_emoji) {
    std::size_t mark = end;
    if (mark >= text.size() || next_code_point(text, mark) != 0xFE0F) return {.end = end};
  }
  return {.end = emoji_end(text, end), .type = TokenType::emoji, .kept = true};
}

Word read_other(std::string_view text, std::size_t at) {
  const Reader reader(text);
  const auto item = reader.read(at);
  switch (item.kind) {
    case ideograph:
      return {.end = item.end, .type = TokenType::ideographic, .kept = true};
    case hiragana:
      return {.end = item.end, .type = TokenType::hiragana, .kept = true};
    case complex: {
      std::size_t end = item.end;
      for (auto next = reader.read(end); !next.at_end && next.kind == complex;
           next = reader.read(end))
        end = next.end;
      return {.end = end, .type = TokenType::southeast_asian, .kept = true};
    }
    case emoji:
    case maybe_emoji:
    case regional:
      return read_emoji(text, at, item.kind);
    default:
      return is_word(item.kind) ? read_word(reader, item) : Word{.end = item.end};
  }
}

void append_token(std::string_view text, std::size_t start, std::size_t end, TokenType type,
                  bool lowercase, Tokens& out) {
  const std::size_t at = out.terms.size();
  const std::string_view word = text.substr(start, end - start);
  if (lowercase)
    append_lowercase(out.terms, word);
  else
    out.terms += word;
  out.list.push_back({.term_at = static_cast<std::uint32_t>(at),
                      .term_size = static_cast<std::uint32_t>(out.terms.size() - at),
                      .start = static_cast<std::uint32_t>(start),
                      .end = static_cast<std::uint32_t>(end),
                      .position = out.positions++,
                      .type = type});
}

// Cuts what is longer than allowed; bytes bound characters from above, so most words pass at once.
void append_word(std::string_view text, std::size_t start, std::size_t end, TokenType type,
                 const WordOptions& options, Tokens& out) {
  while (end - start > options.max_length) {
    std::size_t cut = start;
    for (std::uint32_t i = 0; i < options.max_length && cut < end; ++i) next_code_point(text, cut);
    if (cut >= end) break;
    append_token(text, start, cut, type, options.lowercase, out);
    start = cut;
  }
  append_token(text, start, end, type, options.lowercase, out);
}

// The end of the word that starts at `at`, where all of it and what decides its end is ASCII;
// nothing otherwise. `text[at]` is a letter, digit or joiner.
std::size_t ascii_word_end(std::string_view text, std::size_t at, bool& letters, bool& numbers) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  Class last = ascii_class[bytes[at]];
  for (;;) {
    letters |= last == letter;
    numbers |= last == number;
    if (++at == text.size()) return at;
    if (bytes[at] >= 0x80) return 0;
    const Class kind = ascii_class[bytes[at]];
    if (kind == letter || kind == number || kind == joiner) {
      last = kind;
      continue;
    }
    if (kind == other || kind == double_quote || at + 1 == text.size()) return at;
    if (bytes[at + 1] >= 0x80) return 0;
    const Class after = ascii_class[bytes[at + 1]];
    if (!joins(last, kind, after)) return at;
    last = after;
    ++at;
  }
}

template <class Keep>
void split_runs(std::string_view text, const WordOptions& options, Tokens& out, Keep keep) {
  std::size_t start = 0, at = 0;
  bool inside = false;
  while (at < text.size()) {
    const std::size_t here = at;
    const char32_t c = next_code_point(text, at);
    if (keep(static_cast<UChar32>(c)) == inside) continue;
    if (!out.go_on(here - start + 1)) return;
    if (inside) append_word(text, start, here, TokenType::word, options, out);
    inside = !inside;
    start = here;
  }
  if (inside) append_word(text, start, text.size(), TokenType::word, options, out);
}

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return ++at, byte;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  // ICU counts in 32 bits: look at the next four bytes only.
  const std::uint8_t* here = bytes + at;
  const std::int32_t count = static_cast<std::int32_t>(std::min<std::size_t>(4, text.size() - at));
  std::int32_t used = 0;
  UChar32 c = 0;
  U8_NEXT(here, used, count, c);
  if (c < 0) return ++at, U'\uFFFD';
  at += static_cast<std::size_t>(used);
  return static_cast<char32_t>(c);
}

void split_words(std::string_view text, const WordOptions& options, Tokens& out) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (std::size_t at = 0; at < text.size();) {
    if (bytes[at] < 0x80) {
      const Class kind = ascii_class[bytes[at]];
      if (kind != letter && kind != number && kind != joiner) {
        ++at;
        continue;
      }
      if (!out.go_on()) return;
      bool letters = false, numbers = false;
      if (const std::size_t end = ascii_word_end(text, at, letters, numbers); end != 0) {
        const auto type = letters ? TokenType::alphanum : TokenType::num;
        if (letters || numbers) append_word(text, at, end, type, options, out);
        at = end;
        continue;
      }
    }
    if (!out.go_on()) return;
    const Word word = read_other(text, at);
    if (word.kept) append_word(text, at, word.end, word.type, options, out);
    at = word.end;
  }
}

void split_whitespace(std::string_view text, const WordOptions& options, Tokens& out) {
  split_runs(text, options, out,
             [](UChar32 c) { return c < 0x80 ? c > 0x20 && c != 0x7F : u_isWhitespace(c) == 0; });
}

void split_letters(std::string_view text, const WordOptions& options, Tokens& out) {
  split_runs(text, options, out, [](UChar32 c) { return u_isalpha(c) != 0; });
}

void append_lowercase(std::string& out, std::string_view text) {
  std::size_t at = 0;
  const std::size_t first = out.size();
  out.resize(first + text.size());
  char* to = out.data() + first;
  for (; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x80) break;
    to[at] = static_cast<char>(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
  }
  if (at == text.size()) return;
  out.resize(first + at);
  while (at < text.size()) {
    const std::size_t here = at;
    const char32_t c = next_code_point(text, at);
    const auto low = static_cast<char32_t>(u_tolower(static_cast<UChar32>(c)));
    if (low == c)
      out += text.substr(here, at - here);
    else
      append_utf8(out, low);
  }
}

}  // namespace cairn::text
