// SPDX-License-Identifier: Apache-2.0
// Parameters and results of calls by name.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "s3/operations/shape.h"

namespace cairn::objectclient {

class Value;
/// Parameters by name: `{{"bucket", "b"}, {"max_keys", 5}}`.
using Params = std::vector<std::pair<std::string, Value>>;

/// Nothing, a boolean, an integer, a number, an instant, a text, a list or a map.
class Value {
 public:
  using List = std::vector<Value>;

  Value() = default;
  Value(std::nullptr_t) {}
  template <std::same_as<bool> Boolean>
  Value(Boolean value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Value(Integer value)  // NOLINT
      : value_(static_cast<std::int64_t>(value)) {}
  Value(double value) : value_(value) {}                         // NOLINT
  Value(s3::Time value) : value_(value) {}                       // NOLINT
  Value(const char* value) : value_(std::string(value)) {}       // NOLINT
  Value(std::string_view value) : value_(std::string(value)) {}  // NOLINT
  Value(std::string value) : value_(std::move(value)) {}         // NOLINT
  static Value list(List elements);
  static Value map(Params members);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  /// The value, where it is of that type; else null.
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&value_); }
  const double* number() const { return std::get_if<double>(&value_); }
  const s3::Time* time() const { return std::get_if<s3::Time>(&value_); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const List* elements() const { return std::get_if<List>(&value_); }
  /// Names and values of a map.
  const Params* members() const { return std::get_if<Params>(&value_); }

  /// A member of a map, or an element of a list; a null where there is none. Chains:
  /// `result["contents"][0]["key"].text()`.
  const Value& operator[](std::string_view name) const;
  const Value& operator[](const char* name) const { return (*this)[std::string_view(name)]; }
  template <std::integral Index>
  const Value& operator[](Index index) const {
    return element(static_cast<std::size_t>(index));
  }

  /// As JSON; instants in ISO 8601.
  std::string to_json() const;
  /// Errors: invalid_argument.
  static Result<Value> from_json(std::string_view json);

 private:
  const Value& element(std::size_t index) const;
  std::variant<std::monostate, bool, std::int64_t, double, s3::Time, std::string, List, Params>
      value_;
};

}  // namespace cairn::objectclient
