// SPDX-License-Identifier: Apache-2.0
// Strict reading of the JSON objects of a search request: members are asked for by name, and what
// nobody asked for is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::search {

/// Reads one object. `text` is the whole request and `path` where the object stands in it, for the
/// positions in errors; all outlive the reader.
class Reader {
 public:
  /// How an unknown member is refused: "[match] query does not support [foo]"
  /// (parsing_exception), or "[1:2] [bool] unknown field [foo]" (x_content_parse_exception).
  enum class Style { query, strict };

  Reader(const Json& object, std::string_view text, std::string path, std::string name,
         Style style);

  /// The member, or null where it is absent or null.
  const Json* any(std::string_view name);
  Result<std::optional<std::string>> text(std::string_view name);  // any scalar, as text
  Result<std::string> text_or(std::string_view name, std::string_view fallback);
  Result<std::string> required_text(std::string_view name);
  Result<std::optional<bool>> boolean(std::string_view name);
  Result<bool> boolean_or(std::string_view name, bool fallback);
  Result<std::optional<std::int64_t>> integer(std::string_view name);
  Result<std::optional<double>> number(std::string_view name);
  Result<float> number_or(std::string_view name, float fallback);
  Result<const Json*> object(std::string_view name);  // null where absent
  Result<const Json*> array(std::string_view name);
  /// A text or a list of texts; numbers of a list are taken as they are written.
  Result<std::optional<std::vector<std::string>>> texts(std::string_view name);
  Status finish() const;

  Error fault(std::string_view member, std::string message) const;
  std::string path_of(std::string_view member) const;

 private:
  Error wrong_type(std::string_view name, const Json& value) const;

  const Json& object_;
  std::string_view text_;
  std::string path_;
  std::string name_;
  Style style_;
  std::vector<std::string> known_;
};

/// The platform's name of a JSON value's first token: VALUE_STRING, START_OBJECT, ...
std::string_view token_of(const Json& value);
/// A scalar as text: strings as they are, others as JSON.
std::string scalar_text(const Json& value);

}  // namespace cairn::search
