// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/databases/postgres_values.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/encode.h"
#include "connectors/sources/databases/database_numbers.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t array_depth_max = 6;  // MAXDIM

struct KnownType {
  std::uint32_t oid, array_oid;
  ColumnKind kind;
};

constexpr std::array<KnownType, 19> known_types = {{
    {16, 1000, ColumnKind::boolean},   // bool
    {17, 1001, ColumnKind::bytes},     // bytea
    {20, 1016, ColumnKind::number},    // int8
    {21, 1005, ColumnKind::number},    // int2
    {23, 1007, ColumnKind::number},    // int4
    {25, 1009, ColumnKind::text},      // text
    {26, 1028, ColumnKind::number},    // oid
    {114, 199, ColumnKind::json},      // json
    {700, 1021, ColumnKind::number},   // float4
    {701, 1022, ColumnKind::number},   // float8
    {1042, 1014, ColumnKind::text},    // bpchar
    {1043, 1015, ColumnKind::text},    // varchar
    {1082, 1182, ColumnKind::moment},  // date
    {1114, 1115, ColumnKind::moment},  // timestamp
    {1184, 1185, ColumnKind::moment},  // timestamptz
    {1700, 1231, ColumnKind::number},  // numeric
    {2950, 2951, ColumnKind::text},    // uuid
    {3802, 3807, ColumnKind::json},    // jsonb
    {869, 1041, ColumnKind::text},     // inet
}};

/// "2026-01-02 03:04:05.6+00" to "2026-01-02T03:04:05.6Z"; nothing for what is no moment of our
/// era.
std::optional<std::string> iso_moment(std::string_view text) {
  if (text.size() < 10 || text[0] < '0' || text[0] > '9' || text.ends_with(" BC") || text[4] != '-')
    return std::nullopt;
  std::string out(text);
  if (out.size() == 10) return out;
  if (out[10] != ' ') return std::nullopt;
  out[10] = 'T';
  if (out.ends_with("+00")) out.replace(out.size() - 3, 3, "Z");
  return out;
}

std::optional<std::string> bytes_of(std::string_view text) {
  if (!text.starts_with("\\x")) return std::nullopt;
  return from_hex(text.substr(2));
}

void append_scalar(JsonWriter& out, ColumnKind kind, std::string_view text) {
  switch (kind) {
    case ColumnKind::text:
      break;
    case ColumnKind::boolean:
      if (text == "t" || text == "f") {
        out.boolean(text == "t");
        return;
      }
      break;
    case ColumnKind::number:
      append_database_number(out, text);
      return;
    case ColumnKind::json:
      if (const auto value = parse_json(text); value.ok()) {
        out.value(*value);
        return;
      }
      break;
    case ColumnKind::moment:
      if (const auto moment = iso_moment(text)) {
        out.string(*moment);
      } else {
        out.null();
      }
      return;
    case ColumnKind::bytes:
      if (const auto bytes = bytes_of(text)) {
        out.string(to_base64(*bytes));
        return;
      }
      break;
  }
  out.string(text);
}

/// "{1,NULL,\"a \\\"b\\\"\",{…}}" by the rules of array_out(). True where all of it was read.
class ArrayText {
 public:
  ArrayText(std::string_view text, ColumnKind kind) : text_(text), kind_(kind) {}

  bool append(JsonWriter& out) {
    // "[2:3]={1,2}": the bounds come first where they are not the usual ones.
    if (text_.starts_with('[')) {
      const std::size_t equals = text_.find('=');
      if (equals == std::string_view::npos) return false;
      at_ = equals + 1;
    }
    return append_array(out, 1) && at_ == text_.size();
  }

 private:
  bool append_array(JsonWriter& out, std::size_t depth) {
    if (depth > array_depth_max || !take('{')) return false;
    out.begin_array();
    if (!take('}')) {
      do {
        if (peek() == '{') {
          if (!append_array(out, depth + 1)) return false;
        } else if (!append_element(out)) {
          return false;
        }
      } while (take(','));
      if (!take('}')) return false;
    }
    out.end_array();
    return true;
  }

  bool append_element(JsonWriter& out) {
    std::string element;
    if (take('"')) {
      while (at_ < text_.size() && text_[at_] != '"') {
        if (text_[at_] == '\\' && ++at_ == text_.size()) return false;
        element += text_[at_++];
      }
      if (!take('"')) return false;
      append_scalar(out, kind_, element);
      return true;
    }
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '}') {
      if (text_[at_] == '{' || text_[at_] == '"') return false;
      if (text_[at_] == '\\' && ++at_ == text_.size()) return false;
      element += text_[at_++];
    }
    if (element.empty()) return false;
    if (element == "NULL") {
      out.null();
    } else {
      append_scalar(out, kind_, element);
    }
    return true;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }

  const std::string_view text_;
  const ColumnKind kind_;
  std::size_t at_ = 0;
};

/// "[1,2,3]" of pgvector, which is JSON where it is what it should be.
bool append_vector(JsonWriter& out, std::string_view text) {
  if (!text.starts_with('[')) return false;
  const auto value = parse_json(text);
  if (!value.ok()) return false;
  out.value(*value);
  return true;
}

}  // namespace

ColumnType column_type(std::uint32_t oid, bool& known) {
  known = true;
  for (const KnownType& type : known_types) {
    if (type.oid == oid) return {.kind = type.kind};
    if (type.array_oid == oid) return {.kind = type.kind, .is_array = true};
  }
  known = false;
  return {};
}

ColumnType column_type_of_name(std::string_view name, bool is_array) {
  if (name == "vector" || name == "halfvec") return {.kind = ColumnKind::number, .is_array = true};
  return {.kind = ColumnKind::text, .is_array = is_array};
}

void append_column(JsonWriter& out, ColumnType type, std::string_view text) {
  if (!type.is_array) return append_scalar(out, type.kind, text);
  std::string array;
  JsonWriter inner(array);
  if (text.starts_with('{') || text.find("={") != std::string_view::npos) {
    if (ArrayText(text, type.kind).append(inner)) {
      out.raw(array);
      return;
    }
  } else if (append_vector(inner, text)) {
    out.raw(array);
    return;
  }
  out.string(text);
}

}  // namespace cairn::connectors
