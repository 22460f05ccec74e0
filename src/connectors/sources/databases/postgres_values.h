// SPDX-License-Identifier: Apache-2.0
// Values of PostgreSQL, as its text format has them, as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/json.h"

namespace cairn::connectors {

/// What a column becomes.
enum class ColumnKind : std::uint8_t {
  text,     // a string as it is
  boolean,  // t, f
  number,   // digits as they are; null for NaN, infinities and what no double holds
  json,     // as it is; a string where it cannot be read
  moment,   // a date, or a time with or without a zone, as ISO 8601; null for infinities
  bytes,    // base64
};

struct ColumnType {
  ColumnKind kind = ColumnKind::text;
  bool is_array = false;
};

/// Of a type that every server has under this number. `known` is false for others, which are text.
/// Source: pg_type.dat of PostgreSQL 15.
ColumnType column_type(std::uint32_t oid, bool& known);
/// Of others, by name: vectors are arrays of numbers.
ColumnType column_type_of_name(std::string_view name, bool is_array);

/// Appends the value. What does not look like a value of its type becomes a string, or null.
/// Arrays may be nested; their bounds are dropped.
void append_column(JsonWriter& out, ColumnType type, std::string_view text);

}  // namespace cairn::connectors
