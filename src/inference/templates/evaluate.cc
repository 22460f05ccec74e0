// SPDX-License-Identifier: Apache-2.0
// Expressions.
#include "inference/templates/filters.h"
#include "inference/templates/functions.h"
#include "inference/templates/interpreter.h"
#include "inference/templates/methods.h"
#include "inference/templates/operations.h"
#include "inference/templates/python_text.h"
#include "inference/templates/scopes.h"

namespace cairn::inference::templates {

Result<Value> Interpreter::value_of(const Expression& one) {
  CAIRN_CHECK(machine_.spend(1));
  if (one.kind == Expression::Kind::literal) return one.value;
  const Counted level(levels_);
  machine_.place = one.place;
  if (levels_ > most_levels_at_work) return machine_.too_large("calls are nested too deep");
  return evaluate(one);
}

Result<Value> Interpreter::evaluate(const Expression& one) {
  switch (one.kind) {
    case Expression::Kind::literal:
      return one.value;
    case Expression::Kind::variable:
      return variable(one);
    case Expression::Kind::list: {
      CAIRN_TRY(auto values, values_of(one));
      return machine_.heap.list(std::move(values));
    }
    case Expression::Kind::tuple: {
      CAIRN_TRY(auto values, values_of(one));
      return machine_.heap.tuple(std::move(values));
    }
    case Expression::Kind::dict:
      return dict(one);
    case Expression::Kind::attribute: {
      CAIRN_TRY(const Value object, value_of(*one.parts[0]));
      machine_.place = one.place;
      return attribute_of(machine_, object, one.text);
    }
    case Expression::Kind::item: {
      CAIRN_TRY(const Value object, value_of(*one.parts[0]));
      CAIRN_TRY(const Value key, value_of(*one.parts[1]));
      machine_.place = one.place;
      return item_of(machine_, object, key);
    }
    case Expression::Kind::slice:
      return slice(one);
    case Expression::Kind::call:
      return called(one, nullptr);
    case Expression::Kind::filter:
      return filtered(one, nullptr);
    case Expression::Kind::test:
      return tested(one);
    case Expression::Kind::negative: {
      CAIRN_TRY(const Value value, value_of(*one.parts[0]));
      machine_.place = one.place;
      return negative(machine_, value);
    }
    case Expression::Kind::positive: {
      CAIRN_TRY(const Value value, value_of(*one.parts[0]));
      machine_.place = one.place;
      return arithmetic(machine_, "+", integer_value(0), value);
    }
    case Expression::Kind::inverse: {
      CAIRN_TRY(const Value value, value_of(*one.parts[0]));
      return boolean_value(!is_true(value));
    }
    case Expression::Kind::chain:
      return chained(one);
    case Expression::Kind::compare:
      return compared(one);
    case Expression::Kind::all_of:
    case Expression::Kind::any_of:
      return either(one);
    case Expression::Kind::join:
      return joined(one);
    case Expression::Kind::choice: {
      CAIRN_TRY(const Value condition, value_of(*one.parts[0]));
      if (is_true(condition)) return value_of(*one.parts[1]);
      if (one.parts[2] != nullptr) return value_of(*one.parts[2]);
      return undefined_value(nullptr);
    }
  }
  return Value();
}

Result<Value> Interpreter::variable(const Expression& one) {
  const std::string_view name = one.text->bytes();
  for (Scope* scope = scope_; scope != nullptr; scope = scope->parent) {
    CAIRN_CHECK(machine_.spend(scope->names.size() / 16));
    if (const Value* found = find_name(*scope, name)) return *found;
  }
  if (!is_function_name(name)) return undefined_value(one.text);
  Value out;
  out.kind = Value::Kind::function;
  out.text = one.text;
  return out;
}

Result<std::vector<Value>> Interpreter::values_of(const Expression& one) {
  std::vector<Value> out;
  for (const ExpressionPtr& part : one.parts) {
    CAIRN_TRY(Value value, value_of(*part));
    out.push_back(std::move(value));
  }
  return out;
}

Result<Value> Interpreter::dict(const Expression& one) {
  CAIRN_TRY(auto values, values_of(one));
  const Value out = machine_.heap.dict();
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
    if (!is_key(values[i])) {
      machine_.place = one.place;
      return machine_.fault("a " + std::string(type_name(values[i])) + " cannot be a key");
    }
    CAIRN_CHECK(machine_.spend_key(values[i]));
    out.dict->set(std::move(values[i]), std::move(values[i + 1]));
  }
  return out;
}

