// SPDX-License-Identifier: Apache-2.0
// Strict reading of a JSON object of a request: every member is asked for by name, and what nobody
// asked for is refused with the nearest known name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::api {

/// Reads one object. Every accessor marks its name as known. Errors of all accessors:
/// invalid_argument, x_content_parse_exception, "[line:column] [parser] name doesn't support values
/// of type: VALUE_NUMBER" (the dispatcher finds line and column). null is refused like any other
/// wrong type unless is_null() was asked first.
class Fields {
 public:
  /// `object` outlives the reader. `path` is where it stands in the body ("service_settings",
  /// "roles.0"), for the position in errors; empty for the whole body.
  Fields(const Json& object, std::string parser_name, std::string path = {});

  bool has(std::string_view name);
  bool is_null(std::string_view name);  // there, and null

  Result<std::optional<std::string>> string(std::string_view name);
  Result<std::optional<bool>> boolean(std::string_view name);          // also "true" and "false"
  Result<std::optional<std::int64_t>> integer(std::string_view name);  // also "12"; no fractions
  Result<std::optional<double>> number(std::string_view name);         // also "1.5"
  Result<std::optional<std::int64_t>> time_ms(std::string_view name);  // "30s", -1, 0
  /// A string or an array of strings.
  Result<std::optional<std::vector<std::string>>> strings(std::string_view name);
  /// Null where absent.
  Result<const Json*> object(std::string_view name);
  Result<const Json*> array(std::string_view name);
  /// Whatever it is; null pointer where absent.
  const Json* any(std::string_view name);

  Result<std::string> string_or(std::string_view name, std::string_view fallback);
  Result<bool> boolean_or(std::string_view name, bool fallback);
  Result<std::int64_t> integer_or(std::string_view name, std::int64_t fallback);
  /// Errors besides: illegal_argument_exception "Required [name]".
  Result<std::string> required_string(std::string_view name);
  Result<const Json*> required_object(std::string_view name);

  /// A reader for a member that object() or array() gave, with its place.
  Fields nested(const Json& object, std::string_view name, std::string parser_name) const;

  /// "[line:column] [parser] unknown field [foo] did you mean [bar]?" for the first member that
  /// nobody asked for.
  Status finish() const;

  /// An error about a member, with its position: "[line:column] [parser] text".
  Error fault(std::string_view name, std::string_view text) const;

 private:
  const Json* known(std::string_view name);
  Error wrong_type(std::string_view name, const Json& value) const;
  const Json& object_;
  std::string parser_;
  std::string path_;
  std::vector<std::string> known_;
};

}  // namespace cairn::api
