// SPDX-License-Identifier: Apache-2.0
// A reader of roff that knows which macros end a paragraph and which lines are no text.
#include "roff.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/strings.h"
#include "corpus.h"

namespace cairn::mini {
namespace {

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 18> breaks{"PP", "P",  "LP", "HP", "TP", "IP",
                                                  "RS", "RE", "TQ", "sp", "Pp", "It",
                                                  "Bl", "El", "Bd", "Ed", "bp", "Sp"};
constexpr std::array<std::string_view, 12> fonts{"B",  "I",  "BR", "IR", "RB", "RI",
                                                 "IB", "BI", "SM", "SB", "UE", "MR"};
constexpr std::array<std::string_view, 28> inline_macros{
    "Nm", "Fl", "Ar", "Pa", "Xr", "Dq", "Sq", "Ql", "Em", "Sy", "Cm", "Dv", "Ev", "Va",
    "Vt", "Fa", "Fn", "Li", "Op", "Pq", "Nd", "Tn", "Er", "Ic", "No", "Qq", "Bq", "Ns"};

/// Arguments of a macro: words, or quoted.
std::vector<std::string> arguments_of(std::string_view line) {
  std::vector<std::string> out;
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && line[i] == ' ') ++i;
    if (i >= line.size()) break;
    std::string word;
    if (line[i] == '"') {
      for (++i; i < line.size(); ++i) {
        if (line[i] == '"') {
          if (i + 1 < line.size() && line[i + 1] == '"') {
            ++i;
          } else {
            break;
          }
        }
        word += line[i];
      }
      ++i;
    } else {
      for (; i < line.size() && line[i] != ' '; ++i) {
        word += line[i];
        if (line[i] == '\\' && i + 1 < line.size()) word += line[++i];
      }
    }
    out.push_back(std::move(word));
  }
  return out;
}

/// UTF-8 of a character given as hexadecimal digits: [u00E4].
std::string character_numbered(std::string_view digits) {
  std::uint32_t c = 0;
  for (const char digit : digits) {
    const std::size_t value = std::string_view("0123456789ABCDEF").find(digit);
    if (value == std::string_view::npos) return {};
    c = c * 16 + static_cast<std::uint32_t>(value);
  }
  if (c < 0x80) return std::string(1, static_cast<char>(c));
  if (c < 0x800) return {static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))};
  if (c > 0xffff) return {};
  return {static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3f)),
          static_cast<char>(0x80 | (c & 0x3f))};
}

/// Text of the named characters that matter to words.
std::string character_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 18> names{{
      {"aq", "'"},
      {"dq", "\""},
      {"lq", "\""},
      {"rq", "\""},
      {"cq", "'"},
      {"oq", "'"},
      {"em", " - "},
      {"en", "-"},
      {"hy", "-"},
      {"ha", "^"},
      {"ti", "~"},
      {"rs", "\\"},
      {"+-", "±"},
      {"mu", "×"},
      {"ss", "ß"},
      {"ae", "æ"},
      {"oe", "œ"},
      {"/L", "Ł"},
  }};
  for (const auto& [known, text] : names) {
    if (known == name) return std::string(text);
  }
  if (name.size() == 5 && name[0] == 'u') return character_numbered(name.substr(1));
  // An accent and a letter; the combining mark follows the letter.
  constexpr std::array<std::pair<char, std::string_view>, 6> accents{{{':', "\xcc\x88"},
                                                                      {'\'', "\xcc\x81"},
                                                                      {'`', "\xcc\x80"},
                                                                      {'^', "\xcc\x82"},
                                                                      {'~', "\xcc\x83"},
                                                                      {',', "\xcc\xa7"}}};
  if (name.size() != 2) return {};
  for (const auto& [sign, mark] : accents) {
    if (sign == name[0]) return std::string(1, name[1]) + std::string(mark);
  }
  return {};
}

/// Takes one name: x, (xx, [xxx].
std::string_view take_name(std::string_view text, std::size_t& i) {
  if (i >= text.size()) return {};
  if (text[i] == '(') {
    const std::string_view name = text.substr(i + 1, 2);
    i = std::min(text.size(), i + 3);
    return name;
  }
  if (text[i] == '[') {
    const std::size_t close = std::min(text.find(']', i), text.size());
    const std::string_view name = text.substr(i + 1, close - i - 1);
    i = std::min(text.size(), close + 1);
    return name;
  }
  return text.substr(i++, 1);
}

