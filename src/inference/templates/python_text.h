// SPDX-License-Identifier: Apache-2.0
// Values as text, as Python writes them: str(), repr(), json.dumps().
#pragma once

#include <string>

#include "inference/templates/machine.h"

namespace cairn::inference::templates {

/// Appends str(value). Text that the value itself does not hold has Origin::value.
Status append_str(Machine& machine, const Value& value, Text& out);
Result<Value> to_str(Machine& machine, const Value& value);
Status append_repr(Machine& machine, const Value& value, Text& out, int depth = 0);

struct JsonStyle {
  bool ascii_only = false;
  bool sorted = false;
  bool pretty = false;
  std::string indent = {};  // of one level
  std::string item_separator = ", ";
  std::string key_separator = ": ";
};
Status append_json(Machine& machine, const Value& value, const JsonStyle& style, Text& out,
                   int depth = 0);

/// repr(float).
std::string spelled(double number);
/// What messages call a value: "str", "int", "list" …
std::string_view type_name(const Value& value);

}  // namespace cairn::inference::templates
