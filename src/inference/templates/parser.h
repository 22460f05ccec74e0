// SPDX-License-Identifier: Apache-2.0
// Tokens to expressions: what statements are made of.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inference/templates/syntax.h"

namespace cairn::inference::templates {

/// Reads expressions from tokens, one after the other. One thread.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& here() const { return tokens_[at_]; }
  const Token& ahead() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  Token take() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_[at_]; }
  bool is_sign(std::string_view text) const {
    return here().kind == Token::Kind::sign && here().text == text;
  }
  bool is_name(std::string_view text) const {
    return here().kind == Token::Kind::name && here().text == text;
  }
  bool skip_sign(std::string_view text);
  bool skip_name(std::string_view text);
  Status expect_sign(std::string_view text);
  Status expect_name(std::string_view text);
  Status expect(Token::Kind kind, std::string_view what);
  Result<std::string> expect_any_name(std::string_view what);
  Error unexpected(std::string_view wanted) const;

  Result<ExpressionPtr> expression(bool with_choice = true);
  /// One expression, or several with commas as a tuple.
  Result<ExpressionPtr> tuple(bool with_choice = true, bool in_parentheses = false);
  /// What a loop or a set assigns to: a name, names with commas, `a.b` where that is allowed.
  Result<ExpressionPtr> target(bool with_attribute);
  /// `name(arguments) | name …`, applied to `inner`, which may be null.
  Result<ExpressionPtr> filters(ExpressionPtr inner);
  /// The same, where the first name stands without its `|`, applied to nothing.
  Result<ExpressionPtr> first_filter();
  Result<ExpressionPtr> postfix(ExpressionPtr inner);
  Result<ExpressionPtr> primary();

 private:
  using Rule = Result<ExpressionPtr> (ExpressionParser::*)();
  Result<ExpressionPtr> choice();
  Result<ExpressionPtr> any_of();
  Result<ExpressionPtr> all_of();
  Result<ExpressionPtr> inverse();
  Result<ExpressionPtr> compare();
  Result<ExpressionPtr> sum();
  Result<ExpressionPtr> join();
  Result<ExpressionPtr> product();
  Result<ExpressionPtr> power();
  Result<ExpressionPtr> unary(bool with_filter);
  Result<ExpressionPtr> unary_with_filter() { return unary(true); }
  Result<ExpressionPtr> words(std::string_view word, Expression::Kind kind, Rule inner);
  Result<ExpressionPtr> chain(std::initializer_list<std::string_view> signs, Rule inner);
  Result<ExpressionPtr> filter(ExpressionPtr inner);
  Result<ExpressionPtr> test(ExpressionPtr inner);
  Result<ExpressionPtr> attribute(ExpressionPtr inner);
  Result<ExpressionPtr> item(ExpressionPtr inner);
  Result<ExpressionPtr> list();
  Result<ExpressionPtr> dict();
  Result<ExpressionPtr> literal(Value value);
  Status arguments(Expression& call);
  Result<std::string> dotted_name(std::string_view what);
  ExpressionPtr made(Expression::Kind kind, Place place) const;
  /// Counts levels; errors: too many.
  Result<ExpressionPtr> done(ExpressionPtr one) const;

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int nested_ = 0;
};

}  // namespace cairn::inference::templates