std::string without_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      out += text[i++];
      continue;
    }
    if (++i >= text.size()) break;
    const char c = text[i++];
    switch (c) {
      case 'f':
      case 'F':
      case 'm':
      case 'M':
      case 'n':
        take_name(text, i);
        break;
      case '*': {
        const std::string_view name = take_name(text, i);
        if (name == "lq" || name == "rq" || name == "L\"" || name == "R\"") out += '"';
        break;
      }
      case 's':
        if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
        if (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
        break;
      case 'h':
      case 'v':
      case 'w':
      case 'o':
      case 'z': {
        if (i < text.size() && text[i] == '\'') {
          const auto close = text.find('\'', i + 1);
          i = close == std::string_view::npos ? text.size() : close + 1;
        }
        break;
      }
      case '(':
        --i;
        out += character_named(take_name(text, i));
        break;
      case '[':
        --i;
        out += character_named(take_name(text, i));
        break;
      case '-':
        out += '-';
        break;
      case 'e':
      case '\\':
        out += '\\';
        break;
      case ' ':
      case '~':
      case '0':
        out += ' ';
        break;
      case '"':
        i = text.size();  // a comment
        break;
      case '\'':
      case '`':
        out += '\'';
        break;
      default:
        break;  // \& \/ \, \| \^ \: \% \c \{ \}
    }
  }
  return out;
}

class PageReader {
 public:
  std::vector<Section> read(std::string_view page) {
    for (const std::string_view line : split(page, '\n')) read_line(line);
    close_block();
    return std::move(sections_);
  }

 private:
  void read_line(std::string_view line) {
    if (!until_.empty()) {  // within a definition, table, picture or code
      if (line.starts_with(until_)) until_ = {};
      return;
    }
    if (condition_depth_ > 0 || line.starts_with(".if") || line.starts_with(".ie") ||
        line.starts_with(".el") || line.starts_with("'if") || line.starts_with("'ie")) {
      count_braces(line);
      return;
    }
    if (line.empty()) return close_block();
    if (line.front() == '.' || line.front() == '\'') return read_macro(line.substr(1));
    add(without_escapes(line));
  }

  void count_braces(std::string_view line) {
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      if (line[i] != '\\') continue;
      if (line[i + 1] == '{') ++condition_depth_;
      if (line[i + 1] == '}') --condition_depth_;
    }
    condition_depth_ = std::max(condition_depth_, 0);
  }

  void skip_until(std::string_view end) {
    close_block();
    until_ = end;
  }

  void read_macro(std::string_view line) {
    line = trim(line);
    const std::string_view name = line.substr(0, line.find(' '));
    const std::string_view rest = name.size() < line.size() ? line.substr(name.size() + 1) : "";
    if (name == "SH" || name == "Sh" || name == "SS" || name == "Ss") {
      return open_section(name, rest);
    }
    if (name == "de" || name == "ig" || name == "am" || name == "de1") return skip_until("..");
    if (name == "TS") return skip_until(".TE");
    if (name == "PS") return skip_until(".PE");
    if (name == "EQ") return skip_until(".EN");
    if (name == "nf" || name == "EX" || name == "Vb") {
      return skip_until(name == "nf" ? ".fi" : name == "EX" ? ".EE" : ".Ve");
    }
    if (is_one_of(name, breaks)) {
      close_block();
      if (name == "It") add_arguments(rest, " ");
      if (const auto words = arguments_of(rest); name == "IP" && !words.empty()) {
        add(without_escapes(words.front()));  // the second is an indentation
      }
      return;
    }
    if (is_one_of(name, fonts)) {
      const bool alternating = name.size() == 2 && name != "SM" && name != "SB" && name != "UE";
      return add_arguments(rest, alternating ? "" : " ");
    }
    if (is_one_of(name, inline_macros)) return add_arguments(rest, " ");
  }

  void open_section(std::string_view macro, std::string_view rest) {
    close_block();
    std::string heading;
    for (const std::string& word : arguments_of(rest)) {
      heading += (heading.empty() ? "" : " ") + without_escapes(word);
    }
    if ((macro == "SS" || macro == "Ss") && !sections_.empty()) {
      sections_.back().blocks.push_back(squeezed(heading));
      return;
    }
    sections_.push_back({squeezed(heading), {}});
  }

  void add_arguments(std::string_view rest, std::string_view between) {
    std::string text;
    for (const std::string& word : arguments_of(rest)) {
      if (!text.empty()) text += between;
      text += without_escapes(word);
    }
    add(text);
  }

  void add(std::string_view text) {
    if (!block_.empty()) block_ += ' ';
    block_ += text;
  }

  void close_block() {
    const std::string text = squeezed(block_);
    block_.clear();
    if (!text.empty() && !sections_.empty()) sections_.back().blocks.push_back(text);
  }

  std::vector<Section> sections_;
  std::string block_;
  std::string_view until_;
  int condition_depth_ = 0;
};

}  // namespace

std::vector<Section> sections_of_page(std::string_view page) { return PageReader().read(page); }

}  // namespace cairn::mini
