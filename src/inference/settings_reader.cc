// SPDX-License-Identifier: Apache-2.0
// Typed access to settings.
#include "inference/settings_reader.h"

#include <algorithm>
#include <climits>

namespace cairn::inference {
namespace {

std::string show_members(const Json::Object& members) {
  std::string out = "{";
  for (const auto& [name, value] : members) {
    if (out.size() > 1) out += ", ";
    out += name + "=" + show_value(value);
  }
  return out + "}";
}

}  // namespace

std::string show_value(const Json& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_object()) return show_members(value.as_object());
  if (!value.is_array()) return value.dump();
  std::string out = "[";
  for (const Json& element : value.as_array()) {
    if (out.size() > 1) out += ", ";
    out += show_value(element);
  }
  return out + "]";
}

const Json* SettingsReader::find(std::string_view name) {
  asked_.emplace_back(name);
  const Json* value = settings_ == nullptr ? nullptr : settings_->find(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

bool SettingsReader::has(std::string_view name) const {
  const Json* value = settings_ == nullptr ? nullptr : settings_->find(name);
  return value != nullptr && !value->is_null();
}

void SettingsReader::wrong_type(std::string_view name, const Json& value, std::string_view type) {
  faults_.add("field [" + std::string(name) + "] is not of the expected type. The value [" +
              show_value(value) + "] cannot be converted to a [" + std::string(type) + "]");
}

std::optional<std::string> SettingsReader::string(std::string_view name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    wrong_type(name, *value, "String");
    return std::nullopt;
  }
  if (value->as_string().empty()) {
    faults_.add("[" + scope_ + "] Invalid value empty string. [" + std::string(name) +
                "] must be a non-empty string");
    return std::nullopt;
  }
  return value->as_string();
}

std::optional<bool> SettingsReader::boolean(std::string_view name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_bool()) return value->as_bool();
  wrong_type(name, *value, "Boolean");
  return std::nullopt;
}

std::optional<std::int64_t> SettingsReader::integer(std::string_view name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->type() != Json::Type::integer || value->as_int() > INT_MAX ||
      value->as_int() < INT_MIN) {
    wrong_type(name, *value, "Integer");
    return std::nullopt;
  }
  return value->as_int();
}

std::optional<std::int64_t> SettingsReader::positive(std::string_view name) {
  const std::optional<std::int64_t> value = integer(name);
  if (!value || *value > 0) return value;
  faults_.add("[" + scope_ + "] Invalid value [" + std::to_string(*value) + "]. [" +
              std::string(name) + "] must be a positive integer");
  return std::nullopt;
}

const Json* SettingsReader::object(std::string_view name) {
  const Json* value = find(name);
  if (value == nullptr || value->is_object()) return value;
  wrong_type(name, *value, "Map");
  return nullptr;
}

void SettingsReader::require(std::string_view name) {
  if (has(name)) return;
  faults_.add("[" + scope_ + "] does not contain the required setting [" + std::string(name) + "]");
}

std::string SettingsReader::unknown() const {
  if (settings_ == nullptr) return {};
  Json::Object left;
  for (const auto& member : settings_->as_object()) {
    if (std::find(asked_.begin(), asked_.end(), member.first) == asked_.end()) {
      left.push_back(member);
    }
  }
  return left.empty() ? std::string() : show_members(left);
}

}  // namespace cairn::inference
