// SPDX-License-Identifier: Apache-2.0
// What scripts do with values of any type: text, equality, order, elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "script/code.h"
#include "script/value.h"

namespace cairn::script {

class Run;

/// As a script shows a double or a float: 1.0, 1.0E10.
std::string number_text(double value, bool narrow);
/// Appends a value as it stands in a concatenation. False where the run failed: too deep, too long.
bool append_text(Run& run, const Value& value, std::string& out, std::size_t depth = 0);
/// Whether two values are equal: numbers of all types by what they are worth.
bool are_equal(Run& run, const Value& a, const Value& b, std::size_t depth = 0);
/// The same where the types must be equal too, as elements of lists are compared.
bool are_same(Run& run, const Value& a, const Value& b, std::size_t depth = 0);
/// -1, 0, 1 of two numbers, texts, dates or booleans; false where they have no order.
bool order_of(Run& run, const Value& a, const Value& b, int& out);
/// Applies an operator of Code::add to Code::ge to values of any type.
bool apply(Run& run, Code code, const Value& a, const Value& b, Value& out);
/// To a type as an assignment does it, or as a cast. False where the run failed.
bool convert(Run& run, const Value& from, Type to, bool is_cast, Value& out);
/// The elements of anything that has some.
bool elements_of(Run& run, const Value& value, Value& out);
/// Value `i` of a field.
Value field_value(Run& run, std::size_t field, std::size_t i);
std::size_t field_count(Run& run, std::size_t field);

}  // namespace cairn::script
