// SPDX-License-Identifier: Apache-2.0
// Reading an object of tokenizer.json: errors name the field by its path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"

namespace cairn::text::tokenizer {

/// One object, and where in the file it stands (`normalizer.normalizers[1]`). A member that is null
/// counts as absent. The object outlives the reader.
class Fields {
 public:
  Fields(const Json& object, std::string path) : object_(&object), path_(std::move(path)) {}

  const Json* find(std::string_view name) const;
  /// The member `type`, or nothing. Errors: invalid_argument where it is no text.
  Result<std::string> type() const { return string("type", ""); }
  Result<std::string> string(std::string_view name) const;
  Result<std::string> string(std::string_view name, std::string_view fallback) const;
  Result<bool> boolean(std::string_view name, bool fallback) const;
  Result<std::int64_t> integer(std::string_view name, std::int64_t fallback, std::int64_t lowest,
                               std::int64_t highest) const;
  /// The member, which must be an array; null where it is absent.
  Result<const Json::Array*> array(std::string_view name) const;
  /// A text of one character.
  Result<std::string> character(std::string_view name, std::string_view fallback) const;

  const std::string& path() const { return path_; }
  std::string path_of(std::string_view name) const;
  Error wrong(std::string_view name, std::string_view why) const;
  /// `unsupported`: "normalizer: type [X] is not offered; ..."
  Error unknown_type(std::string_view type, std::string_view offered) const;

 private:
  const Json* object_;
  std::string path_;
};

Error wrong_file(std::string message);

}  // namespace cairn::text::tokenizer
