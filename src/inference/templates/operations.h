// SPDX-License-Identifier: Apache-2.0
// What operators do to values, as in Python.
#pragma once

#include <string_view>
#include <vector>

#include "inference/templates/machine.h"

namespace cairn::inference::templates {

bool is_true(const Value& value);
/// Numbers are equal across types, other types are not.
Result<bool> are_equal(Machine& machine, const Value& a, const Value& b, int depth = 0);
/// Below, at or above 0. Errors: invalid_argument for types without an order between them.
Result<int> compare(Machine& machine, const Value& a, const Value& b, int depth = 0);
/// One of == != < <= > >= in, not in.
Result<bool> holds(Machine& machine, std::string_view sign, const Value& a, const Value& b);
/// One of + - * / // % **.
Result<Value> arithmetic(Machine& machine, std::string_view sign, const Value& a, const Value& b);
Result<Value> negative(Machine& machine, const Value& value);

/// object[key]; undefined where there is none. Errors: of something undefined.
Result<Value> item_of(Machine& machine, const Value& object, const Value& key);
/// object.name: a method, or the item of that name.
Result<Value> attribute_of(Machine& machine, const Value& object, const TextPtr& name);
/// The part from start to stop by steps; null where absent.
Result<Value> slice_of(Machine& machine, const Value& object, const Value* start, const Value* stop,
                       const Value* step);

/// The elements: of lists, the characters of strings, the keys of dicts, none of what is undefined.
/// Errors: invalid_argument for what has none.
Result<std::vector<Value>> elements_of(Machine& machine, const Value& value);
/// Their number. Errors: the same.
Result<std::int64_t> length_of(const Machine& machine, const Value& value);
/// What `replace` of strings does; -1: all.
Result<Value> replaced(Machine& machine, const Text& text, std::string_view old, const Text& fresh,
                       std::int64_t most);
/// The text in lower case, for comparisons without regard to case.
std::string folded(std::string_view text);
/// `x` is undefined.
Error undefined_error(const Machine& machine, const Value& value);

}  // namespace cairn::inference::templates
