// SPDX-License-Identifier: Apache-2.0
// Characters of UTF-8 text, and the classes of them that tokenizers ask about.
#pragma once

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::text::tokenizer {

inline constexpr UChar32 replacement_character = 0xfffd;

inline bool is_ascii(std::string_view text) {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

inline bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;
}

/// The character at `at`, which moves behind it. Faulty bytes (the longest start of a character
/// that goes no further) come as U+FFFD.
inline UChar32 next_character(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) {
    ++at;
    return first;
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  auto place = static_cast<std::int64_t>(at);
  UChar32 c = 0;
  U8_NEXT(bytes, place, static_cast<std::int64_t>(text.size()), c);
  at = static_cast<std::size_t>(place);
  return c < 0 ? replacement_character : c;
}

/// The character that ends at `at`, which moves before it; `text` is UTF-8.
inline UChar32 previous_character(std::string_view text, std::size_t& at) {
  std::size_t begin = at - 1;
  while (begin > 0 && !starts_character(text[begin])) --begin;
  at = begin;
  return next_character(text, begin);
}

inline void append_character(std::string& out, UChar32 c) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
    return;
  }
  char bytes[U8_MAX_LENGTH];
  std::int32_t length = 0;
  UBool fault = false;
  U8_APPEND(bytes, length, U8_MAX_LENGTH, c, fault);
  if (!fault) out.append(bytes, static_cast<std::size_t>(length));
}

inline std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

inline bool is_space(UChar32 c) {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  return u_isUWhiteSpace(c) != 0;
}

inline bool is_punctuation(UChar32 c) {
  if (c < 0x80) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
  }
  return (U_GET_GC_MASK(c) & U_GC_P_MASK) != 0;
}

inline bool is_letter(UChar32 c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return (U_GET_GC_MASK(c) & U_GC_L_MASK) != 0;
}

inline bool is_number(UChar32 c) {
  if (c < 0x80) return c >= '0' && c <= '9';
  return (U_GET_GC_MASK(c) & U_GC_N_MASK) != 0;
}

/// \w of Unicode regular expressions.
inline bool is_word(UChar32 c) {
  if (c < 0x80) return is_letter(c) || is_number(c) || c == '_';
  return u_isUAlphabetic(c) != 0 || u_hasBinaryProperty(c, UCHAR_JOIN_CONTROL) != 0 ||
         (U_GET_GC_MASK(c) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0;
}

}  // namespace cairn::text::tokenizer
