// SPDX-License-Identifier: Apache-2.0
// The errors of tokenizer files.
#include "text/tokenizer/fields.h"

#include "text/tokenizer/characters.h"

namespace cairn::text::tokenizer {

Error wrong_file(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument, .message = "tokenizer: " + std::move(message)};
}

const Json* Fields::find(std::string_view name) const {
  const Json* found = object_->find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::string Fields::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

Error Fields::wrong(std::string_view name, std::string_view why) const {
  return wrong_file("[" + path_of(name) + "] " + std::string(why));
}

Error Fields::unknown_type(std::string_view type, std::string_view offered) const {
  return Error{.kind = ErrorKind::unsupported,
               .message = "tokenizer: [" + path_ + "] has the type [" + std::string(type) +
                          "], which is not offered; offered are " + std::string(offered)};
}

Result<std::string> Fields::string(std::string_view name) const {
  const Json* found = find(name);
  if (found == nullptr || !found->is_string()) return wrong(name, "must be a string");
  return found->as_string();
}

Result<std::string> Fields::string(std::string_view name, std::string_view fallback) const {
  if (find(name) == nullptr) return std::string(fallback);
  return string(name);
}

Result<bool> Fields::boolean(std::string_view name, bool fallback) const {
  const Json* found = find(name);
  if (found == nullptr) return fallback;
  if (!found->is_bool()) return wrong(name, "must be true or false");
  return found->as_bool();
}

Result<std::int64_t> Fields::integer(std::string_view name, std::int64_t fallback,
                                     std::int64_t lowest, std::int64_t highest) const {
  const Json* found = find(name);
  if (found == nullptr) return fallback;
  if (!found->is_integer() || found->as_int() < lowest || found->as_int() > highest) {
    return wrong(name, "must be a whole number from " + std::to_string(lowest) + " to " +
                           std::to_string(highest));
  }
  return found->as_int();
}

Result<const Json::Array*> Fields::array(std::string_view name) const {
  const Json* found = find(name);
  if (found == nullptr) return static_cast<const Json::Array*>(nullptr);
  if (!found->is_array()) return wrong(name, "must be an array");
  return &found->as_array();
}

Result<std::string> Fields::character(std::string_view name, std::string_view fallback) const {
  CAIRN_TRY(std::string text, string(name, fallback));
  if (count_characters(text) != 1) return wrong(name, "must be one character");
  return text;
}

}  // namespace cairn::text::tokenizer
