// SPDX-License-Identifier: Apache-2.0
// The words of errors about a member, and the details that tell the dispatcher where it stands:
// "_field" for a name, "_value" for a value.
#include "api/forms/fields.h"

#include <algorithm>

#include "api/forms/error_json.h"
#include "api/forms/locate.h"
#include "format/time.h"

namespace cairn::api {

Fields::Fields(const Json& object, std::string parser_name, std::string path)
    : JsonFields(object, {.quoted = true, .whole_as_integer = true}),
      parser_(std::move(parser_name)),
      path_(std::move(path)) {
  std::replace(path_.begin(), path_.end(), '.', path_separator);
}

std::string Fields::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + path_separator + std::string(name);
}

Error Fields::fault(std::string_view name, std::string text) const {
  return Error{ErrorKind::invalid_argument, "x_content_parse_exception",
               "[" + parser_ + "] " + std::move(text)}
      .with_detail("_value", path_of(name));
}

Error Fields::unknown_field(std::string_view name, const std::optional<std::string>& near) const {
  Error error = JsonFields::unknown_field(name, near);
  error.details = {{"_field", path_of(name)}};
  return error;
}

Error Fields::missing(std::string_view name) const {
  return illegal_argument("Required [" + std::string(name) + "]");
}

Error Fields::unfit(std::string_view name, const Json& value, const Wanted& wanted) const {
  const auto unparsed = [&](std::string why) {
    return fault(name, "failed to parse field [" + std::string(name) + "]: " + std::move(why));
  };
  const bool numeric = wanted.type == Type::integer || wanted.type == Type::number;
  if (numeric && value.is_string())
    return unparsed("For input string: \"" + value.as_string() + "\"");
  if (numeric && value.is_number()) return unparsed(value.dump() + " is no integer");
  if (wanted.type == Type::boolean && value.is_string())
    return unparsed("value [" + value.as_string() + "] is not one of [true, false]");
  return JsonFields::unfit(name, value, wanted);
}

bool Fields::is_null(std::string_view name) {
  const Json* value = any(name);
  return value != nullptr && value->is_null();
}

Result<std::optional<std::int64_t>> Fields::time_ms(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::optional<std::int64_t>();
  if (!value->is_string() && !value->is_integer())
    return JsonFields::unfit(name, *value, {Type::string});
  const std::string text = value->is_string() ? value->as_string() : value->dump();
  CAIRN_TRY(const std::int64_t ms, parse_time_value(text, name));
  return std::optional<std::int64_t>(ms);
}

Fields Fields::nested(const Json& object, std::string_view name, std::string parser_name) const {
  Fields inner(object, std::move(parser_name));
  inner.path_ = path_of(name);
  return inner;
}

}  // namespace cairn::api
