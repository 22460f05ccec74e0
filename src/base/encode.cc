// SPDX-License-Identifier: Apache-2.0
// Hexadecimal, base64 and percent-encoding, table-driven.
#include "base/encode.h"

#include <array>
#include <cstdint>

namespace cairn {
namespace {

constexpr std::string_view lower_digits = "0123456789abcdef";
constexpr std::string_view upper_digits = "0123456789ABCDEF";
constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view base64url_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

using Table = std::array<std::int8_t, 256>;

constexpr Table inverse(std::string_view digits) {
  Table table{};
  for (auto& entry : table) entry = -1;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    table[static_cast<unsigned char>(digits[i])] = static_cast<std::int8_t>(i);
  }
  return table;
}

constexpr Table hex_table() {
  Table table = inverse(lower_digits);
  for (std::size_t i = 10; i < 16; ++i) {
    table[static_cast<unsigned char>(upper_digits[i])] = static_cast<std::int8_t>(i);
  }
  return table;
}

constexpr Table hex_values = hex_table();
constexpr Table base64_values = inverse(base64_digits);
constexpr Table base64url_values = inverse(base64url_digits);

unsigned byte(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

std::string encode_64(std::string_view bytes, std::string_view digits, bool padded) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const unsigned v = byte(bytes, i) << 16 | byte(bytes, i + 1) << 8 | byte(bytes, i + 2);
    out += digits[v >> 18];
    out += digits[(v >> 12) & 63];
    out += digits[(v >> 6) & 63];
    out += digits[v & 63];
  }
  const std::size_t rest = bytes.size() - i;
  if (rest == 0) return out;
  const unsigned v = byte(bytes, i) << 16 | (rest == 2 ? byte(bytes, i + 1) << 8 : 0);
  out += digits[v >> 18];
  out += digits[(v >> 12) & 63];
  if (rest == 2) out += digits[(v >> 6) & 63];
  if (padded) out.append(3 - rest, '=');
  return out;
}

// `text` without its padding. Every request with a key comes this way.
std::optional<std::string> decode_64(std::string_view text, const Table& values) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out(text.size() * 3 / 4, '\0');
  char* to = out.data();
  int wrong = 0;  // below 0 once a character was no digit
  const auto digit = [&](std::size_t i) {
    const int value = values[byte(text, i)];
    wrong |= value;
    return static_cast<std::uint32_t>(value);
  };
  std::size_t i = 0;
  for (; i + 4 <= text.size(); i += 4) {
    const std::uint32_t v = digit(i) << 18 | digit(i + 1) << 12 | digit(i + 2) << 6 | digit(i + 3);
    *to++ = static_cast<char>(v >> 16);
    *to++ = static_cast<char>(v >> 8);
    *to++ = static_cast<char>(v);
  }
  std::uint32_t unused = 0;  // bits that stand for nothing: two texts for the same bytes
  if (text.size() - i == 2) {
    const std::uint32_t v = digit(i) << 6 | digit(i + 1);
    *to = static_cast<char>(v >> 4);
    unused = v & 15;
  } else if (text.size() - i == 3) {
    const std::uint32_t v = digit(i) << 12 | digit(i + 1) << 6 | digit(i + 2);
    *to++ = static_cast<char>(v >> 10);
    *to = static_cast<char>(v >> 2);
    unused = v & 3;
  }
  if (wrong < 0 || unused != 0) return std::nullopt;
  return out;
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string to_hex(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    out += lower_digits[static_cast<unsigned char>(c) >> 4];
    out += lower_digits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_values[byte(text, i)];
    const int low = hex_values[byte(text, i + 1)];
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high << 4 | low);
  }
  return out;
}

std::string to_base64(std::string_view bytes) { return encode_64(bytes, base64_digits, true); }
std::string to_base64url(std::string_view bytes) {
  return encode_64(bytes, base64url_digits, false);
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && !text.empty() && text.back() == '='; ++i) text.remove_suffix(1);
  return decode_64(text, base64_values);
}

std::optional<std::string> from_base64url(std::string_view text) {
  if (!text.empty() && text.back() == '=') {
    if (text.size() % 4 != 0) return std::nullopt;
    for (int i = 0; i < 2 && text.back() == '='; ++i) text.remove_suffix(1);
  }
  return decode_64(text, base64url_values);
}

std::string percent_encode(std::string_view text, std::string_view keep) {
  std::string out;
  out.reserve(text.size() + 16);
  for (const char c : text) {
    if (is_unreserved(c) || keep.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += upper_digits[static_cast<unsigned char>(c) >> 4];
      out += upper_digits[static_cast<unsigned char>(c) & 15];
    }
  }
  return out;
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_values[byte(text, i + 1)];
      const int low = hex_values[byte(text, i + 2)];
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high << 4 | low);
      i += 2;
    }
  }
  return out;
}

}  // namespace cairn
