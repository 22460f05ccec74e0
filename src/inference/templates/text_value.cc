// SPDX-License-Identifier: Apache-2.0
#include "inference/templates/text_value.h"

#include <algorithm>

namespace cairn::inference::templates {

void Text::append(std::string_view bytes, Origin origin) {
  if (bytes.empty()) return;
  bytes_.append(bytes);
  if (runs_.empty() || runs_.back().origin != origin) {
    runs_.push_back({bytes_.size(), origin});
  } else {
    runs_.back().end = bytes_.size();
  }
}

void Text::append(const Text& text) { append(text, 0, text.size()); }

void Text::append(const Text& text, std::size_t begin, std::size_t end) {
  end = std::min(end, text.size());
  for (std::size_t run = begin < end ? text.run_of(begin) : 0; begin < end; ++run) {
    const std::size_t stop = std::min(end, text.runs_[run].end);
    append(std::string_view(text.bytes_).substr(begin, stop - begin), text.runs_[run].origin);
    begin = stop;
  }
}

Text Text::slice(std::size_t begin, std::size_t end) const {
  Text out;
  out.append(*this, begin, end);
  return out;
}

std::size_t Text::run_of(std::size_t byte) const {
  const auto found = std::upper_bound(runs_.begin(), runs_.end(), byte,
                                      [](std::size_t at, const Run& run) { return at < run.end; });
  return static_cast<std::size_t>(found - runs_.begin());
}

Origin Text::origin_at(std::size_t byte) const {
  const std::size_t run = run_of(byte);
  return run < runs_.size() ? runs_[run].origin : Origin::value;
}

char32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0xc2) return first;
  const std::size_t more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : 0;
  char32_t out = first & (0x3fU >> more);
  for (std::size_t i = 0; i < more; ++i) {
    if (at + i >= text.size() || (byte(at + i) & 0xc0U) != 0x80U) return first;
    out = out << 6U | (byte(at + i) & 0x3fU);
  }
  if (more == 0) return first;
  at += more;
  return out;
}

bool all_ascii(std::string_view text) {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::size_t place_of_character(std::string_view text, std::size_t number) {
  if (number >= text.size()) return text.size();
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (starts_character(text[at]) && number-- == 0) break;
  }
  return at;
}

bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x1f);
  return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
         c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

std::size_t space_at_start(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    std::size_t next = end;
    if (!is_space(next_character(text, next))) break;
    end = next;
  }
  return end;
}

std::size_t without_space_at_end(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0) {
    std::size_t begin = end - 1;
    while (begin > 0 && !starts_character(text[begin])) --begin;
    std::size_t at = begin;
    if (!is_space(next_character(text, at)) || at != end) break;
    end = begin;
  }
  return end;
}

}  // namespace cairn::inference::templates
