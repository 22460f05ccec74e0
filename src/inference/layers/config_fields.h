// SPDX-License-Identifier: Apache-2.0
// Reading an object of a model's JSON files: errors name file and field.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"

namespace cairn::inference {

/// One object of a file. A member that is null counts as absent. The object outlives the reader.
class ConfigFields {
 public:
  ConfigFields(const Json& object, std::string_view file) : object_(&object), file_(file) {}

  const Json* find(std::string_view name) const;
  /// Whether there is a member of this name that is null.
  bool has_null(std::string_view name) const;
  /// A whole number; required where there is no fallback.
  Result<std::size_t> size(std::string_view name, std::size_t lowest, std::size_t highest,
                           std::optional<std::size_t> fallback = {}) const;
  /// A finite number above 0; required where there is no fallback.
  Result<float> number(std::string_view name, std::optional<float> fallback = {}) const;
  Result<bool> boolean(std::string_view name, bool fallback) const;
  Result<std::string> string(std::string_view name, std::string_view fallback) const;

  Error wrong(std::string_view name, std::string_view why) const;
  /// `unsupported`: "[name] is [what], which is not offered"
  Error not_offered(std::string_view name, std::string_view what) const;

 private:
  const Json* object_;
  std::string_view file_;
};

/// The object of a file. Errors: invalid_argument, naming the file.
Result<Json> read_object(std::string_view text, std::string_view file);

}  // namespace cairn::inference
