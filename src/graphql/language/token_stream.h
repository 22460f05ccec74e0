// SPDX-License-Identifier: Apache-2.0
// Tokens one by one, with what parsers of both halves of the language ask of them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "graphql/language/lexer.h"
#include "graphql/options.h"

namespace cairn::graphql {

class TokenStream {
 public:
  /// `source` outlives it; `options` bounds tokens and nesting.
  TokenStream(std::string_view source, const Options& options)
      : lexer_(source), options_(options) {}

  /// Reads the first token.
  Status begin() { return advance(); }
  const Token& token() const { return token_; }
  /// To the next token.
  Status advance();
  /// What follows the token.
  Result<const Token*> ahead();

  bool at(std::string_view punctuator) const { return token_.is(punctuator); }
  bool at_word(std::string_view word) const { return token_.is_name(word); }
  bool at_end() const { return token_.kind == Token::Kind::end; }
  /// Passes the punctuator where it stands here, and says so.
  Result<bool> pass(std::string_view punctuator);
  Result<bool> pass_word(std::string_view word);
  Status expect(std::string_view punctuator);
  Status expect_word(std::string_view word);
  Result<std::string> name();
  /// The text before a definition, or nothing.
  Result<std::string> description();

  Error unexpected() const;
  Error unexpected(const Token& token) const;

  /// One brace, bracket or type further in; leave() at its end.
  Status enter();
  void leave() { --nesting_; }

  /// What `one` reads, once or more, between two punctuators.
  template <class One>
  Status many(std::string_view open, std::string_view close, One one) {
    CAIRN_CHECK(expect(open));
    CAIRN_CHECK(enter());
    for (bool more = true; more;) {
      CAIRN_CHECK(one());
      CAIRN_TRY(const bool closed, pass(close));
      more = !closed;
    }
    leave();
    return ok_status();
  }
  /// The same, where it begins here.
  template <class One>
  Status optional_many(std::string_view open, std::string_view close, One one) {
    return at(open) ? many(open, close, one) : ok_status();
  }
  /// The same, none included.
  template <class One>
  Status any(std::string_view open, std::string_view close, One one) {
    CAIRN_CHECK(expect(open));
    CAIRN_CHECK(enter());
    while (!at(close)) CAIRN_CHECK(one());
    leave();
    return advance();
  }

 private:
  Lexer lexer_;
  const Options& options_;
  Token token_ = {};
  Token ahead_ = {};
  bool has_ahead_ = false;
  std::size_t count_ = 0;
  std::size_t nesting_ = 0;
};

// Of parser.cc, which parser_types.cc shares.
Result<TypeRef> parse_type(TokenStream& in);
Result<Value> parse_value(TokenStream& in, bool constant);
Result<std::vector<Directive>> parse_directives(TokenStream& in, bool constant);
Result<OperationKind> parse_operation_kind(TokenStream& in);
/// A definition of a type, or what extends one.
Result<TypeDefinition> parse_type_definition(TokenStream& in);
/// `type`, `enum` and so on.
bool is_type_word(const Token& token);

}  // namespace cairn::graphql
