// SPDX-License-Identifier: Apache-2.0
// Specification of October 2021, 3.5 and 3.9, "Result Coercion".
#include "graphql/execution/output.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/strings.h"
#include "format/time.h"

namespace cairn::graphql {
namespace {

std::optional<std::int64_t> whole_number(const Json& value) {
  if (value.is_integer()) return value.as_int();
  if (value.is_string()) return parse_number<std::int64_t>(value.as_string());
  if (value.is_bool()) return value.as_bool() ? 1 : 0;
  if (!value.is_number()) return std::nullopt;
  const double number = value.as_double();
  if (std::trunc(number) != number || std::abs(number) > 9007199254740992.0) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::string enum_name(const std::string& text) {
  std::string out = text;
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    if (c == '-' || c == ' ' || c == '.') return '_';
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return out;
}

std::optional<Json> text_output(const Json& value) {
  if (value.is_string()) return value;
  if (value.is_number() || value.is_bool()) return Json(value.dump());
  return std::nullopt;
}

std::optional<Json> scalar_output(const std::string& type, const Json& value) {
  if (type == "Int" || type == "Long") {
    const auto number = whole_number(value);
    const bool small = number && *number >= std::numeric_limits<std::int32_t>::min() &&
                       *number <= std::numeric_limits<std::int32_t>::max();
    if (!number || (type == "Int" && !small)) return std::nullopt;
    return Json(*number);
  }
  if (type == "Float") {
    if (value.is_number()) return value;
    const auto number = value.is_string() ? parse_number<double>(value.as_string()) : std::nullopt;
    if (!number || !std::isfinite(*number)) return std::nullopt;
    return Json(*number);
  }
  if (type == "Boolean") {
    if (value.is_bool()) return value;
    if (!value.is_string() || (value.as_string() != "true" && value.as_string() != "false"))
      return std::nullopt;
    return Json(value.as_string() == "true");
  }
  if (type == "DateTime" && value.is_integer()) return Json(format_iso8601(value.as_int()));
  if (type == "String" || type == "ID" || type == "DateTime") return text_output(value);
  return value;
}

}  // namespace

Result<Json> leaf_output(const SchemaType& type, const Json& value) {
  std::optional<Json> out;
  if (type.definition.kind == TypeDefinition::Kind::enumeration) {
    const std::string name = value.is_string() ? enum_name(value.as_string()) : std::string();
    for (const auto& one : type.definition.values)
      if (one.name == name) out = Json(name);
  } else {
    out = scalar_output(type.name(), value);
  }
  if (out) return std::move(*out);
  return Error{ErrorKind::internal, "graphql_output",
               type.name() + " cannot represent value: " + value.dump().substr(0, 200)};
}

}  // namespace cairn::graphql
