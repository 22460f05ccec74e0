// SPDX-License-Identifier: Apache-2.0
// The functions and methods that scripts can call, as tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "script/value.h"

namespace cairn::script {

class Run;

/// `self` and the arguments stand in a row; the result replaces `self`. False where the run failed.
using MethodFace = bool (*)(Run& run, Value* self);

struct Method {
  Type of;
  std::string_view name;
  std::size_t arguments;
  Type result;  // def: it depends
  MethodFace face;
};

/// Null where a value of this type has no such method.
const Method* find_method(Type of, std::string_view name, std::size_t arguments);

/// Of one class; its arguments are converted to `takes` before the call. The result replaces the
/// first argument.
struct StaticFunction {
  std::string_view of;  // "Integer"
  std::string_view name;
  std::span<const Type> takes;
  Type result;
  bool (*face)(Run& run, Value* arguments);
};
/// Index into static_functions(), or nothing below zero.
int find_static(std::string_view of, std::string_view name, std::size_t arguments);
const StaticFunction& static_function(std::size_t index);
bool is_class(std::string_view name);

/// Functions of one real number, and of two.
struct MathFunction {
  std::string_view name;
  double (*of_one)(double);
  double (*of_two)(double, double);
};
int find_math(std::string_view name, std::size_t arguments);
const MathFunction& math_function(std::size_t index);
/// Math.PI, Integer.MAX_VALUE and the like; null where there is none.
const Value* find_constant(std::string_view of, std::string_view name);

// The tables of each kind of value.
std::span<const Method> text_methods();
std::span<const Method> list_methods();
std::span<const Method> map_methods();
std::span<const Method> number_methods();
std::span<const Method> date_methods();
std::span<const Method> field_methods();

}  // namespace cairn::script
