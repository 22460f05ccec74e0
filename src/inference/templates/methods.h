// SPDX-License-Identifier: Apache-2.0
// The methods of strings, lists and dicts.
#pragma once

#include "inference/templates/machine.h"

namespace cairn::inference::templates {

bool has_method(const Value& object, std::string_view name);
Result<Value> call_method(Machine& machine, const Value& object, std::string_view name,
                          const Arguments& arguments);

enum class Sides { both, left, right };
/// The text without the characters of `which` at its sides; white space where that is null.
Result<Value> stripped(Machine& machine, const Text& text, const Text* which, Sides sides);
/// In upper case, in lower case, with a large letter first of each word or of the text.
enum class Casing { upper, lower, title, capitalize };
Result<Value> in_casing(Machine& machine, const Text& text, Casing casing);
/// An argument that must be an integer, or `otherwise` where it is absent.
Result<std::int64_t> integer_argument(const Machine& machine, const Value* value,
                                      std::int64_t otherwise);

}  // namespace cairn::inference::templates
