// SPDX-License-Identifier: Apache-2.0
// Strict reading of a JSON object of a request, with the platform's words for what is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/json_fields.h"

namespace cairn::api {

/// Errors of all accessors: invalid_argument, x_content_parse_exception, "[line:column] [parser]
/// name doesn't support values of type: VALUE_NUMBER" (the dispatcher finds line and column); of
/// the required ones illegal_argument_exception "Required [name]". null is refused like any other
/// wrong type unless is_null() was asked first.
class Fields final : public JsonFields {
 public:
  /// `object` outlives the reader. `path` is where it stands in the body ("service_settings",
  /// "roles.0"), for the position in errors; empty for the whole body.
  Fields(const Json& object, std::string parser_name, std::string path = {});

  bool is_null(std::string_view name);                                 // there, and null
  Result<std::optional<std::int64_t>> time_ms(std::string_view name);  // "30s", -1, 0

  /// A reader for a member that object() or array() gave, with its place.
  Fields nested(const Json& object, std::string_view name, std::string parser_name) const;

  Error fault(std::string_view name, std::string text) const override;

 private:
  Error unfit(std::string_view name, const Json& value, const Wanted& wanted) const override;
  Error unknown_field(std::string_view name, const std::optional<std::string>& near) const override;
  Error missing(std::string_view name) const override;
  std::string path_of(std::string_view name) const;

  std::string parser_;
  std::string path_;
};

}  // namespace cairn::api