Result<Value> Interpreter::slice(const Expression& one) {
  CAIRN_TRY(const Value object, value_of(*one.parts[0]));
  Value bounds[3];
  const Value* given[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    if (one.parts[i + 1] == nullptr) continue;
    CAIRN_TRY(bounds[i], value_of(*one.parts[i + 1]));
    given[i] = &bounds[i];
  }
  machine_.place = one.place;
  return slice_of(machine_, object, given[0], given[1], given[2]);
}

Result<Value> Interpreter::chained(const Expression& one) {
  CAIRN_TRY(Value out, value_of(*one.parts[0]));
  for (std::size_t i = 0; i < one.names.size(); ++i) {
    CAIRN_TRY(const Value next, value_of(*one.parts[i + 1]));
    machine_.place = one.place;
    CAIRN_TRY(out, arithmetic(machine_, one.names[i], out, next));
  }
  return out;
}

Result<Value> Interpreter::compared(const Expression& one) {
  CAIRN_TRY(Value left, value_of(*one.parts[0]));
  for (std::size_t i = 0; i < one.names.size(); ++i) {
    CAIRN_TRY(Value right, value_of(*one.parts[i + 1]));
    machine_.place = one.place;
    CAIRN_TRY(const bool fits, holds(machine_, one.names[i], left, right));
    if (!fits) return boolean_value(false);
    left = std::move(right);
  }
  return boolean_value(true);
}

Result<Value> Interpreter::either(const Expression& one) {
  const bool ends_when = one.kind == Expression::Kind::any_of;
  for (std::size_t i = 0;; ++i) {
    CAIRN_TRY(Value value, value_of(*one.parts[i]));
    if (i + 1 == one.parts.size() || is_true(value) == ends_when) return value;
  }
}

Result<Value> Interpreter::joined(const Expression& one) {
  Text out;
  for (const ExpressionPtr& part : one.parts) {
    CAIRN_TRY(const Value value, value_of(*part));
    machine_.place = one.place;
    CAIRN_CHECK(append_str(machine_, value, out));
    CAIRN_CHECK(machine_.keep_within(out));
  }
  return text_value(std::move(out));
}

Result<Arguments> Interpreter::arguments_of(const Expression& one) {
  Arguments out;
  for (std::size_t i = 1; i < one.parts.size(); ++i) {
    CAIRN_TRY(Value value, value_of(*one.parts[i]));
    out.values.push_back(std::move(value));
  }
  out.names.assign(one.names.begin(), one.names.end());
  return out;
}

Result<Value> Interpreter::called(const Expression& one, const Value* caller) {
  CAIRN_TRY(const Value callee, value_of(*one.parts[0]));
  CAIRN_TRY(const Arguments arguments, arguments_of(one));
  machine_.place = one.place;
  switch (callee.kind) {
    case Value::Kind::function:
      return call_function(machine_, callee.bytes(), arguments);
    case Value::Kind::method:
      return call_method(machine_, callee.method->object, callee.method->name, arguments);
    case Value::Kind::macro:
      return call_macro(*callee.macro, arguments, caller);
    case Value::Kind::undefined:
      return undefined_error(machine_, callee);
    default:
      return machine_.fault("a value of type " + std::string(type_name(callee)) +
                            " cannot be called");
  }
}

Result<Value> Interpreter::filtered(const Expression& one, const Value* input) {
  // A block's filters stand around a hole, which the block's text fills.
  Value value;
  if (one.kind != Expression::Kind::filter) return machine_.fault("a block needs filters");
  if (one.parts[0] == nullptr) {
    if (input != nullptr) value = *input;
  } else if (input != nullptr) {
    CAIRN_TRY(value, filtered(*one.parts[0], input));
  } else {
    CAIRN_TRY(value, value_of(*one.parts[0]));
  }
  CAIRN_TRY(const Arguments arguments, arguments_of(one));
  machine_.place = one.place;
  const FilterRule rule = find_filter(one.text->bytes());
  return rule(machine_, value, arguments);
}

Result<Value> Interpreter::tested(const Expression& one) {
  CAIRN_TRY(const Value value, value_of(*one.parts[0]));
  CAIRN_TRY(const Arguments arguments, arguments_of(one));
  machine_.place = one.place;
  CAIRN_TRY(const bool fits, find_test(one.text->bytes())(machine_, value, arguments));
  return boolean_value(fits != one.is_negated);
}

}  // namespace cairn::inference::templates
