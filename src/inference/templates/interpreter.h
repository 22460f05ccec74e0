// SPDX-License-Identifier: Apache-2.0
// Runs a parsed template.
#pragma once

#include "inference/templates/machine.h"
#include "inference/templates/syntax.h"

namespace cairn::inference::templates {

/// One rendering. The syntax, and the names in the first scope, outlive it.
class Interpreter {
 public:
  explicit Interpreter(Machine& machine) : machine_(machine) { scope_ = machine_.heap.scope({}); }

  /// A variable that the template finds.
  void define(std::string_view name, Value value);
  Status run(const Syntax& syntax, Text& out);

 private:
  enum class Flow { on, stop, next };
  using Body = std::vector<Statement>;

  Result<Flow> body(const Body& statements);
  Result<Flow> statement(const Statement& one);
  Result<Flow> choice(const Statement& one);
  Result<Flow> loop(const Statement& one);
  Result<std::vector<Value>> loop_items(const Statement& one);
  Result<Flow> scoped(const Statement& one);
  Status print(const Value& value);
  Status keep_output_within();
  Status assign(const Expression& target, Value value);
  /// What a body prints, as a string, filtered.
  Result<Value> captured(const Statement& one);
  Result<Value> defined_macro(const Statement& one);
  Status call_block(const Statement& one);

  Result<Value> value_of(const Expression& one);
  Result<Value> evaluate(const Expression& one);
  Result<Value> variable(const Expression& one);
  Result<Value> dict(const Expression& one);
  Result<Value> slice(const Expression& one);
  Result<Value> compared(const Expression& one);
  Result<Value> either(const Expression& one);
  Result<Value> joined(const Expression& one);
  Result<Value> chained(const Expression& one);
  Result<Value> called(const Expression& one, const Value* caller);
  Result<Value> filtered(const Expression& one, const Value* input);
  Result<Value> tested(const Expression& one);
  Result<std::vector<Value>> values_of(const Expression& one);
  Result<Arguments> arguments_of(const Expression& one);
  Result<Value> call_macro(const Macro& macro, const Arguments& arguments, const Value* caller);
  Status bind_parameters(const Macro& macro, const Arguments& arguments);

  Machine& machine_;
  Scope* scope_ = nullptr;
  Text* out_ = nullptr;
  int levels_ = 0;
  int calls_ = 0;
};

}  // namespace cairn::inference::templates
