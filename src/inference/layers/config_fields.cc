// SPDX-License-Identifier: Apache-2.0
// The errors of a model's JSON files.
#include "inference/layers/config_fields.h"

#include <cmath>

namespace cairn::inference {

Error ConfigFields::wrong(std::string_view name, std::string_view why) const {
  return Error{.kind = ErrorKind::invalid_argument,
               .message = std::string(file_) + ": [" + std::string(name) + "] " + std::string(why)};
}

Error ConfigFields::not_offered(std::string_view name, std::string_view what) const {
  return Error{.kind = ErrorKind::unsupported,
               .message = std::string(file_) + ": [" + std::string(name) + "] is [" +
                          std::string(what) + "], which is not offered"};
}

const Json* ConfigFields::find(std::string_view name) const {
  const Json* found = object_->find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

bool ConfigFields::has_null(std::string_view name) const {
  const Json* found = object_->find(name);
  return found != nullptr && found->is_null();
}

Result<std::size_t> ConfigFields::size(std::string_view name, std::size_t lowest,
                                       std::size_t highest,
                                       std::optional<std::size_t> fallback) const {
  const Json* found = find(name);
  if (found == nullptr && fallback) return *fallback;
  if (found == nullptr || !found->is_integer() ||
      found->as_int() < static_cast<std::int64_t>(lowest) ||
      found->as_int() > static_cast<std::int64_t>(highest)) {
    return wrong(name, "must be a whole number from " + std::to_string(lowest) + " to " +
                           std::to_string(highest));
  }
  return static_cast<std::size_t>(found->as_int());
}

Result<float> ConfigFields::number(std::string_view name, std::optional<float> fallback) const {
  const Json* found = find(name);
  if (found == nullptr && fallback) return *fallback;
  if (found == nullptr || !found->is_number()) return wrong(name, "must be a number above 0");
  const auto value = static_cast<float>(found->as_double());
  if (!std::isfinite(value) || !(value > 0)) return wrong(name, "must be a number above 0");
  return value;
}

Result<bool> ConfigFields::boolean(std::string_view name, bool fallback) const {
  const Json* found = find(name);
  if (found == nullptr) return fallback;
  if (!found->is_bool()) return wrong(name, "must be true or false");
  return found->as_bool();
}

Result<std::string> ConfigFields::string(std::string_view name, std::string_view fallback) const {
  const Json* found = find(name);
  if (found == nullptr) return std::string(fallback);
  if (!found->is_string()) return wrong(name, "must be a string");
  return found->as_string();
}

Result<Json> read_object(std::string_view text, std::string_view file) {
  auto json = parse_json(text);
  if (!json.ok()) return with_context(std::move(json).error(), file);
  if (!json->is_object()) {
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = std::string(file) + ": must be an object"};
  }
  return json;
}

}  // namespace cairn::inference
