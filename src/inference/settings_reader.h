// SPDX-License-Identifier: Apache-2.0
// Reads one object of settings by name, and gathers what is wrong in the platform's words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/json_fields.h"
#include "inference/errors.h"

namespace cairn::inference {

/// A JSON value as the platform's messages show values: {a=1, b=[x, y]}.
std::string show_value(const Json& value);

/// Faults go to the gatherer and the accessor then gives nothing; null counts as absent. `scope`
/// names the object in messages; `settings` is an object or null and outlives the reader.
class SettingsReader final : private JsonFields {
 public:
  SettingsReader(const Json* settings, std::string scope, Faults& faults);

  std::optional<std::string> string(std::string_view name);  // not empty
  std::optional<bool> boolean(std::string_view name);
  std::optional<std::int64_t> integer(std::string_view name);  // of 32 bits
  /// Adds a fault unless the value is above zero.
  std::optional<std::int64_t> positive(std::string_view name);
  /// Null where absent. Anything else than an object is a fault.
  const Json* object(std::string_view name);

  using JsonFields::any;  // read by other means
  using JsonFields::has;
  void require(std::string_view name);  // a fault unless it is there
  /// `{x=1}` of the members that nobody asked for; empty where there are none.
  std::string unknown() const;

 private:
  template <class T>
  T kept(Result<T> read);
  Error fault(std::string_view name, std::string text) const override;
  Error unfit(std::string_view name, const Json& value, const Wanted& wanted) const override;

  std::string scope_;
  Faults& faults_;
};

}  // namespace cairn::inference
