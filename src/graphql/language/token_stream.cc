// SPDX-License-Identifier: Apache-2.0
#include "graphql/language/token_stream.h"

#include <utility>

namespace cairn::graphql {
namespace {

std::string quoted(std::string_view punctuator) { return "\"" + std::string(punctuator) + "\""; }

}  // namespace

Status TokenStream::advance() {
  if (has_ahead_) {
    token_ = std::move(ahead_);
    has_ahead_ = false;
    return ok_status();
  }
  CAIRN_TRY(token_, lexer_.next());
  if (++count_ > options_.tokens + 1)
    return syntax_error("Document contains more than " + std::to_string(options_.tokens) +
                            " tokens. Parsing aborted.",
                        token_.at);
  return ok_status();
}

Result<const Token*> TokenStream::ahead() {
  if (!has_ahead_) {
    CAIRN_TRY(ahead_, lexer_.next());
    has_ahead_ = true;
    ++count_;
  }
  return &ahead_;
}

Result<bool> TokenStream::pass(std::string_view punctuator) {
  if (!at(punctuator)) return false;
  CAIRN_CHECK(advance());
  return true;
}

Result<bool> TokenStream::pass_word(std::string_view word) {
  if (!at_word(word)) return false;
  CAIRN_CHECK(advance());
  return true;
}

Status TokenStream::expect(std::string_view punctuator) {
  if (at(punctuator)) return advance();
  return syntax_error("Expected " + quoted(punctuator) + ", found " + describe(token_) + ".",
                      token_.at);
}

Status TokenStream::expect_word(std::string_view word) {
  if (at_word(word)) return advance();
  return syntax_error("Expected " + quoted(word) + ", found " + describe(token_) + ".", token_.at);
}

Result<std::string> TokenStream::name() {
  if (token_.kind != Token::Kind::name)
    return syntax_error("Expected Name, found " + describe(token_) + ".", token_.at);
  std::string out(token_.text);
  CAIRN_CHECK(advance());
  return out;
}

Result<std::string> TokenStream::description() {
  if (!token_.is_string()) return std::string();
  std::string out = token_.value;
  CAIRN_CHECK(advance());
  return out;
}

Error TokenStream::unexpected() const { return unexpected(token_); }

Error TokenStream::unexpected(const Token& token) const {
  return syntax_error("Unexpected " + describe(token) + ".", token.at);
}

Status TokenStream::enter() {
  if (++nesting_ <= options_.nesting) return ok_status();
  return syntax_error("Document nests deeper than " + std::to_string(options_.nesting) + " levels.",
                      token_.at);
}

}  // namespace cairn::graphql
