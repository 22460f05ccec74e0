// SPDX-License-Identifier: Apache-2.0
// Markdown to running text: marks are dropped, words and code stay.
#include "base/strings.h"
#include "connectors/extract/text.h"

namespace cairn::connectors {
namespace {

/// The text of a line without emphasis marks, and of a link or picture its words.
std::string without_marks(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && i + 1 < line.size()) {
      out += line[++i];
    } else if (c == '`' || c == '*') {
      continue;
    } else if (c == '!' && i + 1 < line.size() && line[i + 1] == '[') {
      continue;
    } else if (c == '[') {
      continue;
    } else if (c == ']') {
      const bool link = i + 1 < line.size() && line[i + 1] == '(';
      const auto end = link ? line.find(')', i) : std::string_view::npos;
      if (end != std::string_view::npos) i = end;
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view heading_of(std::string_view line) {
  std::size_t marks = 0;
  while (marks < line.size() && line[marks] == '#') ++marks;
  if (marks == 0 || marks > 6 || (marks < line.size() && line[marks] != ' ')) return {};
  std::string_view text = trim(line.substr(marks));
  while (!text.empty() && text.back() == '#') text.remove_suffix(1);
  return trim(text);
}

bool is_underline(std::string_view line) {
  const std::string_view text = trim(line);
  return text.size() >= 2 && (text.find_first_not_of('=') == std::string_view::npos ||
                              text.find_first_not_of('-') == std::string_view::npos);
}

struct FrontMatter {
  std::string title;
  std::size_t lines = 0;
};

FrontMatter front_matter(const std::vector<std::string_view>& lines) {
  FrontMatter out;
  if (lines.empty() || trim(lines[0]) != "---") return out;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (trim(lines[i]) == "---") {
      out.lines = i + 1;
      return out;
    }
    if (lines[i].starts_with("title:")) {
      std::string_view title = trim(lines[i].substr(6));
      if (title.size() > 1 && (title.front() == '"' || title.front() == '\''))
        title = title.substr(1, title.size() - 2);
      out.title = std::string(title);
    }
  }
  return {};
}

}  // namespace

ExtractedText extract_markdown(std::string_view text) {
  const auto lines = split(text, '\n');
  const FrontMatter front = front_matter(lines);
  ExtractedText out{.title = front.title, .body = {}};
  bool code = false;
  for (std::size_t i = front.lines; i < lines.size(); ++i) {
    const std::string_view line = trim(lines[i]);
    if (line.starts_with("```") || line.starts_with("~~~")) {
      code = !code;
      continue;
    }
    if (code) {
      out.body.append(lines[i]) += '\n';
      continue;
    }
    if (is_underline(line) && !out.body.empty()) continue;
    const std::string_view heading = heading_of(line);
    const bool underlined = i + 1 < lines.size() && !line.empty() && is_underline(lines[i + 1]);
    if (out.title.empty() && (!heading.empty() || underlined))
      out.title = without_marks(heading.empty() ? line : heading);
    out.body += without_marks(heading.empty() ? line : heading);
    out.body += heading.empty() ? "\n" : "\n\n";
  }
  out.body = squeeze(out.body);
  return out;
}

}  // namespace cairn::connectors
