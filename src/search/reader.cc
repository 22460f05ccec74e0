// SPDX-License-Identifier: Apache-2.0
// The words of errors about a member, in the two styles of the query language.
#include "search/reader.h"

#include "search/errors.h"

namespace cairn::search {

std::string scalar_text(const Json& value) {
  return value.is_string() ? value.as_string() : value.dump();
}

Reader::Reader(const Json& object, std::string_view text, std::string path, std::string name,
               Style style)
    : JsonFields(object, {.null_as_absent = true, .quoted = true, .scalars_as_strings = true}),
      text_(text),
      path_(std::move(path)),
      name_(std::move(name)),
      style_(style) {}

std::string Reader::path_of(std::string_view member) const {
  return path_.empty() ? std::string(member) : path_ + "." + std::string(member);
}

Error Reader::fault(std::string_view member, std::string text) const {
  text = "[" + name_ + "] " + std::move(text);
  return style_ == Style::strict ? content_error(text_, path_of(member), std::move(text))
                                 : parsing_error(text_, path_of(member), std::move(text));
}

Error Reader::unfit(std::string_view name, const Json& value, const Wanted& wanted) const {
  if (wanted.type == Type::boolean && value.is_string())
    return illegal_argument("Failed to parse value [" + value.as_string() +
                            "] as only [true] or [false] are allowed.");
  if ((wanted.type == Type::integer || wanted.type == Type::number) && value.is_string())
    return fault(name, "failed to parse field [" + std::string(name) + "]");
  return JsonFields::unfit(name, value, wanted);
}

Error Reader::unknown_field(std::string_view name, const std::optional<std::string>& near) const {
  if (style_ == Style::strict) return JsonFields::unknown_field(name, near);
  return parsing_error(text_, path_of(name),
                       "[" + name_ + "] query does not support [" + std::string(name) + "]");
}

Error Reader::missing(std::string_view name) const {
  return illegal_argument("[" + name_ + "] requires '" + std::string(name) + "'");
}

Result<float> Reader::number_or(std::string_view name, float fallback) {
  CAIRN_TRY(const auto value, number(name));
  return value ? static_cast<float>(*value) : fallback;
}

}  // namespace cairn::search
