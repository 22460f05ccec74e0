// SPDX-License-Identifier: Apache-2.0
// ASCII case, splitting, wildcards, UTF-8 checks and edit distance.
#include "base/strings.h"

#include "base/secret_work.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace cairn {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::uint64_t word_at(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// The same for eight at once: bytes from A to Z get the bit that makes them small.
std::uint64_t lower_word(std::uint64_t word) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  const std::uint64_t low = word & 0x7f * ones;
  const std::uint64_t from_a = low + (0x80 - 'A') * ones;
  const std::uint64_t past_z = low + (0x7f - 'Z') * ones;
  return word | ((from_a ^ past_z) & ~word & 0x80 * ones) >> 2;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// The length of the well-formed sequence that starts at `p`, or 0. RFC 3629 section 4.
std::size_t utf8_sequence(const unsigned char* p, std::size_t left) {
  const auto tail = [&](std::size_t i) { return (p[i] & 0xC0) == 0x80; };
  if (p[0] < 0x80) return 1;
  if (p[0] < 0xC2) return 0;
  if (p[0] < 0xE0) return left >= 2 && tail(1) ? 2 : 0;
  if (p[0] < 0xF0) {
    if (left < 3 || !tail(1) || !tail(2)) return 0;
    if (p[0] == 0xE0 && p[1] < 0xA0) return 0;  // overlong
    if (p[0] == 0xED && p[1] > 0x9F) return 0;  // surrogate
    return 3;
  }
  if (p[0] > 0xF4 || left < 4 || !tail(1) || !tail(2) || !tail(3)) return 0;
  if (p[0] == 0xF0 && p[1] < 0x90) return 0;  // overlong
  if (p[0] == 0xF4 && p[1] > 0x8F) return 0;  // above U+10FFFF
  return 4;
}

// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> older(b.size() + 1), old(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) old[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = old[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({replaced, old[j] + 1, now[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], older[j - 2] + 1);
      }
    }
    std::swap(older, old);
    std::swap(old, now);
  }
  return old[b.size()];
}

}  // namespace

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

bool equals_ignore_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const auto same_word = [&](std::size_t at) {
    const std::uint64_t x = word_at(a.data() + at), y = word_at(b.data() + at);
    return x == y || lower_word(x) == lower_word(y);
  };
  if (a.size() < 8) {
    for (std::size_t at = 0; at < a.size(); ++at)
      if (lower(a[at]) != lower(b[at])) return false;
    return true;
  }
  for (std::size_t at = 0; at + 8 < a.size(); at += 8)
    if (!same_word(at)) return false;
  return same_word(a.size() - 8);  // the last one may have seen some of its bytes before
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    out.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return out;
    at = end + 1;
  }
}

std::string join(const std::vector<std::string>& pieces, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) out += separator;
    out += pieces[i];
  }
  return out;
}

bool wildcard_match(std::string_view pattern, std::string_view text) {
  // Greedy with one point of return: the last star. Linear but for repeated near-matches.
  std::size_t p = 0, t = 0, after_star = std::string_view::npos, retry_at = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      retry_at = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (after_star != std::string_view::npos) {
      p = after_star;
      t = ++retry_at;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::size_t valid_utf8_prefix(std::string_view bytes) {
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t n = bytes.size();
  std::size_t i = 0;
  while (i < n) {
    std::uint64_t eight;
    if (n - i >= 8 && (std::memcpy(&eight, p + i, 8), (eight & 0x8080808080808080) == 0)) {
      i += 8;
      continue;
    }
    const std::size_t length = utf8_sequence(p + i, n - i);
    if (length == 0) return i;
    i += length;
  }
  return n;
}

bool is_utf8(std::string_view bytes) { return valid_utf8_prefix(bytes) == bytes.size(); }

std::size_t utf16_length(std::string_view text) {
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) units += byte >= 0xF0 ? 2 : 1;
  }
  return units;
}

void append_utf8(std::string& out, char32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = 0xFFFD;
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 256;  // keeps the cost of a hostile name small
  if (word.size() > longest) return std::nullopt;
  const std::size_t allowed = std::max<std::size_t>(1, word.size() / 3);
  const std::string lowered = lower_ascii(word);
  std::optional<std::string> best;
  std::size_t best_distance = allowed + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t difference = candidate.size() > word.size() ? candidate.size() - word.size()
                                                                  : word.size() - candidate.size();
    if (difference >= best_distance) continue;
    const std::size_t distance = edit_distance(lowered, lower_ascii(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

SecretWork& secret_work() {
  static thread_local SecretWork work;
  return work;
}

bool equals_constant_time(std::string_view a, std::string_view b) {
  secret_work().compared_bytes += a.size();
  std::uint64_t difference = a.size() == b.size() ? 0 : 1;
  const char* const other = difference == 0 ? b.data() : a.data();
  std::size_t at = 0;
  for (; at + 8 <= a.size(); at += 8) difference |= word_at(a.data() + at) ^ word_at(other + at);
  for (; at < a.size(); ++at)
    difference |= static_cast<unsigned char>(a[at]) ^ static_cast<unsigned char>(other[at]);
  return difference == 0;
}

}  // namespace cairn
