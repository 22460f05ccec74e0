// SPDX-License-Identifier: Apache-2.0
// A parsed template: statements and expressions.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "inference/templates/lexer.h"
#include "inference/templates/value.h"

namespace cairn::inference::templates {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Expression {
  enum class Kind {
    literal,    // value
    variable,   // text: the name
    list,       // parts
    tuple,      // parts
    dict,       // parts: key, value, key, value
    attribute,  // parts[0] . text
    item,       // parts[0] [ parts[1] ]
    slice,      // parts[0] [ parts[1] : parts[2] : parts[3] ], null where absent
    call,       // parts[0] ( parts[1], … ); the last ones belong to `names`
    filter,     // parts[0] | text ( parts[1], … )
    test,       // parts[0] is text ( parts[1], … )
    negative,   // - parts[0]
    positive,   // + parts[0]
    inverse,    // not parts[0]
    chain,      // parts[0] names[0] parts[1] names[1] …: arithmetic from left to right
    compare,    // the same with comparisons, of which all must hold
    all_of,     // and
    any_of,     // or
    join,       // ~
    choice      // parts[1] if parts[0] else parts[2], which may be null
  };
  Kind kind = Kind::literal;
  Place place = {};
  Value value = {};
  TextPtr text = {};
  std::vector<ExpressionPtr> parts = {};
  std::vector<std::string> names = {};
  bool is_negated = false;  // of tests
  int height = 1;           // levels of expressions, this one counted
};

struct Branch;

struct Statement {
  enum class Kind {
    text,      // value
    print,     // expression
    choice,    // branches; body: else
    loop,      // target in expression if filter; body; otherwise
    assign,    // target = expression
    capture,   // target = body, through `filter`
    macro,     // text: its name; target.parts: names of parameters; defaults
    call,      // the macro of expression, with this as its caller
    filtered,  // body through `filter`
    scope,     // body in a scope of its own; of `with`: names and defaults
    stop,      // break
    next       // continue
  };
  Kind kind = Kind::text;
  Place place = {};
  Value value = {};
  TextPtr text = {};
  ExpressionPtr target = {};
  ExpressionPtr expression = {};
  ExpressionPtr filter = {};
  std::vector<std::string> names = {};
  std::vector<ExpressionPtr> defaults = {};  // one for each name, null where none
  std::vector<Branch> branches;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
};

struct Branch {
  ExpressionPtr condition;
  std::vector<Statement> body;
};

struct Syntax {
  std::vector<Statement> body;
};

/// Errors: invalid_argument with line and column: what Jinja would not take, and what is not
/// offered here, by name.
Result<Syntax> parse_template(std::string_view source);

/// What templates may name; others are refused when a template is read.
bool is_filter_name(std::string_view name);
bool is_test_name(std::string_view name);

}  // namespace cairn::inference::templates
