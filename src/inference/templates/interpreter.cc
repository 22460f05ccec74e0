// SPDX-License-Identifier: Apache-2.0
// Statements.
#include "inference/templates/interpreter.h"

#include "inference/templates/operations.h"
#include "inference/templates/python_text.h"
#include "inference/templates/scopes.h"

namespace cairn::inference::templates {

void Interpreter::define(std::string_view name, Value value) {
  set_name(*scope_, name, std::move(value));
}

Status Interpreter::run(const Syntax& syntax, Text& out) {
  out_ = &out;
  // Functions and variables stand around what the template sets.
  const ScopeWithin inside(machine_.heap, scope_);
  CAIRN_CHECK(body(syntax.body));
  return keep_output_within();
}

Result<Interpreter::Flow> Interpreter::body(const Body& statements) {
  for (const Statement& one : statements) {
    CAIRN_TRY(const Flow flow, statement(one));
    if (flow != Flow::on) return flow;
  }
  return Flow::on;
}

Status Interpreter::keep_output_within() {
  if (out_->size() <= machine_.limits.output_bytes) return ok_status();
  return machine_.too_large("the text has more than " +
                            std::to_string(machine_.limits.output_bytes) + " bytes");
}

Status Interpreter::print(const Value& value) {
  CAIRN_CHECK(append_str(machine_, value, *out_));
  return keep_output_within();
}

Result<Interpreter::Flow> Interpreter::statement(const Statement& one) {
  const Counted level(levels_);
  machine_.place = one.place;
  if (levels_ > most_levels_at_work) return machine_.too_large("calls are nested too deep");
  CAIRN_CHECK(machine_.spend(1));
  switch (one.kind) {
    case Statement::Kind::text:
      CAIRN_CHECK(print(one.value));
      return Flow::on;
    case Statement::Kind::print: {
      CAIRN_TRY(const Value value, value_of(*one.expression));
      CAIRN_CHECK(print(value));
      return Flow::on;
    }
    case Statement::Kind::choice:
      return choice(one);
    case Statement::Kind::loop:
      return loop(one);
    case Statement::Kind::assign: {
      CAIRN_TRY(Value value, value_of(*one.expression));
      CAIRN_CHECK(assign(*one.target, std::move(value)));
      return Flow::on;
    }
    case Statement::Kind::capture: {
      CAIRN_TRY(Value value, captured(one));
      CAIRN_CHECK(assign(*one.target, std::move(value)));
      return Flow::on;
    }
    case Statement::Kind::filtered: {
      CAIRN_TRY(const Value value, captured(one));
      CAIRN_CHECK(print(value));
      return Flow::on;
    }
    case Statement::Kind::macro: {
      CAIRN_TRY(Value macro, defined_macro(one));
      set_name(*scope_, one.text->bytes(), std::move(macro));
      return Flow::on;
    }
    case Statement::Kind::call:
      CAIRN_CHECK(call_block(one));
      return Flow::on;
    case Statement::Kind::scope:
      return scoped(one);
    case Statement::Kind::stop:
      return Flow::stop;
    case Statement::Kind::next:
      return Flow::next;
  }
  return Flow::on;
}

Result<Interpreter::Flow> Interpreter::choice(const Statement& one) {
  for (const Branch& branch : one.branches) {
    CAIRN_TRY(const Value condition, value_of(*branch.condition));
    if (is_true(condition)) return body(branch.body);
  }
  return body(one.body);
}

Result<std::vector<Value>> Interpreter::loop_items(const Statement& one) {
  CAIRN_TRY(const Value from, value_of(*one.expression));
  machine_.place = one.place;
  CAIRN_TRY(std::vector<Value> all, elements_of(machine_, from));
  if (one.filter == nullptr) return all;
  std::vector<Value> out;
  for (Value& item : all) {
    const ScopeWithin inside(machine_.heap, scope_);
    CAIRN_CHECK(assign(*one.target, item));
    CAIRN_TRY(const Value fits, value_of(*one.filter));
    if (is_true(fits)) out.push_back(std::move(item));
  }
  return out;
}

Result<Interpreter::Flow> Interpreter::loop(const Statement& one) {
  CAIRN_TRY(std::vector<Value> items, loop_items(one));
  if (items.empty()) {
    const ScopeWithin inside(machine_.heap, scope_);
    return body(one.otherwise);
  }
  Loop* state = nullptr;
  const Value loop_value = machine_.heap.loop(&state);
  state->items = std::move(items);
  Flow flow = Flow::on;
  for (; state->index < state->items.size(); ++state->index) {
    CAIRN_CHECK(machine_.spend(1));
    const ScopeWithin inside(machine_.heap, scope_);
    machine_.place = one.place;
    CAIRN_CHECK(assign(*one.target, state->items[state->index]));
    set_name(*scope_, "loop", loop_value);
    CAIRN_TRY(flow, body(one.body));
    if (flow == Flow::stop) break;
  }
  state->items = {};
  return Flow::on;
}

Result<Interpreter::Flow> Interpreter::scoped(const Statement& one) {
  std::vector<Value> values;
  for (const ExpressionPtr& value : one.defaults) {
    CAIRN_TRY(Value made, value_of(*value));
    values.push_back(std::move(made));
  }
  const ScopeWithin inside(machine_.heap, scope_);
  for (std::size_t i = 0; i < values.size(); ++i)
    set_name(*scope_, one.names[i], std::move(values[i]));
  return body(one.body);
}

Status Interpreter::assign(const Expression& target, Value value) {
  if (target.kind == Expression::Kind::variable) {
    set_name(*scope_, target.text->bytes(), std::move(value));
    return ok_status();
  }
  machine_.place = target.place;
  if (target.kind == Expression::Kind::attribute) {
    CAIRN_TRY(const Value object, value_of(*target.parts[0]));
    machine_.place = target.place;
    if (!object.is(Value::Kind::name_space)) {
      return machine_.fault("cannot set '" + shown_name(target.text->bytes()) +
                            "' of what is no namespace");
    }
    object.dict->set(text_value(target.text->bytes(), Origin::source), std::move(value));
    return ok_status();
  }
  CAIRN_TRY(std::vector<Value> all, elements_of(machine_, value));
  if (all.size() != target.parts.size()) {
    return machine_.fault(std::to_string(target.parts.size()) + " names for " +
                          std::to_string(all.size()) + " values");
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    CAIRN_CHECK(assign(*target.parts[i], std::move(all[i])));
  return ok_status();
}

Result<Value> Interpreter::captured(const Statement& one) {
  Text text;
  {
    const ScopeWithin inside(machine_.heap, scope_);
    const OutputInto into(out_, text);
    CAIRN_TRY(const Flow flow, body(one.body));
    if (flow != Flow::on)
      return machine_.fault("break and continue cannot leave a block that is captured");
  }
  const Value value = text_value(std::move(text));
  return one.filter == nullptr ? value : filtered(*one.filter, &value);
}

Result<Value> Interpreter::defined_macro(const Statement& one) {
  for (Scope* scope = scope_; scope != nullptr && !scope->is_kept; scope = scope->parent)
    scope->is_kept = true;
  return machine_.heap.macro({.statement = &one, .scope = scope_});
}

Status Interpreter::call_block(const Statement& one) {
  CAIRN_TRY(const Value caller, defined_macro(one));
  machine_.place = one.place;
  CAIRN_TRY(const Value value, called(*one.expression, &caller));
  return print(value);
}

Status Interpreter::bind_parameters(const Macro& macro, const Arguments& arguments) {
  const auto& names = macro.statement->names;
  const auto& defaults = macro.statement->defaults;
  if (arguments.positional() > names.size()) {
    return machine_.fault("the macro '" + shown_name(macro.statement->text->bytes()) +
                          "' takes at most " + std::to_string(names.size()) + " arguments");
  }
  std::vector<const Value*> given(names.size());
  for (std::size_t i = 0; i < arguments.positional(); ++i) given[i] = &arguments.values[i];
  for (std::size_t i = 0; i < arguments.names.size(); ++i) {
    std::size_t place = 0;
    while (place < names.size() && names[place] != arguments.names[i]) ++place;
    if (place == names.size() || given[place] != nullptr) {
      return machine_.fault("the macro '" + shown_name(macro.statement->text->bytes()) +
                            "' takes no argument '" + shown_name(arguments.names[i]) + "'" +
                            (place == names.size() ? "" : " twice"));
    }
    given[place] = &arguments.values[arguments.positional() + i];
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    Value value = undefined_value(std::make_shared<const Text>(names[i], Origin::source));
    if (given[i] != nullptr) {
      value = *given[i];
    } else if (defaults[i] != nullptr) {
      CAIRN_TRY(value, value_of(*defaults[i]));
    }
    set_name(*scope_, names[i], std::move(value));
  }
  return ok_status();
}

Result<Value> Interpreter::call_macro(const Macro& macro, const Arguments& arguments,
                                      const Value* caller) {
  const Counted call(calls_);
  if (calls_ > machine_.limits.calls) {
    return machine_.too_large("macros call each other more than " +
                              std::to_string(machine_.limits.calls) + " deep");
  }
  Text text;
  Scope* around = macro.scope;
  const Instead<Scope*> within(scope_, around);
  const ScopeWithin inside(machine_.heap, scope_);
  CAIRN_CHECK(bind_parameters(macro, arguments));
  if (caller != nullptr) set_name(*scope_, "caller", *caller);
  const OutputInto into(out_, text);
  CAIRN_CHECK(body(macro.statement->body));
  return text_value(std::move(text));
}

}  // namespace cairn::inference::templates
