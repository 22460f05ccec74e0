// SPDX-License-Identifier: Apache-2.0
// man(7) and mdoc(7) source to running text: requests are obeyed as far as words depend on them.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "connectors/extract/text.h"

namespace cairn::connectors {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 40> characters = {{
    {"aq", "'"}, {"dq", "\""}, {"cq", "’"}, {"oq", "‘"},  {"lq", "“"}, {"rq", "”"}, {"em", "—"},
    {"en", "–"}, {"hy", "-"},  {"bu", "•"}, {"co", "©"},  {"rg", "®"}, {"tm", "™"}, {"mu", "µ"},
    {"de", "°"}, {"ti", "~"},  {"ha", "^"}, {"rs", "\\"}, {"ga", "`"}, {"bv", "|"}, {"ba", "|"},
    {"at", "@"}, {"sh", "#"},  {"Do", "$"}, {"lB", "["},  {"rB", "]"}, {"lC", "{"}, {"rC", "}"},
    {"la", "⟨"}, {"ra", "⟩"},  {"->", "→"}, {"<-", "←"},  {"<=", "≤"}, {">=", "≥"}, {"!=", "≠"},
    {"+-", "±"}, {"mc", "µ"},  {"ss", "ß"}, {"Fo", "«"},  {"Fc", "»"},
}};

void append_code_point(std::string& out, unsigned long code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000 && (code < 0xD800 || code > 0xDFFF)) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code >= 0x10000 && code < 0x110000) {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

void append_named(std::string& out, std::string_view name) {
  if (name.size() > 1 && name[0] == 'u') {
    unsigned long code = 0;
    for (const char c : name.substr(1, 6)) {
      const bool digit = c >= '0' && c <= '9', letter = c >= 'A' && c <= 'F';
      if (!digit && !letter) break;
      code = code * 16 + static_cast<unsigned long>(digit ? c - '0' : c - 'A' + 10);
    }
    append_code_point(out, code);
    return;
  }
  for (const auto& [key, value] : characters)
    if (key == name) {
      out += value;
      return;
    }
}

/// The part of an escape after its letter: X, (XX or [X...]. Moves `i` behind it.
std::string_view escape_name(std::string_view text, std::size_t& i) {
  if (i >= text.size()) return {};
  std::size_t start = i, length = 1;
  if (text[i] == '(') {
    start = i + 1, length = 2;
    i += 3;
  } else if (text[i] == '[') {
    const auto end = text.find(']', i);
    start = i + 1;
    length = (end == std::string_view::npos ? text.size() : end) - start;
    i = end == std::string_view::npos ? text.size() : end + 1;
  } else {
    ++i;
  }
  return start >= text.size() ? std::string_view() : text.substr(start, length);
}

void skip_quoted(std::string_view text, std::size_t& i) {
  if (i >= text.size()) return;
  const auto end = text.find(text[i], i + 1);
  i = end == std::string_view::npos ? text.size() : end + 1;
}

void skip_number(std::string_view text, std::size_t& i) {
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  if (i < text.size() && (text[i] == '\'' || text[i] == '[' || text[i] == '(')) {
    (void)escape_name(text, i);
    return;
  }
  while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
}

/// Replaces escapes by what they print.
std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      out += text[i++];
      continue;
    }
    if (++i >= text.size()) break;
    const char c = text[i++];
    switch (c) {
      case '"':
      case '#':
        return out;  // a comment to the end of the line
      case 'f':
      case 'F':
      case '*':
      case 'm':
      case 'M':
      case 'n':
        (void)escape_name(text, i);
        break;
      case 's':
        skip_number(text, i);
        break;
      case '(':
      case '[':
        --i;
        append_named(out, escape_name(text, i));
        break;
      case 'C': {
        const std::size_t start = i + 1;
        skip_quoted(text, i);
        if (i > start + 1) append_named(out, text.substr(start, i - start - 1));
        break;
      }
      case 'h':
      case 'v':
      case 'w':
      case 'l':
      case 'L':
      case 'D':
      case 'o':
      case 'z':
      case 'X':
        skip_quoted(text, i);
        break;
      case '-':
        out += '-';
        break;
      case 'e':
      case 'E':
      case '\\':
        out += '\\';
        break;
      case ' ':
      case '~':
      case '0':
        out += ' ';
        break;
      case 't':
        out += ' ';
        break;
      case '\'':
        out += '\'';
        break;
      case '`':
        out += '`';
        break;
      case '.':
        out += '.';
        break;
      case '&':
      case '|':
      case '^':
      case '/':
      case ',':
      case '%':
      case ':':
      case 'c':
      case '{':
      case '}':
      case ')':
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// The arguments of a request: blanks separate, double quotes hold together, "" is one quote.
std::vector<std::string> arguments(std::string_view text) {
  std::vector<std::string> out;
  std::size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && (text[i] == ' ' || text[i] == '\t')) ++i;
    if (i >= text.size()) break;
    if (text.substr(i, 2) == "\\\"") break;
    std::string word;
    if (text[i] == '"') {
      for (++i; i < text.size(); ++i) {
        if (text[i] != '"')
          word += text[i];
        else if (i + 1 < text.size() && text[i + 1] == '"')
          word += text[i++];
        else
          break;
      }
      ++i;
    } else {
      while (i < text.size() && text[i] != ' ' && text[i] != '\t') {
        if (text[i] == '\\' && i + 1 < text.size()) word += text[i++];
        word += text[i++];
      }
    }
    out.push_back(unescape(word));
  }
  return out;
}

