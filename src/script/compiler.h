// SPDX-License-Identifier: Apache-2.0
// A tree to operations: names and types are checked, and arithmetic gets the operations of its
// types where they are known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/json.h"
#include "script/code.h"
#include "script/doc_values.h"
#include "script/errors.h"
#include "script/options.h"
#include "script/script.h"
#include "script/syntax.h"
#include "script/value.h"

namespace cairn::script {

/// Where a value is, and what is known of it.
struct Operand {
  std::int16_t at = 0;
  Type type = Type::def;
  bool loose = false;  // the language knows its type only when it runs
  int field = -1;      // of doc['name']
};

/// One script; one use.
class Compiler {
 public:
  /// `fields` null: those of no mapping; then nothing is known of the parameters either.
  Compiler(const Syntax& syntax, Use use, const Json& params, const Fields* fields,
           const Limits& limits, Heap& heap, Compiled& out, Fault& fault);
  /// False with a fault.
  bool run();

 private:
  using Maybe = std::optional<Operand>;  // nothing once there is a fault
  struct Variable {
    std::string_view name;
    Operand where;
  };
  struct Loop {
    std::vector<std::size_t> breaks, continues;  // jumps
  };

  // What is written (compiler.cc).
  std::size_t emit(const Node& at, Code code, std::int16_t a = 0, std::int16_t b = 0,
                   std::int16_t c = 0);
  void land(std::size_t jump);  // it goes to what is written next
  std::int16_t next_place() const { return static_cast<std::int16_t>(out_.ops.size()); }
  std::int16_t fresh();
  std::int16_t constant(const Value& value);
  Operand constant_operand(const Value& value, bool loose);
  const Value* constant_of(const Operand& operand) const;
  std::int16_t site(const Node& at, std::string_view name, std::size_t arguments);
  std::nullopt_t fail(const Node& at, std::string reason,
                      std::string type = "illegal_argument_exception");
  Operand fails_when_run(const Node& at, std::string type, std::string reason);
  Value value_of(const Json& json, std::size_t depth = 0);
  const Variable* find(std::string_view name) const;

  // Statements (compile_statements.cc).
  bool statement(const Node& node, bool is_last);
  bool block(const Node& node, bool is_last);
  bool declare(const Node& node);
  bool give(const Node& node, const Node* value);
  bool end_script(const Node& node, const Node* value);
  bool branch(const Node& node, bool is_last);
  bool while_loop(const Node& node);
  bool do_loop(const Node& node);
  bool for_loop(const Node& node);
  bool for_each(const Node& node);
  bool leave_loop(const Node& node);
  void end_loop(const Node& node, std::int16_t top, std::int16_t go_on);
  bool condition(const Node& node, std::size_t& jump);
  bool define(const Node& node, std::string_view name, Type type, std::int16_t at);

  // Expressions (compile_expressions.cc).
  Maybe expression(const Node& node);
  Maybe literal(const Node& node);
  Maybe name(const Node& node);
  Maybe unary(const Node& node);
  Maybe binary(const Node& node);
  Maybe arithmetic(const Node& node, const Operand& left, const Operand& right,
                   std::string_view mark);
  Maybe shift(const Node& node, const Operand& left, const Operand& right, std::string_view mark);
  Maybe compare(const Node& node, const Operand& left, const Operand& right, std::string_view mark);
  Maybe logic(const Node& node, const Operand& left);
  Maybe ternary(const Node& node);
  Maybe elvis(const Node& node);
  Maybe assign(const Node& node);
  Maybe step(const Node& node);
  Maybe assign_variable(const Node& node, const Variable& variable);
  Maybe changed(const Node& node, const Operand& old);  // by what an assignment or a step does
  Maybe instance_of(const Node& node, const Operand& operand);
  Maybe list(const Node& node);
  Maybe map(const Node& node);
  Operand typed(const Node& node, Code code, const Operand& left, const Operand& right, Type type);
  Maybe convert(const Node& node, const Operand& from, Type to, bool is_cast = false);
  Operand kept(const Node& at, const Operand& operand, const Node& later);
  Operand moved(const Node& at, const Operand& operand, std::int16_t to);

  // Members and calls (compile_calls.cc).
  Maybe member(const Node& node);
  Maybe index(const Node& node);
  Maybe call(const Node& node);
  Maybe member_of(const Node& node, const Operand& object);
  Maybe element_of(const Node& node, const Operand& object, const Operand& key);
  Maybe known_element(const Operand& object, const Value& key);
  Maybe method(const Node& node, const Operand& object);
  Maybe static_call(const Node& node, std::string_view of);
  Maybe math(const Node& node, int which);
  bool arguments(const Node& node, std::size_t first, std::int16_t base);
  Maybe null_safe(const Node& node, const Operand& object);

  // Documents and scores (compile_documents.cc).
  bool is_document(const Node& node) const;
  Maybe document_field(const Node& node, const Node& name);
  Maybe document_call(const Node& node);
  Maybe named_field(const Node& node, std::string_view name);
  Maybe field_member(const Node& node, const Operand& field, std::string_view name);
  Maybe function(const Node& node);
  Maybe chance(const Node& node);
  Maybe emit_value(const Node& node);
  bool is_source(const Node& node) const;
  Maybe source(const Node& node, std::string_view member);
  Maybe decay_of_date(const Node& node);
  Maybe vectors(const Node& node, VectorFunction which);
  std::optional<std::vector<float>> query_vector(const Node& node);
  std::optional<std::string> constant_text(const Node& node);
  int use_field(const std::string& name, const FieldFacts& facts);
  void use_named_fields();

  const Syntax& syntax_;
  Use use_;
  const Json& given_;
  const Fields* fields_;
  const Limits& limits_;
  Heap& heap_;
  Compiled& out_;
  Fault& fault_;
  bool failed_ = false;
  bool names_used_ = false;
  Value params_ = {};
  std::int16_t top_ = 1;  // the next free register
  std::vector<Variable> variables_;
  std::vector<std::size_t> scopes_;  // where the variables of each block begin
  std::vector<Loop> loops_;
  std::map<Value, std::int16_t, KeyOrder> constants_;
};

}  // namespace cairn::script
