// SPDX-License-Identifier: Apache-2.0
#include "inference/templates/text_value.h"

#include <algorithm>

namespace cairn::inference::templates {

void Text::append(std::string_view bytes, Origin origin) {
  if (bytes.empty()) return;
  if (bytes_.empty()) {
    first_ = origin;
  } else if (origin_of_run(borders_.size()) != origin) {
    borders_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  }
  bytes_.append(bytes);
}

void Text::append(const Text& text) { append(text, 0, text.size()); }

void Text::append(const Text& text, std::size_t begin, std::size_t end) {
  end = std::min(end, text.size());
  const auto next = std::upper_bound(text.borders_.begin(), text.borders_.end(), begin);
  for (auto run = static_cast<std::size_t>(next - text.borders_.begin()); begin < end; ++run) {
    const std::size_t stop = std::min(end, text.end_of_run(run));
    append(text.bytes().substr(begin, stop - begin), text.origin_of_run(run));
    begin = stop;
  }
}

Text Text::slice(std::size_t begin, std::size_t end) const {
  Text out;
  out.append(*this, begin, end);
  return out;
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

std::string shown_name(std::string_view name) {
  constexpr std::size_t most_bytes = 100;
  if (name.size() <= most_bytes) return std::string(name);
  std::size_t end = most_bytes;
  while (end > 0 && !starts_character(name[end])) --end;
  return std::string(name.substr(0, end)) + "…";
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

bool LineReader::next(std::size_t& begin, std::size_t& end) {
  begin = at_;
  while (at_ < text_.size()) {
    end = at_;
    const char32_t c = next_character(text_, at_);
    const bool ends =
        (c >= 10 && c <= 13) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 || c == 0x2029;
    if (!ends) continue;
    if (c == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
    return true;
  }
  end = at_;
  return begin < end;
}

}  // namespace cairn::inference::templates