std::string joined(const std::vector<std::string>& words, std::string_view between,
                   std::size_t from = 0) {
  std::string out;
  for (std::size_t i = from; i < words.size(); ++i) {
    if (i > from) out += between;
    out += words[i];
  }
  return out;
}

constexpr std::array silent = {
    "ad",   "hy",    "nh", "ne",  "in", "ti", "ta",  "sp",  "ft",     "ps", "vs", "ll",   "nf",
    "fi",   "na",    "ns", "rs",  "tr", "ds", "nr",  "rm",  "rn",     "if", "ie", "el",   "de",
    "am",   "as",    "so", "mso", "bp", "pl", "nop", "hla", "cflags", "lf", "ev", "warn", "do",
    "char", "fchar", "PD", "RS",  "RE", "DT", "UC",  "AT",  "HP",     "UE", "ME", "EX",   "EE",
    "YS",   "Dd",    "Os", "Bl",  "El", "Bd", "Ed",  "Bk",  "Ek",     "Ns", "Rs", "Re",   "Bf",
    "Ef",   "Sm",    "EQ", "EN",  "PU", "hw", "cc",  "ec",  "eo",     "pc"};

bool is_silent(std::string_view name) {
  return std::find(silent.begin(), silent.end(), name) != silent.end();
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class ManualPage {
 public:
  ExtractedText take(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) read(line);
    out_.body = squeeze(out_.body);
    if (out_.title.empty()) out_.title = name_;
    if (!section_.empty() && !out_.title.empty() && !summary_.empty())
      out_.title += " - " + squeeze(summary_);
    return std::move(out_);
  }

 private:
  void read(std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!skip_until_.empty()) {
      if (line.substr(0, skip_until_.size()) == skip_until_) skip_until_.clear();
      return;
    }
    const bool request = !line.empty() && (line[0] == '.' || line[0] == '\'');
    if (table_head_ && !request) {
      if (trim(line).ends_with('.')) table_head_ = false;
      return;
    }
    if (!request) return say(unescape(line));
    std::string_view rest = trim(line.substr(1));
    if (rest.starts_with("\\\"") || rest.empty()) return;
    const auto blank = rest.find_first_of(" \t");
    const std::string_view name = rest.substr(0, blank);
    obey(name, blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1));
  }

  void obey(std::string_view name, std::string_view text) {
    if (is_one_of(name, {"de", "am", "ig"})) {
      skip_until_ = "..";
      return;
    }
    const auto words = arguments(text);
    if (name == "TH" || name == "Dt") return head(words);
    if (name == "SH" || name == "Sh") return section(joined(words, " "));
    if (name == "SS" || name == "Ss") return paragraph(joined(words, " ") + "\n");
    if (name == "TS") table_head_ = true;
    if (is_one_of(name, {"PP", "P", "LP", "TP", "TQ", "Pp", "Lp", "br", "sp", "TS", "TE", "T&"}))
      return paragraph("");
    if (name == "IP") return paragraph(words.empty() ? "" : words[0] + "\n");
    if (is_one_of(name, {"BR", "RB", "IR", "RI", "BI", "IB"})) return say(joined(words, ""));
    if (is_one_of(name, {"UR", "MT"})) return say(joined(words, " "));
    if (name == "Nm") {
      if (!words.empty()) name_ = words[0];
      return say(words.empty() ? name_ : joined(words, " "));
    }
    if (name == "Nd") {
      summary_ = joined(words, " ");
      return say("- " + summary_);
    }
    if (name == "It") return paragraph(mdoc(words));
    if (is_silent(name)) return;
    const bool mdoc_macro = name.size() == 2 && name[0] >= 'A' && name[0] <= 'Z' && name[1] >= 'a';
    say(mdoc_macro ? mdoc(prefixed(name, words)) : joined(words, " "));
  }

  static std::vector<std::string> prefixed(std::string_view name, std::vector<std::string> words) {
    words.insert(words.begin(), std::string(name));
    return words;
  }

  // mdoc macros may stand in a line of words; only those that print something of their own matter.
  std::string mdoc(const std::vector<std::string>& words) {
    std::string out;
    for (const auto& word : words) {
      const bool macro =
          word.size() == 2 && word[0] >= 'A' && word[0] <= 'Z' && word[1] >= 'a' && word[1] <= 'z';
      if (word == "Nm")
        out += name_ + " ";
      else if (word == "Fl")
        out += "-";
      else if (!macro)
        out += word + " ";
    }
    return out;
  }

  void head(const std::vector<std::string>& words) {
    if (words.size() < 2) return;
    section_ = words[1];
    name_ = words[0];
    out_.title = lower_title(words[0]) + "(" + words[1] + ")";
  }

  // Names are often shouted in the head; the page itself writes them as they are typed.
  static std::string lower_title(const std::string& name) {
    const bool shouted =
        std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    return shouted ? lower_ascii(name) : name;
  }

  void section(const std::string& heading) {
    in_name_ = section_count_++ == 0;
    paragraph(heading + "\n");
  }

  void paragraph(const std::string& text) {
    out_.body += "\n\n";
    if (!text.empty()) out_.body += text;
  }

  void say(const std::string& text) {
    if (text.empty()) {
      out_.body += "\n\n";
      return;
    }
    if (in_name_ && summary_.empty()) {
      const auto dash = text.find(" - ");
      const auto long_dash = text.find(" — ");
      if (dash != std::string::npos)
        summary_ = text.substr(dash + 3);
      else if (long_dash != std::string::npos)
        summary_ = text.substr(long_dash + 5);
    }
    for (const char c : text) out_.body += c == '\t' ? ' ' : c;
    out_.body += '\n';
  }

  ExtractedText out_;
  std::string name_, section_, summary_, skip_until_;
  int section_count_ = 0;
  bool in_name_ = false;
  bool table_head_ = false;
};

}  // namespace

ExtractedText extract_manual_page(std::string_view text) {
  if (text.starts_with(".so ")) {
    // A page that only points to another one.
    const std::string_view target = trim(text.substr(4, text.find('\n') - 4));
    const auto slash = target.rfind('/');
    const std::string name(target.substr(slash == std::string_view::npos ? 0 : slash + 1));
    return {.title = "see " + name, .body = "See " + name + "."};
  }
  return ManualPage().take(text);
}

}  // namespace cairn::connectors
