// SPDX-License-Identifier: Apache-2.0
// Source: ECMA-376 part 1, 18.8.30 (formats of numbers) and 18.17.4 (dates).
#include "connectors/extract/sheet_cells.h"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/strings.h"
#include "format/time.h"

namespace cairn::connectors {

std::optional<std::size_t> column_of_reference(std::string_view reference) {
  std::size_t column = 0, letters = 0;
  for (; letters < reference.size() && letters < 4; ++letters) {
    const char c = reference[letters];
    if (c < 'A' || c > 'Z') break;
    column = column * 26 + static_cast<std::size_t>(c - 'A' + 1);
  }
  if (letters == 0 || column > sheet_columns_max) return std::nullopt;
  return column - 1;
}

bool is_date_format(std::size_t built_in) {
  return (built_in >= 14 && built_in <= 22) || (built_in >= 27 && built_in <= 36) ||
         built_in == 45 || built_in == 47 || (built_in >= 50 && built_in <= 58);
}

bool is_date_format(std::string_view code) {
  bool found = false;
  for (std::size_t i = 0; i < code.size() && code[i] != ';'; ++i) {
    const char c = code[i];
    if (c == '\\' || c == '_' || c == '*') {
      ++i;
    } else if (c == '"') {
      i = std::min(code.find('"', i + 1), code.size());
    } else if (c == '[') {
      const std::size_t end = std::min(code.find(']', i), code.size());
      const std::string within = lower_ascii(code.substr(i + 1, end - i - 1));
      if (!within.empty() && within.find_first_not_of("hms") == std::string::npos) return false;
      i = end;
    } else {
      found = found || std::string_view("dmyhsDMYHS").find(c) != std::string_view::npos;
    }
  }
  return found;
}

std::optional<std::string> date_of_number(double number, bool from_1904) {
  constexpr double days_max = 2'958'466;  // 9999-12-31
  constexpr std::int64_t second_ms = 1000, day_s = 86'400;
  constexpr std::int64_t from_1970_to_1900 = -25'569, from_1970_to_1904 = -24'107;
  if (!(number >= 0) || number >= days_max) return std::nullopt;
  const auto seconds = static_cast<std::int64_t>(std::llround(number * day_s));
  std::int64_t day = seconds / day_s;
  const std::int64_t of_day = seconds % day_s;
  if (day == 0) return format_iso8601(of_day * second_ms).substr(11, 8);
  // The day that 1900 did not have counts.
  if (!from_1904 && day < 60) ++day;
  const std::int64_t since = day + (from_1904 ? from_1970_to_1904 : from_1970_to_1900);
  const std::string text = format_iso8601((since * day_s + of_day) * second_ms);
  return of_day == 0 ? text.substr(0, 10) : text.substr(0, 19) + "Z";
}

std::string plain_number(std::string_view text) {
  const auto number = parse_number<double>(text);
  if (!number || !std::isfinite(*number)) return std::string(text);
  constexpr double long_from = 1e15, small_to = 1e-9;
  const double size = std::fabs(*number);
  if (size >= long_from || (size != 0 && size < small_to)) return std::string(text);
  char digits[64];
  // Spreadsheets count with fifteen digits.
  const auto rounded =
      std::to_chars(digits, digits + sizeof digits, *number, std::chars_format::scientific, 14);
  double value = 0;
  std::from_chars(digits, rounded.ptr, value);
  const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed);
  return end.ec == std::errc() ? std::string(digits, end.ptr) : std::string(text);
}

}  // namespace cairn::connectors
