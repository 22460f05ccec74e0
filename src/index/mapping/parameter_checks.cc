// SPDX-License-Identifier: Apache-2.0
#include "index/mapping/parameter_checks.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/strings.h"
#include "index/errors.h"
#include "index/mapping/values.h"

namespace cairn::index {

// Nothing of a source is left out when it is kept.
Status check_source(const Json& source) {
  if (!source.is_object()) return mapper_parsing("[_source] must be an object");
  for (const auto& [name, value] : source.as_object()) {
    const bool says_nothing = value.is_array() && value.as_array().empty();
    if (name == "enabled" || says_nothing) continue;
    if (name == "includes" || name == "excludes")
      return mapper_parsing("[_source." + name +
                            "] is not offered: a source is kept whole; ask for parts of it with "
                            "[_source] in the search");
    if (name != "mode" || !(value == Json("stored")))
      return mapper_parsing("unknown parameter [" + name + "] on metadata field [_source]");
  }
  return ok_status();
}

// Names of months and days are read in English alone.
Status check_locale(const Field& field, const Json& value) {
  if (!value.is_string())
    return mapper_parsing("[locale] must be a text, not [" + value.dump() + "]");
  const std::string& text = value.as_string();
  const std::string locale = lower_ascii(text);
  if (locale.empty() || locale == "root" || locale == "en" || locale.starts_with("en_") ||
      locale.starts_with("en-"))
    return ok_status();
  return mapper_parsing("[locale] of [" + field.name + "] cannot be [" + text +
                        "]: dates are read in English; use [en] or [ROOT]");
}

// What stands for null is read as a value would be, so that no document fails on it.
Status check_null_value(const Field& field) {
  const Json& value = field.null_value;
  const Status read = [&]() -> Status {
    if (value.is_object() || value.is_array()) return illegal_argument("it must be one value");
    if (field.type == FieldType::keyword) return ok_status();
    if (field.features == Features::one)
      return value.is_number() && value.as_double() > 0
                 ? ok_status()
                 : Status(illegal_argument("it must be a positive number"));
    CAIRN_CHECK(column_value(field, value));
    return ok_status();
  }();
  if (read.ok()) return ok_status();
  return mapper_parsing("Error parsing [null_value] on field [" + field.name + "] of type [" +
                        std::string(name_of(field.type)) + "]: " + read.error().message);
}

}  // namespace cairn::index
