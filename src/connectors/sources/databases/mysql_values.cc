// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/databases/mysql_values.h"

#include <algorithm>
#include <optional>

#include "base/encode.h"
#include "connectors/sources/databases/database_numbers.h"
#include "connectors/sources/databases/well_known_text.h"

namespace cairn::connectors {
namespace {

/// "00042" of a column with ZEROFILL to "42".
std::string_view without_fill(std::string_view text) {
  while (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9')
    text.remove_prefix(1);
  return text;
}

/// A day of the calendar: 0000-00-00, 2026-00-00 and 2026-01-00 are none.
bool is_day(std::string_view text) {
  constexpr std::string_view shape = "dddd-dd-dd";
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == '-' ? text[i] != '-' : (text[i] < '0' || text[i] > '9')) return false;
  return !text.starts_with("0000") && text.substr(5, 2) != "00" && text.substr(8, 2) != "00";
}

/// "2026-01-02 03:04:05.6" to "2026-01-02T03:04:05.6".
std::optional<std::string> iso_datetime(std::string_view text) {
  constexpr std::size_t day = 10, least = 19;
  if (text.size() < least || text[day] != ' ' || !is_day(text.substr(0, day))) return std::nullopt;
  std::string out(text);
  out[day] = 'T';
  return out;
}

void append_text_or_null(JsonWriter& out, const std::optional<std::string>& text) {
  if (text) {
    out.string(*text);
  } else {
    out.null();
  }
}

/// The first bits come first.
std::optional<std::uint64_t> number_of_bits(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > sizeof(std::uint64_t)) return std::nullopt;
  std::uint64_t out = 0;
  for (const char byte : bytes) out = out << 8 | static_cast<unsigned char>(byte);
  return out;
}

}  // namespace

MysqlKind mysql_kind(const MysqlColumnFacts& facts) {
  switch (facts.type) {
    case 0:    // DECIMAL
    case 1:    // TINY
    case 2:    // SHORT
    case 3:    // LONG
    case 8:    // LONGLONG
    case 9:    // INT24
    case 246:  // NEWDECIMAL
      return MysqlKind::number;
    case 4:  // FLOAT
    case 5:  // DOUBLE
      return MysqlKind::floating;
    case 7:  // TIMESTAMP
      return MysqlKind::instant;
    case 10:  // DATE
    case 14:  // NEWDATE
      return MysqlKind::date;
    case 12:  // DATETIME
      return MysqlKind::datetime;
    case 13:  // YEAR
      return MysqlKind::year;
    case 16:  // BIT
      return MysqlKind::bits;
    case 245:  // JSON
      return MysqlKind::json;
    case 255:  // GEOMETRY
      return MysqlKind::geometry;
    case 6:   // NULL
    case 11:  // TIME
      return MysqlKind::text;
    default:
      break;
  }
  if (facts.is_json) return MysqlKind::json;
  if (facts.is_choice) return MysqlKind::choice;
  return facts.is_binary ? MysqlKind::bytes : MysqlKind::text;
}

void append_mysql_value(JsonWriter& out, MysqlKind kind, std::string_view text) {
  switch (kind) {
    case MysqlKind::text:
    case MysqlKind::choice:
      out.string(text);
      return;
    case MysqlKind::number:
    case MysqlKind::floating:
      append_database_number(out, without_fill(text));
      return;
    case MysqlKind::year:
      append_database_number(out, text == "0000" ? "" : without_fill(text));
      return;
    case MysqlKind::date:
      append_text_or_null(out, is_day(text) ? std::optional(std::string(text)) : std::nullopt);
      return;
    case MysqlKind::datetime:
      append_text_or_null(out, iso_datetime(text));
      return;
    case MysqlKind::instant: {
      auto moment = iso_datetime(text);
      if (moment) *moment += 'Z';
      append_text_or_null(out, moment);
      return;
    }
    case MysqlKind::bits:
      if (const auto number = number_of_bits(text)) {
        out.raw(std::to_string(*number));
      } else {
        out.null();
      }
      return;
    case MysqlKind::json:
      if (const auto value = parse_json(text); value.ok()) {
        out.value(*value);
      } else {
        out.string(text);
      }
      return;
    case MysqlKind::bytes:
      out.string(to_base64(text));
      return;
    case MysqlKind::geometry: {
      // Four bytes name the reference system; the rest is well-known binary.
      constexpr std::size_t system_bytes = 4;
      const auto shape =
          text.size() < system_bytes ? std::nullopt : well_known_text(text.substr(system_bytes));
      out.string(shape ? *shape : to_base64(text));
      return;
    }
  }
  out.null();
}

std::string mysql_key_part(MysqlKind kind, std::string_view text) {
  if (kind == MysqlKind::bytes || kind == MysqlKind::geometry) return to_hex(text);
  if (kind == MysqlKind::bits) return std::to_string(number_of_bits(text).value_or(0));
  return std::string(text);
}

std::string mysql_literal(MysqlKind kind, std::string_view text) {
  if (kind == MysqlKind::bits) return std::to_string(number_of_bits(text).value_or(0));
  if (kind == MysqlKind::number || kind == MysqlKind::floating || kind == MysqlKind::year) {
    const auto number = without_fill(text);
    return is_json_number(number) ? std::string(number) : "NULL";
  }
  const std::string digits = "x'" + to_hex(text) + "'";
  return kind == MysqlKind::bytes ? digits : "_utf8mb4 " + digits;
}

bool is_ordered_by_literal(MysqlKind kind) {
  switch (kind) {
    case MysqlKind::text:
    case MysqlKind::number:
    case MysqlKind::date:
    case MysqlKind::datetime:
    case MysqlKind::instant:
    case MysqlKind::bytes:
      return true;
    default:
      return false;
  }
}

}  // namespace cairn::connectors
