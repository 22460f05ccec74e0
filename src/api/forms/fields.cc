// SPDX-License-Identifier: Apache-2.0
// Accessors that mark names, and the two errors: wrong type, unknown field.
#include "api/forms/fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "api/forms/error_json.h"
#include "api/forms/locate.h"
#include "base/strings.h"
#include "format/time.h"

namespace cairn::api {
namespace {

std::string_view json_token_of(const Json& value) {
  switch (value.type()) {
    case Json::Type::null:
      return "VALUE_NULL";
    case Json::Type::boolean:
      return "VALUE_BOOLEAN";
    case Json::Type::integer:
    case Json::Type::unsigned_integer:
    case Json::Type::number:
      return "VALUE_NUMBER";
    case Json::Type::string:
      return "VALUE_STRING";
    case Json::Type::array:
      return "START_ARRAY";
    case Json::Type::object:
      return "START_OBJECT";
  }
  return "VALUE_NULL";
}

std::string joined_path(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + path_separator + std::string(name);
}

/// The detail that tells the dispatcher where to look: "_field" for a name, "_value" for a value.
Error positioned(std::string parser, std::string_view text, std::string_view detail,
                 std::string path) {
  Error error{ErrorKind::invalid_argument, "x_content_parse_exception",
              "[" + std::move(parser) + "] " + std::string(text)};
  return std::move(error).with_detail(std::string(detail), std::move(path));
}

}  // namespace

Fields::Fields(const Json& object, std::string parser_name, std::string path)
    : object_(object), parser_(std::move(parser_name)), path_(std::move(path)) {
  std::replace(path_.begin(), path_.end(), '.', path_separator);
}

const Json* Fields::known(std::string_view name) {
  known_.emplace_back(name);
  return object_.find(name);
}

Error Fields::wrong_type(std::string_view name, const Json& value) const {
  return positioned(
      parser_,
      std::string(name) + " doesn't support values of type: " + std::string(json_token_of(value)),
      "_value", joined_path(path_, name));
}

Error Fields::fault(std::string_view name, std::string_view text) const {
  return positioned(parser_, text, "_value", joined_path(path_, name));
}

bool Fields::has(std::string_view name) { return known(name) != nullptr; }

bool Fields::is_null(std::string_view name) {
  const Json* value = known(name);
  return value != nullptr && value->is_null();
}

Result<std::optional<std::string>> Fields::string(std::string_view name) {
  const Json* value = known(name);
  if (value == nullptr) return std::optional<std::string>();
  if (value->is_string()) return std::optional<std::string>(value->as_string());
  return wrong_type(name, *value);
}

Result<std::optional<bool>> Fields::boolean(std::string_view name) {
  const Json* value = known(name);
  if (value == nullptr) return std::optional<bool>();
  if (value->is_bool()) return std::optional<bool>(value->as_bool());
  if (!value->is_string()) return wrong_type(name, *value);
  if (value->as_string() == "true") return std::optional<bool>(true);
  if (value->as_string() == "false") return std::optional<bool>(false);
  return fault(name, "failed to parse field [" + std::string(name) + "]: value [" +
                         value->as_string() + "] is not one of [true, false]");
}

Result<std::optional<std::int64_t>> Fields::integer(std::string_view name) {
  const Json* value = known(name);
  if (value == nullptr) return std::optional<std::int64_t>();
  if (value->is_integer()) return std::optional<std::int64_t>(value->as_int());
  if (value->is_number()) {
    const double number = value->as_double();
    if (std::trunc(number) == number && std::abs(number) < 9.0e15)
      return std::optional<std::int64_t>(static_cast<std::int64_t>(number));
    return fault(name, "failed to parse field [" + std::string(name) + "]: " + value->dump() +
                           " is no integer");
  }
  if (!value->is_string()) return wrong_type(name, *value);
  if (const auto number = parse_number<std::int64_t>(value->as_string()))
    return std::optional<std::int64_t>(*number);
  return fault(name, "failed to parse field [" + std::string(name) + "]: For input string: \"" +
                         value->as_string() + "\"");
}

Result<std::optional<double>> Fields::number(std::string_view name) {
  const Json* value = known(name);
  if (value == nullptr) return std::optional<double>();
  if (value->is_number()) return std::optional<double>(value->as_double());
  if (!value->is_string()) return wrong_type(name, *value);
  const auto number = parse_number<double>(value->as_string());
  if (number && std::isfinite(*number)) return std::optional<double>(*number);
  return fault(name, "failed to parse field [" + std::string(name) + "]: For input string: \"" +
                         value->as_string() + "\"");
}

Result<std::optional<std::int64_t>> Fields::time_ms(std::string_view name) {
  const Json* value = known(name);
  if (value == nullptr) return std::optional<std::int64_t>();
  if (!value->is_string() && !value->is_integer()) return wrong_type(name, *value);
  const std::string text = value->is_string() ? value->as_string() : value->dump();
  CAIRN_TRY(const std::int64_t ms, parse_time_value(text, name));
  return std::optional<std::int64_t>(ms);
}

Result<std::optional<std::vector<std::string>>> Fields::strings(std::string_view name) {
  const Json* value = known(name);
  if (value == nullptr) return std::optional<std::vector<std::string>>();
  if (value->is_string()) return std::optional(std::vector<std::string>{value->as_string()});
  if (!value->is_array()) return wrong_type(name, *value);
  std::vector<std::string> out;
  for (const auto& element : value->as_array()) {
    if (!element.is_string()) return wrong_type(name, element);
    out.push_back(element.as_string());
  }
  return std::optional(std::move(out));
}

Result<const Json*> Fields::object(std::string_view name) {
  const Json* value = known(name);
  if (value != nullptr && !value->is_object()) return wrong_type(name, *value);
  return value;
}

Result<const Json*> Fields::array(std::string_view name) {
  const Json* value = known(name);
  if (value != nullptr && !value->is_array()) return wrong_type(name, *value);
  return value;
}

const Json* Fields::any(std::string_view name) { return known(name); }

Result<std::string> Fields::string_or(std::string_view name, std::string_view fallback) {
  CAIRN_TRY(auto value, string(name));
  return value ? std::move(*value) : std::string(fallback);
}

Result<bool> Fields::boolean_or(std::string_view name, bool fallback) {
  CAIRN_TRY(const auto value, boolean(name));
  return value.value_or(fallback);
}

Result<std::int64_t> Fields::integer_or(std::string_view name, std::int64_t fallback) {
  CAIRN_TRY(const auto value, integer(name));
  return value.value_or(fallback);
}

Result<std::string> Fields::required_string(std::string_view name) {
  CAIRN_TRY(auto value, string(name));
  if (!value) return illegal_argument("Required [" + std::string(name) + "]");
  return std::move(*value);
}

Result<const Json*> Fields::required_object(std::string_view name) {
  CAIRN_TRY(const Json* value, object(name));
  if (value == nullptr) return illegal_argument("Required [" + std::string(name) + "]");
  return value;
}

Fields Fields::nested(const Json& object, std::string_view name, std::string parser_name) const {
  Fields inner(object, std::move(parser_name));
  inner.path_ = joined_path(path_, name);
  return inner;
}

Status Fields::finish() const {
  if (!object_.is_object()) return ok_status();
  for (const auto& [name, value] : object_.as_object()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const auto near = nearest(name, known_);
    return positioned(
        parser_, "unknown field [" + name + "]" + (near ? " did you mean [" + *near + "]?" : ""),
        "_field", joined_path(path_, name));
  }
  return ok_status();
}

}  // namespace cairn::api
