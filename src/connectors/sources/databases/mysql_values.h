// SPDX-License-Identifier: Apache-2.0
// Values of MySQL and MariaDB, as their text protocol has them, as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/json.h"

namespace cairn::connectors {

/// What a column becomes.
enum class MysqlKind : std::uint8_t {
  text,      // a string as it is
  choice,    // of an enum or a set: a string, which the server orders otherwise
  number,    // digits as they are, without zeros before them; all of them
  floating,  // as a number, whose text may not be the whole of it
  year,      // a number; null for 0000
  date,      // as it is; null where it, its month or its day is zero
  datetime,  // ISO 8601 without a zone; null as above
  instant,   // a timestamp of a session in UTC: ISO 8601 with Z; null as above
  bits,      // their number
  json,      // as it is; a string where it cannot be read
  bytes,     // base64
  geometry,  // well-known text; base64 where it cannot be read
};
inline constexpr int mysql_kinds = 12;

/// What the server tells of a column besides its name. `type` is its number in the protocol.
struct MysqlColumnFacts {
  std::uint32_t type = 253;
  bool is_binary = false;  // of the character set "binary"
  bool is_choice = false;  // flags for enum and set
  bool is_json = false;    // MariaDB's JSON is a text with this format
};
/// Source: field types of the client/server protocol, MariaDB 10.11 and MySQL 8.4.
MysqlKind mysql_kind(const MysqlColumnFacts& facts);

/// Appends the value. What does not look like a value of its kind becomes a string, base64, or
/// null.
void append_mysql_value(JsonWriter& out, MysqlKind kind, std::string_view text);

/// The value as a part of an id: its text; bytes in hexadecimal digits.
std::string mysql_key_part(MysqlKind kind, std::string_view text);
/// The value as a statement has it, whatever the session's sql_mode and character set.
std::string mysql_literal(MysqlKind kind, std::string_view text);
/// True where the server orders values by what mysql_literal() compares.
bool is_ordered_by_literal(MysqlKind kind);

}  // namespace cairn::connectors
