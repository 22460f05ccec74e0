// SPDX-License-Identifier: Apache-2.0
// Tokens to a tree.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "script/errors.h"
#include "script/lexer.h"
#include "script/options.h"
#include "script/syntax.h"

namespace cairn::script {

/// The type that a declaration or a cast names; nothing where it is none.
std::optional<Type> type_named(std::string_view word);

/// One script; one use. False with a fault for what is no script, or more than the limits allow.
class Parser {
 public:
  Parser(const std::vector<Token>& tokens, const Limits& limits, Syntax& out, Fault& fault)
      : tokens_(tokens), limits_(limits), out_(out), fault_(fault) {}
  bool run();

 private:
  // What is at hand. Every Node* that is given back is null once there is a fault.
  const Token& token(std::size_t ahead = 0) const;
  bool is(std::string_view mark, std::size_t ahead = 0) const;
  bool take(std::string_view mark);
  bool expect(std::string_view mark);
  bool is_name(std::size_t ahead = 0) const { return token(ahead).kind == Token::Kind::name; }
  std::nullptr_t fail(const Token& at, std::string reason);
  std::nullptr_t unexpected();
  Node* make(NodeKind kind, const Token& at);
  Node* with(Node* parent, Node* kid);  // null where the kid is

  Node* statement();
  Node* statement_of_word();
  Node* simple_statement();  // a declaration or an expression
  Node* declaration();
  Node* block();
  Node* block_or_statement();
  Node* if_statement();
  Node* while_statement();
  Node* do_statement();
  Node* for_statement();
  Node* for_each(const Token& at);
  Node* refused();
  bool end_of_statement();
  bool is_declaration() const;

  Node* expression();
  Node* assignment(Node* target);
  Node* ternary();
  Node* binary(int least);
  Node* unary();
  Node* cast();
  Node* postfix();
  Node* postfix_of(Node* object);
  Node* primary();
  Node* number(bool negative);
  Node* bracketed();
  Node* list_or_map();
  Node* create();
  bool arguments(Node* call);

  const std::vector<Token>& tokens_;
  const Limits& limits_;
  Syntax& out_;
  Fault& fault_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool failed_ = false;
};

}  // namespace cairn::script
