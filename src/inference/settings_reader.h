// SPDX-License-Identifier: Apache-2.0
// Reads one object of settings by name, with the platform's texts for what is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"
#include "inference/errors.h"

namespace cairn::inference {

/// A JSON value as the platform's messages show values: {a=1, b=[x, y]}.
std::string show_value(const Json& value);

/// Faults go to the gatherer and the accessor then gives nothing; null counts as absent. `scope`
/// names the object in messages; `settings` is an object or null and outlives the reader.
class SettingsReader {
 public:
  SettingsReader(const Json* settings, std::string scope, Faults& faults)
      : settings_(settings), scope_(std::move(scope)), faults_(faults) {}

  std::optional<std::string> string(std::string_view name);
  std::optional<bool> boolean(std::string_view name);
  std::optional<std::int64_t> integer(std::string_view name);
  /// Adds a fault unless the value is above zero.
  std::optional<std::int64_t> positive(std::string_view name);
  /// Null where absent. Anything else than an object is a fault.
  const Json* object(std::string_view name);

  void know(std::string_view name) { asked_.emplace_back(name); }  // read by other means
  void require(std::string_view name);                             // a fault unless it is there
  bool has(std::string_view name) const;
  /// `{x=1}` of the members that nobody asked for; empty where there are none.
  std::string unknown() const;

 private:
  const Json* find(std::string_view name);
  void wrong_type(std::string_view name, const Json& value, std::string_view type);
  const Json* settings_;
  std::string scope_;
  Faults& faults_;
  std::vector<std::string> asked_;
};

}  // namespace cairn::inference
