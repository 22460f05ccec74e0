// SPDX-License-Identifier: Apache-2.0
// Members by name and type, and the errors where they do not fit.
#include "format/json_fields.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"

namespace cairn {
namespace {

constexpr double whole_max = 9.0e15;  // doubles below it hold every integer

template <class T>
Result<T> value_or(Result<std::optional<T>> read, T fallback) {
  CAIRN_TRY(auto value, std::move(read));
  return value ? std::move(*value) : std::move(fallback);
}

}  // namespace

std::string_view json_token_of(const Json& value) {
  if (value.is_null()) return "VALUE_NULL";
  if (value.is_bool()) return "VALUE_BOOLEAN";
  if (value.is_string()) return "VALUE_STRING";
  if (value.is_number()) return "VALUE_NUMBER";
  return value.is_array() ? "START_ARRAY" : "START_OBJECT";
}

Error JsonFields::unfit(std::string_view name, const Json& value, const Wanted&) const {
  return fault(name, std::string(name) +
                         " doesn't support values of type: " + std::string(json_token_of(value)));
}

Error JsonFields::unknown_field(std::string_view name,
                                const std::optional<std::string>& near) const {
  return fault(name, "unknown field [" + std::string(name) + "]" +
                         (near ? " did you mean [" + *near + "]?" : ""));
}

Error JsonFields::missing(std::string_view name) const {
  return fault(name, "Required [" + std::string(name) + "]");
}

const Json* JsonFields::any(std::string_view name) {
  known_.emplace_back(name);
  const Json* value = object_->find(name);
  return value != nullptr && taking_.null_as_absent && value->is_null() ? nullptr : value;
}

std::optional<std::string> JsonFields::string_of(const Json& value) const {
  const bool scalar = !value.is_null() && !value.is_array() && !value.is_object();
  if (!value.is_string())
    return taking_.scalars_as_strings && scalar ? std::optional(value.dump()) : std::nullopt;
  if (value.as_string().empty() && !taking_.empty_strings) return std::nullopt;
  return value.as_string();
}

template <class T>
std::optional<T> JsonFields::quoted(const Json& value) const {
  if (!taking_.quoted || !value.is_string()) return std::nullopt;
  return parse_number<T>(value.as_string());
}

Result<std::optional<std::string>> JsonFields::string(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::optional<std::string>();
  auto read = string_of(*value);
  if (!read) return unfit(name, *value, {Type::string});
  return read;
}

Result<std::optional<bool>> JsonFields::boolean(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::optional<bool>();
  if (value->is_bool()) return std::optional(value->as_bool());
  if (taking_.quoted && value->is_string()) {
    if (value->as_string() == "true") return std::optional(true);
    if (value->as_string() == "false") return std::optional(false);
  }
  return unfit(name, *value, {Type::boolean});
}

Result<std::optional<std::int64_t>> JsonFields::integer(std::string_view name, std::int64_t lowest,
                                                        std::int64_t highest) {
  const Json* value = any(name);
  if (value == nullptr) return std::optional<std::int64_t>();
  std::optional<std::int64_t> read = quoted<std::int64_t>(*value);
  if (value->is_integer()) {
    read = value->as_int();
  } else if (taking_.whole_as_integer && value->is_number()) {
    const double given = value->as_double();
    if (std::trunc(given) == given && std::abs(given) < whole_max)
      read = static_cast<std::int64_t>(given);
  }
  if (!read || *read < lowest || *read > highest)
    return unfit(name, *value, {Type::integer, lowest, highest});
  return read;
}

Result<std::optional<double>> JsonFields::number(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::optional<double>();
  if (value->is_number()) return std::optional(value->as_double());
  const auto read = quoted<double>(*value);
  if (!read || !std::isfinite(*read)) return unfit(name, *value, {Type::number});
  return read;
}

Result<std::optional<std::vector<std::string>>> JsonFields::strings(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::optional<std::vector<std::string>>();
  if (!value->is_string() && !value->is_array()) return unfit(name, *value, {Type::strings});
  const std::size_t count = value->is_array() ? value->as_array().size() : 1;
  const Json* elements = value->is_array() ? value->as_array().data() : value;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) {
    auto read = string_of(elements[i]);
    if (!read) return unfit(name, elements[i], {Type::strings});
    out.push_back(std::move(*read));
  }
  return std::optional(std::move(out));
}

Result<const Json*> JsonFields::object(std::string_view name) {
  const Json* value = any(name);
  if (value != nullptr && !value->is_object()) return unfit(name, *value, {Type::object});
  return value;
}

Result<const Json*> JsonFields::array(std::string_view name) {
  const Json* value = any(name);
  if (value != nullptr && !value->is_array()) return unfit(name, *value, {Type::array});
  return value;
}

Result<std::string> JsonFields::string_or(std::string_view name, std::string_view fallback) {
  return value_or(string(name), std::string(fallback));
}

Result<bool> JsonFields::boolean_or(std::string_view name, bool fallback) {
  return value_or(boolean(name), fallback);
}

Result<std::int64_t> JsonFields::integer_or(std::string_view name, std::int64_t fallback) {
  return value_or(integer(name), fallback);
}

Result<std::string> JsonFields::required_string(std::string_view name) {
  CAIRN_TRY(auto value, string(name));
  if (!value) return missing(name);
  return std::move(*value);
}

Result<const Json*> JsonFields::required_object(std::string_view name) {
  CAIRN_TRY(const Json* value, object(name));
  if (value == nullptr) return missing(name);
  return value;
}

std::vector<const Json::Member*> JsonFields::unknown() const {
  std::vector<const Json::Member*> out;
  if (!object_->is_object()) return out;
  for (const Json::Member& member : object_->as_object()) {
    if (std::find(known_.begin(), known_.end(), member.first) == known_.end())
      out.push_back(&member);
  }
  return out;
}

Status JsonFields::finish() const {
  const auto left = unknown();
  if (left.empty()) return ok_status();
  const std::string& name = left.front()->first;
  return unknown_field(name, nearest(name, known_));
}

}  // namespace cairn
