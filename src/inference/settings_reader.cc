// SPDX-License-Identifier: Apache-2.0
// The words of faults, and values as messages show them.
#include "inference/settings_reader.h"

#include <climits>

namespace cairn::inference {
namespace {

const Json no_settings;

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

SettingsReader::SettingsReader(const Json* settings, std::string scope, Faults& faults)
    : JsonFields(settings == nullptr ? no_settings : *settings,
                 {.null_as_absent = true, .empty_strings = false}),
      scope_(std::move(scope)),
      faults_(faults) {}

Error SettingsReader::fault(std::string_view, std::string text) const {
  return bad_request(std::move(text));
}

Error SettingsReader::unfit(std::string_view name, const Json& value, const Wanted& wanted) const {
  const bool text = wanted.type == Type::string;
  if (text && value.is_string())
    return fault(name, "[" + scope_ + "] Invalid value empty string. [" + std::string(name) +
                           "] must be a non-empty string");
  const std::string type = text                           ? "String"
                           : wanted.type == Type::boolean ? "Boolean"
                           : wanted.type == Type::integer ? "Integer"
                                                          : "Map";
  return fault(name, "field [" + std::string(name) + "] is not of the expected type. The value [" +
                         show_value(value) + "] cannot be converted to a [" + type + "]");
}

template <class T>
T SettingsReader::kept(Result<T> read) {
  if (read.ok()) return std::move(*read);
  faults_.add(read.error().message);
  return {};
}

std::optional<std::string> SettingsReader::string(std::string_view name) {
  return kept(JsonFields::string(name));
}

std::optional<bool> SettingsReader::boolean(std::string_view name) {
  return kept(JsonFields::boolean(name));
}

std::optional<std::int64_t> SettingsReader::integer(std::string_view name) {
  return kept(JsonFields::integer(name, INT_MIN, INT_MAX));
}

std::optional<std::int64_t> SettingsReader::positive(std::string_view name) {
  const std::optional<std::int64_t> value = integer(name);
  if (!value || *value > 0) return value;
  faults_.add("[" + scope_ + "] Invalid value [" + std::to_string(*value) + "]. [" +
              std::string(name) + "] must be a positive integer");
  return std::nullopt;
}

const Json* SettingsReader::object(std::string_view name) { return kept(JsonFields::object(name)); }

void SettingsReader::require(std::string_view name) {
  if (has(name)) return;
  faults_.add("[" + scope_ + "] does not contain the required setting [" + std::string(name) + "]");
}

std::string SettingsReader::unknown() const {
  Json::Object left;
  for (const Json::Member* member : JsonFields::unknown()) left.push_back(*member);
  return left.empty() ? std::string() : show_members(left);
}

}  // namespace cairn::inference
