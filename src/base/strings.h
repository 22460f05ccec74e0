// SPDX-License-Identifier: Apache-2.0
// Small questions about text. ASCII only where case is concerned.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

std::string lower_ascii(std::string_view text);
bool equals_ignore_case(std::string_view a, std::string_view b);
std::string_view trim(std::string_view text);  // spaces, tabs, CR, LF; the view lies in `text`

/// The pieces between separators; empty pieces are kept; an empty text gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& pieces, std::string_view separator);

/// True where `pattern`, in which * stands for any run of characters, matches all of `text`.
bool wildcard_match(std::string_view pattern, std::string_view text);

/// True for well-formed UTF-8 (RFC 3629).
bool is_utf8(std::string_view bytes);
/// The number of bytes before the first that is not well-formed UTF-8; all of them where all are.
std::size_t valid_utf8_prefix(std::string_view bytes);
/// How many units of UTF-16 a text of UTF-8 has: characters as clients count them.
std::size_t utf16_length(std::string_view text);
/// Appends one code point; U+FFFD for surrogates and what is above U+10FFFF.
void append_utf8(std::string& out, char32_t code_point);

/// The nearest candidate within a third of the word's length in edits, for «did you mean».
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// The number that is all of `text`; nothing for signs out of place, spaces, overflow, or rest.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Compares in time that depends on the length of `a` only. For secrets.
bool equals_constant_time(std::string_view a, std::string_view b);

}  // namespace cairn
