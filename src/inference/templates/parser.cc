// SPDX-License-Identifier: Apache-2.0
#include "inference/templates/parser.h"

#include <algorithm>

namespace cairn::inference::templates {
namespace {

constexpr int most_levels = 64;
constexpr std::size_t most_arguments = 255;  // each name is compared with those before it

TextPtr shared_text(std::string_view bytes) {
  return std::make_shared<const Text>(bytes, Origin::source);
}

std::string shown(const Token& token) {
  switch (token.kind) {
    case Token::Kind::end:
      return "the end of the template";
    case Token::Kind::print_end:
      return "}}";
    case Token::Kind::tag_end:
      return "%}";
    case Token::Kind::print_begin:
      return "{{";
    case Token::Kind::tag_begin:
      return "{%";
    case Token::Kind::data:
      return "text";
    default:
      return "'" + shown_name(token.text) + "'";
  }
}

/// Counts how deep the parser is, for as long as it lives.
class Nested {
 public:
  explicit Nested(int& count) : count_(count) { ++count_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
  ~Nested() { --count_; }

 private:
  int& count_;
};

}  // namespace

bool ExpressionParser::skip_sign(std::string_view text) {
  if (!is_sign(text)) return false;
  take();
  return true;
}

bool ExpressionParser::skip_name(std::string_view text) {
  if (!is_name(text)) return false;
  take();
  return true;
}

Error ExpressionParser::unexpected(std::string_view wanted) const {
  return template_error(here().place,
                        "expected " + std::string(wanted) + ", found " + shown(here()));
}

Status ExpressionParser::expect_sign(std::string_view text) {
  if (skip_sign(text)) return ok_status();
  return unexpected("'" + std::string(text) + "'");
}

Status ExpressionParser::expect_name(std::string_view text) {
  if (skip_name(text)) return ok_status();
  return unexpected("'" + std::string(text) + "'");
}

Status ExpressionParser::expect(Token::Kind kind, std::string_view what) {
  if (here().kind != kind) return unexpected(what);
  take();
  return ok_status();
}

Result<std::string> ExpressionParser::expect_any_name(std::string_view what) {
  if (here().kind != Token::Kind::name) return unexpected(what);
  return take().text;
}

ExpressionPtr ExpressionParser::made(Expression::Kind kind, Place place) const {
  auto out = std::make_unique<Expression>();
  out->kind = kind;
  out->place = place;
  return out;
}

Result<ExpressionPtr> ExpressionParser::done(ExpressionPtr one) const {
  for (const auto& part : one->parts)
    if (part != nullptr) one->height = std::max(one->height, part->height + 1);
  if (one->height > most_levels)
    return template_error(one->place, "expressions are nested too deep (at most 64 levels)");
  return one;
}

Result<ExpressionPtr> ExpressionParser::literal(Value value) {
  ExpressionPtr out = made(Expression::Kind::literal, here().place);
  out->value = std::move(value);
  return out;
}

Result<ExpressionPtr> ExpressionParser::expression(bool with_choice) {
  const Nested level(nested_);
  if (nested_ > most_levels)
    return template_error(here().place, "expressions are nested too deep (at most 64 levels)");
  return with_choice ? choice() : any_of();
}

Result<ExpressionPtr> ExpressionParser::choice() {
  CAIRN_TRY(ExpressionPtr out, any_of());
  while (is_name("if")) {
    ExpressionPtr one = made(Expression::Kind::choice, take().place);
    CAIRN_TRY(ExpressionPtr condition, any_of());
    ExpressionPtr otherwise;
    if (skip_name("else")) {
      CAIRN_TRY(otherwise, expression());
    }
    one->parts.push_back(std::move(condition));
    one->parts.push_back(std::move(out));
    one->parts.push_back(std::move(otherwise));
    CAIRN_TRY(out, done(std::move(one)));
  }
  return out;
}

Result<ExpressionPtr> ExpressionParser::words(std::string_view word, Expression::Kind kind,
                                              Rule inner) {
  CAIRN_TRY(ExpressionPtr first, (this->*inner)());
  if (!is_name(word)) return first;
  ExpressionPtr out = made(kind, here().place);
  out->parts.push_back(std::move(first));
  while (skip_name(word)) {
    CAIRN_TRY(ExpressionPtr next, (this->*inner)());
    out->parts.push_back(std::move(next));
  }
  return done(std::move(out));
}

Result<ExpressionPtr> ExpressionParser::any_of() {
  return words("or", Expression::Kind::any_of, &ExpressionParser::all_of);
}

Result<ExpressionPtr> ExpressionParser::all_of() {
  return words("and", Expression::Kind::all_of, &ExpressionParser::inverse);
}

Result<ExpressionPtr> ExpressionParser::inverse() {
  if (!is_name("not")) return compare();
  const Nested level(nested_);
  if (nested_ > most_levels)
    return template_error(here().place, "expressions are nested too deep (at most 64 levels)");
  ExpressionPtr out = made(Expression::Kind::inverse, take().place);
  CAIRN_TRY(ExpressionPtr inner, inverse());
  out->parts.push_back(std::move(inner));
  return done(std::move(out));
}

Result<ExpressionPtr> ExpressionParser::compare() {
  CAIRN_TRY(ExpressionPtr first, sum());
  ExpressionPtr out = made(Expression::Kind::compare, here().place);
  out->parts.push_back(std::move(first));
  while (true) {
    static constexpr std::string_view signs[] = {"==", "!=", "<", "<=", ">", ">="};
    std::string operation;
    if (here().kind == Token::Kind::sign &&
        std::find(std::begin(signs), std::end(signs), here().text) != std::end(signs)) {
      operation = take().text;
    } else if (skip_name("in")) {
      operation = "in";
    } else if (is_name("not") && ahead().kind == Token::Kind::name && ahead().text == "in") {
      take();
      take();
      operation = "not in";
    } else {
      break;
    }
    CAIRN_TRY(ExpressionPtr next, sum());
    out->names.push_back(std::move(operation));
    out->parts.push_back(std::move(next));
  }
  if (out->names.empty()) return std::move(out->parts.front());
  return done(std::move(out));
}

Result<ExpressionPtr> ExpressionParser::chain(std::initializer_list<std::string_view> signs,
                                              Rule inner) {
  CAIRN_TRY(ExpressionPtr first, (this->*inner)());
  ExpressionPtr out = made(Expression::Kind::chain, here().place);
  out->parts.push_back(std::move(first));
  while (here().kind == Token::Kind::sign &&
         std::find(signs.begin(), signs.end(), here().text) != signs.end()) {
    out->names.push_back(take().text);
    CAIRN_TRY(ExpressionPtr next, (this->*inner)());
    out->parts.push_back(std::move(next));
  }
  if (out->names.empty()) return std::move(out->parts.front());
  return done(std::move(out));
}

Result<ExpressionPtr> ExpressionParser::sum() { return chain({"+", "-"}, &ExpressionParser::join); }

Result<ExpressionPtr> ExpressionParser::join() {
  CAIRN_TRY(ExpressionPtr first, product());
  if (!is_sign("~")) return first;
  ExpressionPtr out = made(Expression::Kind::join, here().place);
  out->parts.push_back(std::move(first));
  while (skip_sign("~")) {
    CAIRN_TRY(ExpressionPtr next, product());
    out->parts.push_back(std::move(next));
  }
  return done(std::move(out));
}

Result<ExpressionPtr> ExpressionParser::product() {
  return chain({"*", "/", "//", "%"}, &ExpressionParser::power);
}

Result<ExpressionPtr> ExpressionParser::power() {
  return chain({"**"}, &ExpressionParser::unary_with_filter);
}

Result<ExpressionPtr> ExpressionParser::unary(bool with_filter) {
  ExpressionPtr out;
  if (is_sign("-") || is_sign("+")) {
    const Nested level(nested_);
    if (nested_ > most_levels)
      return template_error(here().place, "expressions are nested too deep (at most 64 levels)");
    const bool negative = is_sign("-");
    ExpressionPtr one =
        made(negative ? Expression::Kind::negative : Expression::Kind::positive, take().place);
    CAIRN_TRY(ExpressionPtr inner, unary(false));
    one->parts.push_back(std::move(inner));
    CAIRN_TRY(out, done(std::move(one)));
  } else {
    CAIRN_TRY(out, primary());
  }
  CAIRN_TRY(out, postfix(std::move(out)));
  if (with_filter) return filters(std::move(out));
  return out;
}

Result<ExpressionPtr> ExpressionParser::primary() {
  const Token token = here();
  switch (token.kind) {
    case Token::Kind::name: {
      take();
      if (token.text == "true" || token.text == "True") return literal(boolean_value(true));
      if (token.text == "false" || token.text == "False") return literal(boolean_value(false));
      if (token.text == "none" || token.text == "None") return literal(none_value());
      ExpressionPtr out = made(Expression::Kind::variable, token.place);
      out->text = shared_text(token.text);
      return out;
    }
    case Token::Kind::string: {
      std::string all = take().text;
      while (here().kind == Token::Kind::string) all += take().text;
      return literal(text_value(all, Origin::source));
    }
    case Token::Kind::integer:
      take();
      return literal(integer_value(token.integer));
    case Token::Kind::number:
      take();
      return literal(number_value(token.number));
    case Token::Kind::sign:
      if (token.text == "(") {
        take();
        CAIRN_TRY(ExpressionPtr inner, tuple(true, true));
        CAIRN_CHECK(expect_sign(")"));
        return inner;
      }
      if (token.text == "[") return list();
      if (token.text == "{") return dict();
      break;
    default:
      break;
  }
  return unexpected("a value");
}

Result<ExpressionPtr> ExpressionParser::tuple(bool with_choice, bool in_parentheses) {
  const Place begin = here().place;
  const auto ends = [&] {
    return here().kind == Token::Kind::print_end || here().kind == Token::Kind::tag_end ||
           is_sign(")") || is_name("recursive");
  };
  ExpressionPtr out = made(Expression::Kind::tuple, begin);
  bool is_tuple = false;
  while (!ends()) {
    CAIRN_TRY(ExpressionPtr one, expression(with_choice));
    out->parts.push_back(std::move(one));
    if (!skip_sign(",")) break;
    is_tuple = true;
  }
  if (!is_tuple) {
    if (!out->parts.empty()) return std::move(out->parts.front());
    if (!in_parentheses) return unexpected("a value");
  }
  return done(std::move(out));
}

Result<ExpressionPtr> ExpressionParser::list() {
  ExpressionPtr out = made(Expression::Kind::list, take().place);
  while (!is_sign("]")) {
    if (!out->parts.empty()) CAIRN_CHECK(expect_sign(","));
    if (is_sign("]")) break;
    CAIRN_TRY(ExpressionPtr one, expression());
    out->parts.push_back(std::move(one));
  }
  take();
  return done(std::move(out));
}

Result<ExpressionPtr> ExpressionParser::dict() {
  ExpressionPtr out = made(Expression::Kind::dict, take().place);
  while (!is_sign("}")) {
    if (!out->parts.empty()) CAIRN_CHECK(expect_sign(","));
    if (is_sign("}")) break;
    CAIRN_TRY(ExpressionPtr key, expression());
    CAIRN_CHECK(expect_sign(":"));
    CAIRN_TRY(ExpressionPtr value, expression());
    out->parts.push_back(std::move(key));
    out->parts.push_back(std::move(value));
  }
  take();
  return done(std::move(out));
}

Result<ExpressionPtr> ExpressionParser::postfix(ExpressionPtr inner) {
  while (true) {
    if (is_sign(".")) {
      CAIRN_TRY(inner, attribute(std::move(inner)));
    } else if (is_sign("[")) {
      CAIRN_TRY(inner, item(std::move(inner)));
    } else if (is_sign("(")) {
      ExpressionPtr call = made(Expression::Kind::call, here().place);
      call->parts.push_back(std::move(inner));
      CAIRN_CHECK(arguments(*call));
      CAIRN_TRY(inner, done(std::move(call)));
    } else {
      return inner;
    }
  }
}

Result<ExpressionPtr> ExpressionParser::attribute(ExpressionPtr inner) {
  const Place place = take().place;
  const Token name = here();
  if (name.kind == Token::Kind::name) {
    ExpressionPtr out = made(Expression::Kind::attribute, place);
    out->text = shared_text(take().text);
    out->parts.push_back(std::move(inner));
    return done(std::move(out));
  }
  if (name.kind != Token::Kind::integer) return unexpected("a name");
  ExpressionPtr out = made(Expression::Kind::item, place);
  CAIRN_TRY(ExpressionPtr key, literal(integer_value(take().integer)));
  out->parts.push_back(std::move(inner));
  out->parts.push_back(std::move(key));
  return done(std::move(out));
}

Result<ExpressionPtr> ExpressionParser::item(ExpressionPtr inner) {
  ExpressionPtr out = made(Expression::Kind::item, take().place);
  out->parts.push_back(std::move(inner));
  ExpressionPtr part;
  if (!is_sign(":")) {
    CAIRN_TRY(part, expression());
  }
  out->parts.push_back(std::move(part));
  if (is_sign(",")) return template_error(here().place, "an item has one key, not several");
  while (is_sign(":") && out->parts.size() < 4) {
    take();
    out->kind = Expression::Kind::slice;
    ExpressionPtr next;
    if (!is_sign(":") && !is_sign("]")) {
      CAIRN_TRY(next, expression());
    }
    out->parts.push_back(std::move(next));
  }
  CAIRN_CHECK(expect_sign("]"));
  if (out->kind == Expression::Kind::slice) out->parts.resize(4);
  return done(std::move(out));
}

Status ExpressionParser::arguments(Expression& call) {
  CAIRN_CHECK(expect_sign("("));
  bool first = true;
  while (!is_sign(")")) {
    if (!first) {
      CAIRN_CHECK(expect_sign(","));
      if (is_sign(")")) break;
    }
    first = false;
    if (is_sign("*") || is_sign("**"))
      return template_error(here().place, "calls with * or ** are not offered");
    const bool named = here().kind == Token::Kind::name && ahead().kind == Token::Kind::sign &&
                       ahead().text == "=";
    if (named) {
      std::string name = take().text;
      take();
      if (std::find(call.names.begin(), call.names.end(), name) != call.names.end())
        return template_error(here().place,
                              "the argument '" + shown_name(name) + "' stands there twice");
      call.names.push_back(std::move(name));
    } else if (!call.names.empty()) {
      return template_error(here().place, "an argument without a name follows one with a name");
    }
    CAIRN_TRY(ExpressionPtr one, expression());
    call.parts.push_back(std::move(one));
    if (call.parts.size() > most_arguments + 1)
      return template_error(here().place, "a call has at most 255 arguments");
  }
  take();
  return ok_status();
}

Result<std::string> ExpressionParser::dotted_name(std::string_view what) {
  CAIRN_TRY(std::string out, expect_any_name(what));
  while (is_sign(".")) {
    take();
    CAIRN_TRY(const std::string more, expect_any_name("a name"));
    out += "." + more;
  }
  return out;
}

Result<ExpressionPtr> ExpressionParser::filters(ExpressionPtr inner) {
  while (true) {
    if (skip_sign("|")) {
      CAIRN_TRY(inner, filter(std::move(inner)));
    } else if (is_name("is")) {
      CAIRN_TRY(inner, test(std::move(inner)));
    } else if (is_sign("(")) {
      CAIRN_TRY(inner, postfix(std::move(inner)));
    } else {
      return inner;
    }
  }
}

Result<ExpressionPtr> ExpressionParser::filter(ExpressionPtr inner) {
  ExpressionPtr out = made(Expression::Kind::filter, here().place);
  CAIRN_TRY(const std::string name, dotted_name("the name of a filter"));
  if (!is_filter_name(name))
    return template_error(out->place, "there is no filter named '" + shown_name(name) + "'");
  out->text = shared_text(name);
  out->parts.push_back(std::move(inner));
  if (is_sign("(")) CAIRN_CHECK(arguments(*out));
  return done(std::move(out));
}

Result<ExpressionPtr> ExpressionParser::first_filter() {
  CAIRN_TRY(ExpressionPtr out, filter(nullptr));
  return filters(std::move(out));
}

Result<ExpressionPtr> ExpressionParser::test(ExpressionPtr inner) {
  take();
  ExpressionPtr out = made(Expression::Kind::test, here().place);
  out->is_negated = skip_name("not");
  CAIRN_TRY(const std::string name, dotted_name("the name of a test"));
  if (!is_test_name(name))
    return template_error(out->place, "there is no test named '" + shown_name(name) + "'");
  out->text = shared_text(name);
  out->parts.push_back(std::move(inner));
  const Token& next = here();
  const bool value = next.kind == Token::Kind::string || next.kind == Token::Kind::integer ||
                     next.kind == Token::Kind::number || is_sign("[") || is_sign("{");
  const bool word =
      next.kind == Token::Kind::name && !is_name("else") && !is_name("or") && !is_name("and");
  if (is_sign("(")) {
    CAIRN_CHECK(arguments(*out));
  } else if (value || word) {
    if (is_name("is")) return template_error(here().place, "tests with is cannot be chained");
    CAIRN_TRY(ExpressionPtr argument, primary());
    CAIRN_TRY(argument, postfix(std::move(argument)));
    out->parts.push_back(std::move(argument));
  }
  return done(std::move(out));
}

Result<ExpressionPtr> ExpressionParser::target(bool with_attribute) {
  const Nested level(nested_);
  if (nested_ > most_levels)
    return template_error(here().place,
                          "names to assign to are nested too deep (at most 64 levels)");
  const Place begin = here().place;
  ExpressionPtr out = made(Expression::Kind::tuple, begin);
  bool is_tuple = false;
  while (true) {
    const Place place = here().place;
    if (skip_sign("(")) {
      CAIRN_TRY(ExpressionPtr inner, target(false));
      CAIRN_CHECK(expect_sign(")"));
      out->parts.push_back(std::move(inner));
    } else {
      CAIRN_TRY(const std::string name, expect_any_name("a name to assign to"));
      static constexpr std::string_view reserved[] = {"true", "True", "false", "False", "none",
                                                      "None", "in",   "if",    "else",  "and",
                                                      "or",   "not",  "is"};
      if (std::find(std::begin(reserved), std::end(reserved), name) != std::end(reserved))
        return template_error(place, "cannot assign to '" + name + "'");
      ExpressionPtr one = made(Expression::Kind::variable, place);
      one->text = shared_text(name);
      if (with_attribute && out->parts.empty() && skip_sign(".")) {
        CAIRN_TRY(const std::string member, expect_any_name("a name"));
        ExpressionPtr outer = made(Expression::Kind::attribute, place);
        outer->text = shared_text(member);
        outer->parts.push_back(std::move(one));
        return done(std::move(outer));
      }
      out->parts.push_back(std::move(one));
    }
    if (!skip_sign(",")) break;
    is_tuple = true;
    if (is_name("in") || is_sign("=")) break;
  }
  if (!is_tuple && out->parts.size() == 1) return std::move(out->parts.front());
  return done(std::move(out));
}

}  // namespace cairn::inference::templates
