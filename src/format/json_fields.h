// SPDX-License-Identifier: Apache-2.0
// Strict reading of a JSON object: every member is asked for by name and type, and what nobody
// asked for is refused. The words of the errors belong to the face that reads.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn {

/// Reads one object; one thread. Each accessor marks its name as known and gives nothing (a null
/// pointer) where the member is absent. A derived class says what is taken and words the errors.
class JsonFields {
 public:
  /// The member, whatever it is; null where it is absent, or null and null counts as absent.
  const Json* any(std::string_view name);
  bool has(std::string_view name) { return any(name) != nullptr; }

  Result<std::optional<std::string>> string(std::string_view name);
  Result<std::optional<bool>> boolean(std::string_view name);
  Result<std::optional<std::int64_t>> integer(
      std::string_view name, std::int64_t lowest = std::numeric_limits<std::int64_t>::min(),
      std::int64_t highest = std::numeric_limits<std::int64_t>::max());
  Result<std::optional<double>> number(std::string_view name);  // finite
  /// A string, or an array of strings.
  Result<std::optional<std::vector<std::string>>> strings(std::string_view name);
  Result<const Json*> object(std::string_view name);
  Result<const Json*> array(std::string_view name);

  Result<std::string> string_or(std::string_view name, std::string_view fallback);
  Result<bool> boolean_or(std::string_view name, bool fallback);
  Result<std::int64_t> integer_or(std::string_view name, std::int64_t fallback);
  Result<std::string> required_string(std::string_view name);
  Result<const Json*> required_object(std::string_view name);

  /// The members that nobody asked for, in their order; they live as long as the object.
  std::vector<const Json::Member*> unknown() const;
  /// The error of the first member that nobody asked for.
  Status finish() const;

  /// The error "what is wrong with this member", in the words of this face.
  virtual Error fault(std::string_view name, std::string text) const = 0;

 protected:
  /// What counts as what, beyond the plain types.
  struct Taking {
    bool null_as_absent = false;
    bool quoted = false;              // "true" as true, "12" as 12, "1.5" as 1.5
    bool whole_as_integer = false;    // 12.0 as 12
    bool scalars_as_strings = false;  // 12 as "12"; in a single string true and false as well
    bool empty_strings = true;
  };
  enum class Type { string, boolean, integer, number, strings, object, array };
  struct Wanted {
    Type type;
    std::int64_t lowest = 0;  // of integers
    std::int64_t highest = 0;
  };

  /// `object` outlives the reader; where it is no object it reads as an empty one.
  JsonFields(const Json& object, Taking taking) : object_(&object), taking_(taking) {}
  ~JsonFields() = default;

  /// A value that is not what was wanted; of `strings` the element. Without other words:
  /// "name doesn't support values of type: VALUE_NUMBER".
  virtual Error unfit(std::string_view name, const Json& value, const Wanted& wanted) const;
  /// "unknown field [foo] did you mean [bar]?"; `near` is the nearest known name.
  virtual Error unknown_field(std::string_view name, const std::optional<std::string>& near) const;
  virtual Error missing(std::string_view name) const;  // "Required [name]"

 private:
  std::optional<std::string> string_of(const Json& value) const;
  template <class T>
  std::optional<T> quoted(const Json& value) const;

  const Json* object_;
  Taking taking_;
  std::vector<std::string> known_;
};

/// The platform's name of a JSON value's first token: VALUE_STRING, START_OBJECT, …
std::string_view json_token_of(const Json& value);

}  // namespace cairn
