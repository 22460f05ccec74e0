// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/databases/database_numbers.h"

namespace cairn::connectors {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (at + count < text.size() && is_digit(text[at + count])) ++count;
  return count;
}

/// numeric of PostgreSQL has 131,072 digits before the point. A reader of JSON takes what a double
/// holds.
bool is_beyond_double(std::string_view number) {
  constexpr std::size_t always_fit = 300;
  if (number.size() <= always_fit && number.find_first_of("eE") == std::string_view::npos)
    return false;
  return !parse_json(number).ok();
}

}  // namespace

bool is_json_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t whole = digits_at(text, at);
  if (whole == 0 || (whole > 1 && text[at] == '0')) return false;
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t part = digits_at(text, at + 1);
    if (part == 0) return false;
    at += 1 + part;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = digits_at(text, at);
    if (exponent == 0) return false;
    at += exponent;
  }
  return at == text.size();
}

void append_database_number(JsonWriter& out, std::string_view text) {
  if (is_json_number(text) && !is_beyond_double(text)) {
    out.raw(text);
  } else {
    out.null();
  }
}

}  // namespace cairn::connectors
