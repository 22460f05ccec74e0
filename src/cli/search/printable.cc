// SPDX-License-Identifier: Apache-2.0
#include "cli/search/printable.h"

#include "base/strings.h"
#include "cli/search/search_request.h"

namespace cairn::cli {
namespace {

bool is_mark(char c) { return c == mark_begin[0] || c == mark_end[0]; }
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// How many bytes at the start are a control character: C0, DEL, and C1 as UTF-8 has them.
std::size_t control_at(std::string_view text) {
  const auto c = static_cast<unsigned char>(text[0]);
  if (c < 0x20 || c == 0x7F) return 1;
  if (c != 0xC2 || text.size() < 2) return 0;
  return static_cast<unsigned char>(text[1]) < 0xA0 ? 2 : 0;
}

}  // namespace

std::string on_one_line(std::string_view text) {
  std::string out;
  bool blank = false;
  while (!text.empty()) {
    const std::size_t good = valid_utf8_prefix(text.substr(0, 4));
    std::size_t taken = 1;
    if (is_mark(text[0])) {
      if (blank && text[0] == mark_begin[0] && !out.empty()) out += ' ';
      if (text[0] == mark_begin[0]) blank = false;
      out += text[0];
    } else if (text[0] == ' ' || control_at(text) > 0) {
      blank = true;
      taken = text[0] == ' ' ? 1 : control_at(text);
    } else {
      if (blank && !out.empty()) out += ' ';
      blank = false;
      if (good == 0) {
        append_utf8(out, 0xFFFD);
      } else {
        while (taken < good && continues(text[taken])) ++taken;
        out += text.substr(0, taken);
      }
    }
    text.remove_prefix(taken);
  }
  return out;
}

std::string cut_to(std::string_view line, std::size_t characters) {
  std::size_t seen = 0, last_blank = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (continues(line[i]) || is_mark(line[i])) continue;
    if (line[i] == ' ') last_blank = i;
    if (++seen <= characters) continue;
    std::string out(line.substr(0, last_blank > i / 2 ? last_blank : i));
    if (out.rfind(mark_begin[0]) != std::string::npos &&
        (out.rfind(mark_end[0]) == std::string::npos ||
         out.rfind(mark_end[0]) < out.rfind(mark_begin[0])))
      out += mark_end;
    return out + "…";
  }
  return std::string(line);
}

std::string with_marks(std::string_view line, std::string_view begin, std::string_view end) {
  std::string out;
  for (const char c : line) {
    if (c == mark_begin[0])
      out += begin;
    else if (c == mark_end[0])
      out += end;
    else
      out += c;
  }
  return out;
}

}  // namespace cairn::cli
