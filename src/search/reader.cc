// SPDX-License-Identifier: Apache-2.0
// Reading members with their types, and the errors where they do not fit.
#include "search/reader.h"

#include <algorithm>

#include "base/strings.h"
#include "search/errors.h"

namespace cairn::search {

std::string_view token_of(const Json& value) {
  if (value.is_null()) return "VALUE_NULL";
  if (value.is_bool()) return "VALUE_BOOLEAN";
  if (value.is_string()) return "VALUE_STRING";
  if (value.is_number()) return "VALUE_NUMBER";
  return value.is_array() ? "START_ARRAY" : "START_OBJECT";
}

std::string scalar_text(const Json& value) {
  return value.is_string() ? value.as_string() : value.dump();
}

Reader::Reader(const Json& object, std::string_view text, std::string path, std::string name,
               Style style)
    : object_(object), text_(text), path_(std::move(path)), name_(std::move(name)), style_(style) {}

const Json* Reader::any(std::string_view name) {
  known_.emplace_back(name);
  const Json* value = object_.find(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::string Reader::path_of(std::string_view member) const {
  return path_.empty() ? std::string(member) : path_ + "." + std::string(member);
}

Error Reader::fault(std::string_view member, std::string message) const {
  if (style_ == Style::strict)
    return content_error(text_, path_of(member), "[" + name_ + "] " + std::move(message));
  return parsing_error(text_, path_of(member), "[" + name_ + "] " + std::move(message));
}

Error Reader::wrong_type(std::string_view name, const Json& value) const {
  return fault(
      name, std::string(name) + " doesn't support values of type: " + std::string(token_of(value)));
}

Result<std::optional<std::string>> Reader::text(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::optional<std::string>();
  if (value->is_object() || value->is_array()) return wrong_type(name, *value);
  return std::optional(scalar_text(*value));
}

Result<std::string> Reader::text_or(std::string_view name, std::string_view fallback) {
  CAIRN_TRY(const auto value, text(name));
  return value.value_or(std::string(fallback));
}

Result<std::string> Reader::required_text(std::string_view name) {
  CAIRN_TRY(auto value, text(name));
  if (!value) return illegal_argument("[" + name_ + "] requires '" + std::string(name) + "'");
  return std::move(*value);
}

Result<std::optional<bool>> Reader::boolean(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::optional<bool>();
  if (value->is_bool()) return std::optional(value->as_bool());
  if (value->is_string() && value->as_string() == "true") return std::optional(true);
  if (value->is_string() && value->as_string() == "false") return std::optional(false);
  if (value->is_string())
    return illegal_argument("Failed to parse value [" + value->as_string() +
                            "] as only [true] or [false] are allowed.");
  return wrong_type(name, *value);
}

Result<bool> Reader::boolean_or(std::string_view name, bool fallback) {
  CAIRN_TRY(const auto value, boolean(name));
  return value.value_or(fallback);
}

Result<std::optional<std::int64_t>> Reader::integer(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::optional<std::int64_t>();
  if (value->is_integer()) return std::optional(value->as_int());
  if (value->is_string()) {
    if (const auto number = parse_number<std::int64_t>(value->as_string()))
      return std::optional(*number);
    return fault(name, "failed to parse field [" + std::string(name) + "]");
  }
  return wrong_type(name, *value);
}

Result<std::optional<double>> Reader::number(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::optional<double>();
  if (value->is_number()) return std::optional(value->as_double());
  if (value->is_string()) {
    if (const auto number = parse_number<double>(value->as_string())) return std::optional(*number);
    return fault(name, "failed to parse field [" + std::string(name) + "]");
  }
  return wrong_type(name, *value);
}

Result<float> Reader::number_or(std::string_view name, float fallback) {
  CAIRN_TRY(const auto value, number(name));
  return value ? static_cast<float>(*value) : fallback;
}

Result<const Json*> Reader::object(std::string_view name) {
  const Json* value = any(name);
  if (value != nullptr && !value->is_object()) return wrong_type(name, *value);
  return value;
}

Result<const Json*> Reader::array(std::string_view name) {
  const Json* value = any(name);
  if (value != nullptr && !value->is_array()) return wrong_type(name, *value);
  return value;
}

Result<std::optional<std::vector<std::string>>> Reader::texts(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::optional<std::vector<std::string>>();
  std::vector<std::string> out;
  if (value->is_string()) {
    out.push_back(value->as_string());
  } else if (value->is_array()) {
    for (const Json& element : value->as_array()) {
      if (element.is_null() || element.is_array() || element.is_object())
        return wrong_type(name, element);
      out.push_back(element.is_string() ? element.as_string() : element.dump());
    }
  } else {
    return wrong_type(name, *value);
  }
  return std::optional(std::move(out));
}

Status Reader::finish() const {
  for (const auto& [name, value] : object_.as_object()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    if (style_ == Style::query)
      return parsing_error(text_, path_of(name),
                           "[" + name_ + "] query does not support [" + name + "]");
    std::string message = "unknown field [" + name + "]";
    if (const auto near = nearest(name, known_)) message += " did you mean [" + *near + "]?";
    return fault(name, std::move(message));
  }
  return ok_status();
}

}  // namespace cairn::search
