// SPDX-License-Identifier: Apache-2.0
// reStructuredText to running text: marks are dropped, words and code stay. Source of the rules:
// docutils' reStructuredText Markup Specification.
#include <algorithm>

#include "base/strings.h"
#include "connectors/extract/office.h"
#include "connectors/extract/readers.h"

namespace cairn::connectors {
namespace {

/// A line of one punctuation character, four times at least or as wide as the title beside it.
bool is_rule(std::string_view line) {
  constexpr std::string_view marks = "=-`:.'\"~^_*+#<>!$%&(),/;?@[\\]{|}";
  if (line.size() < 3 || marks.find(line.front()) == std::string_view::npos) return false;
  return std::all_of(line.begin(), line.end(), [&](char c) { return c == line.front(); });
}

/// What stands after ".. name:: ", or nothing for comments and targets of links.
std::string_view of_directive(std::string_view line) {
  const std::size_t colons = line.find("::");
  if (colons == std::string_view::npos) return {};
  const std::string_view name = trim(line.substr(3, colons - 3));
  constexpr std::string_view unread[] = {"image",          "figure",     "include",      "toctree",
                                         "highlight",      "role",       "default-role", "raw",
                                         "literalinclude", "code-block", "sourcecode",   "code"};
  if (std::find(std::begin(unread), std::end(unread), name) != std::end(unread)) return {};
  return trim(line.substr(colons + 2));
}

/// Beside the end of a word. Between two letters it is a sign, between two blanks one that is spelt
/// out.
bool is_mark(std::string_view line, std::size_t at) {
  const auto is_blank = [&](std::size_t i) { return i >= line.size() || line[i] == ' '; };
  const auto is_letter = [&](std::size_t i) {
    return i < line.size() && ((line[i] >= '0' && line[i] <= '9') || (line[i] | 0x20) >= 'a');
  };
  const bool between_letters = at > 0 && is_letter(at - 1) && is_letter(at + 1);
  const bool between_blanks = (at == 0 || is_blank(at - 1)) && is_blank(at + 1);
  return !between_letters && !between_blanks;
}

/// ``code``, :role:`text <target>`, `text <target>`_ and **strong** without their marks.
void append_inline(std::string& out, std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && i + 1 < line.size()) {
      out += line[++i];
    } else if (line.substr(i, 2) == "``") {
      const std::size_t end = std::min(line.find("``", i + 2), line.size());
      out += line.substr(i + 2, end - i - 2);
      i = std::min(end + 1, line.size());
    } else if (c == '`') {
      const std::size_t end = std::min(line.find('`', i + 1), line.size());
      const std::string_view text = line.substr(i + 1, end - i - 1);
      const std::size_t target = text.rfind(" <");
      out +=
          target != std::string_view::npos && text.ends_with('>') ? text.substr(0, target) : text;
      i = end;
      while (i + 1 < line.size() && line[i + 1] == '_') ++i;
    } else if (c == ':' && i + 1 < line.size()) {  // a role goes, its text stays
      std::size_t end = i + 1;
      while (end < line.size() && end < i + 40 &&
             ((line[end] >= 'a' && line[end] <= 'z') || line[end] == '-' || line[end] == ':'))
        ++end;
      const bool role = end > i + 2 && line[end - 1] == ':' && line.substr(end, 1) == "`";
      if (role)
        i = end - 1;
      else
        out += c;
    } else if ((c != '*' && c != '|') || !is_mark(line, i)) {
      out += c;
    }
  }
}

}  // namespace

ExtractedFile extract_restructured_text(std::string_view text) {
  ExtractedFile out;
  std::string before;  // the line above
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view raw = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view line = trim(raw);
    if (is_rule(line)) {
      if (out.title.empty() && !before.empty()) out.title = first_line(before);
      before.clear();
      continue;
    }
    before.clear();
    if (line.starts_with(".. "))
      append_inline(before, of_directive(line));
    else
      append_inline(before, line);
    (out.body += before) += '\n';
  }
  out.body = squeeze(out.body);
  if (out.title.empty()) out.title = first_line(out.body);
  return out;
}

}  // namespace cairn::connectors
