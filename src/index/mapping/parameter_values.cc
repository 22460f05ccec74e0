// SPDX-License-Identifier: Apache-2.0
#include "index/mapping/parameter_values.h"

#include "base/strings.h"
#include "index/errors.h"

namespace cairn::index {

Result<std::int64_t> read_int(const Json& value, std::string_view name) {
  if (value.is_integer()) return value.as_int();
  if (value.is_string())
    if (const auto number = parse_number<std::int64_t>(value.as_string())) return *number;
  return mapper_parsing("Failed to parse value [" + value.dump() + "] of [" + std::string(name) +
                        "] as a whole number");
}

Result<std::string> read_text(const Json& value, std::string_view name) {
  if (value.is_string()) return value.as_string();
  return mapper_parsing("[" + std::string(name) + "] must be a text, not [" + value.dump() + "]");
}

Result<bool> read_bool(const Json& value, std::string_view name) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_string() && value.as_string() == "true") return true;
  if (value.is_string() && value.as_string() == "false") return false;
  return mapper_parsing("Failed to parse value [" + value.dump() + "] of [" + std::string(name) +
                        "] as only [true] or [false] are allowed.");
}

Result<std::vector<std::string>> read_texts(const Json& value, std::string_view name) {
  std::vector<std::string> out;
  if (value.is_array()) {
    for (const Json& element : value.as_array()) {
      CAIRN_TRY(auto text, read_text(element, name));
      out.push_back(std::move(text));
    }
    return out;
  }
  CAIRN_TRY(auto text, read_text(value, name));
  out.push_back(std::move(text));
  return out;
}

}  // namespace cairn::index
