// SPDX-License-Identifier: Apache-2.0
// Strict reading of the JSON objects of a search request, with the platform's words for what is
// wrong.
#pragma once

#include <string>
#include <string_view>

#include "format/json_fields.h"

namespace cairn::search {

/// Reads one object; null counts as absent, and any scalar as its text. `text` is the whole
/// request and `path` where the object stands in it, for the positions in errors; all outlive the
/// reader.
class Reader final : public JsonFields {
 public:
  /// How an unknown member is refused: "[match] query does not support [foo]"
  /// (parsing_exception), or "[1:2] [bool] unknown field [foo]" (x_content_parse_exception).
  enum class Style { query, strict };

  Reader(const Json& object, std::string_view text, std::string path, std::string name,
         Style style);

  Result<float> number_or(std::string_view name, float fallback);

  Error fault(std::string_view member, std::string text) const override;
  std::string path_of(std::string_view member) const;

 private:
  Error unfit(std::string_view name, const Json& value, const Wanted& wanted) const override;
  Error unknown_field(std::string_view name, const std::optional<std::string>& near) const override;
  Error missing(std::string_view name) const override;

  std::string_view text_;
  std::string path_;
  std::string name_;
  Style style_;
};

/// A scalar as text: strings as they are, others as JSON.
std::string scalar_text(const Json& value);

}  // namespace cairn::search
