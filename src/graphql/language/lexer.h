// SPDX-License-Identifier: Apache-2.0
// The text of a document as tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "graphql/language/syntax.h"

namespace cairn::graphql {

struct Token {
  enum class Kind : std::uint8_t { end, punctuator, name, integer, floating, string, block_string };
  Kind kind = Kind::end;
  std::string_view text = {};  // of the source: a name, a number, a punctuator
  std::string value = {};      // what a string says
  Location at = {};
  bool is(std::string_view punctuator) const {
    return kind == Kind::punctuator && text == punctuator;
  }
  bool is_name(std::string_view word) const { return kind == Kind::name && text == word; }
  bool is_string() const { return kind == Kind::string || kind == Kind::block_string; }
};
/// As errors name it: `Name "a"`, `"{"`, `<EOF>`.
std::string describe(const Token& token);

/// An error of kind invalid_argument, code graphql_syntax, with details line and column.
Error syntax_error(std::string_view what, Location at);

/// Each byte is looked at a fixed number of times. `source` outlives it and its tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view source);
  /// The next token; `end` for ever at the end. Errors: those of syntax_error().
  Result<Token> next();

 private:
  Location here();
  Status pass_ignored();
  Result<Token> read_number(Token token);
  Result<std::size_t> digits_from(std::size_t at);
  Result<Token> read_string(Token token);
  Result<Token> read_block_string(Token token);
  Status read_escape(std::string& out);
  Status read_unicode_escape(std::string& out);
  Error fault(std::string_view what, std::size_t offset);
  Error unexpected_character(std::size_t offset);
  std::string shown(std::size_t offset) const;
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0;  // up to where place_ is known
  Location place_ = {};
};

/// The lines of a block string without their common indent, and without blank first and last ones.
std::string without_indent(std::string_view raw);

}  // namespace cairn::graphql
