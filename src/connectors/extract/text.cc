// SPDX-License-Identifier: Apache-2.0
#include "connectors/extract/text.h"

#include <algorithm>

#include "base/strings.h"

namespace cairn::connectors {
namespace {

std::string latin1_to_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xC0 | (byte >> 6));
      out += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return out;
}

bool is_section(std::string_view extension) {
  return !extension.empty() && extension[0] >= '1' && extension[0] <= '9' &&
         extension.size() <= 6 && std::all_of(extension.begin(), extension.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
         });
}

ExtractedText extract_plain(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const std::string_view line = trim(rest.substr(0, end));
    if (!line.empty()) {
      const std::string_view some = line.substr(0, 120);
      return {.title = std::string(some.substr(0, valid_utf8_prefix(some))), .body = squeeze(text)};
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return {.title = {}, .body = squeeze(text)};
}

}  // namespace

std::optional<TextKind> text_kind_of(std::string_view file_name) {
  std::string name = lower_ascii(file_name);
  if (name.size() > 3 && name.ends_with(".gz")) name.resize(name.size() - 3);
  const auto dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0) {
    static constexpr std::string_view known[] = {"readme",    "news",    "todo",
                                                 "changelog", "copying", "license",
                                                 "authors",   "install", "changes"};
    const bool text = std::find(std::begin(known), std::end(known), name) != std::end(known);
    return text ? std::optional(TextKind::plain) : std::nullopt;
  }
  const std::string extension = name.substr(dot + 1);
  if (extension == "txt" || extension == "text" || extension == "rst" || extension == "adoc" ||
      extension == "asciidoc" || extension == "org" || extension == "log" || extension == "csv")
    return TextKind::plain;
  if (extension == "md" || extension == "markdown" || extension == "mdown")
    return TextKind::markdown;
  if (extension == "html" || extension == "htm" || extension == "xhtml") return TextKind::html;
  if (is_section(extension) || extension == "man" || extension == "mdoc")
    return TextKind::manual_page;
  return std::nullopt;
}

std::string squeeze(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  int line_ends = 2;  // none at the start
  bool blank = false;
  for (const char c : text) {
    if (c == '\n') {
      blank = false;
      if (line_ends < 2) out += '\n', ++line_ends;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      blank = true;
    } else {
      if (blank && line_ends == 0) out += ' ';
      out += c;
      blank = false;
      line_ends = 0;
    }
  }
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

std::optional<ExtractedText> extract_text(TextKind kind, std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos) return std::nullopt;
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  std::string converted;
  if (!is_utf8(bytes)) {
    converted = latin1_to_utf8(bytes);
    bytes = converted;
  }
  switch (kind) {
    case TextKind::plain:
      return extract_plain(bytes);
    case TextKind::markdown:
      return extract_markdown(bytes);
    case TextKind::html:
      return extract_html(bytes);
    case TextKind::manual_page:
      return extract_manual_page(bytes);
  }
  return std::nullopt;
}

}  // namespace cairn::connectors
