// SPDX-License-Identifier: Apache-2.0
// Tokens to statements.
#include <algorithm>
#include <initializer_list>

#include "inference/templates/parser.h"

namespace cairn::inference::templates {
namespace {

constexpr int most_blocks = 64;  // within each other

class StatementParser {
 public:
  explicit StatementParser(std::vector<Token> tokens) : in_(std::move(tokens)) {}

  Result<Syntax> run() {
    Syntax out;
    CAIRN_TRY(const std::string end, body(out.body, {}));
    if (!end.empty() || in_.here().kind != Token::Kind::end)
      return in_.unexpected("the end of the template");
    return out;
  }

 private:
  using Ends = std::initializer_list<std::string_view>;

  /// Reads statements until a tag that begins with one of `ends`, whose name it takes and gives.
  Result<std::string> body(std::vector<Statement>& out, Ends ends) {
    if (++nested_ > most_blocks)
      return template_error(in_.here().place, "blocks are nested too deep (at most 64 levels)");
    while (true) {
      const Token token = in_.here();
      if (token.kind == Token::Kind::end) {
        if (ends.size() > 0) return in_.unexpected("{% " + std::string(*(ends.end() - 1)) + " %}");
        break;
      }
      in_.take();
      if (token.kind == Token::Kind::data) {
        Statement& one = add(out, Statement::Kind::text, token.place);
        one.value = text_value(token.text, Origin::source);
      } else if (token.kind == Token::Kind::print_begin) {
        Statement& one = add(out, Statement::Kind::print, token.place);
        CAIRN_TRY(one.expression, in_.tuple());
        CAIRN_CHECK(in_.expect(Token::Kind::print_end, "}}"));
      } else {
        const Token name = in_.here();
        if (name.kind != Token::Kind::name) return in_.unexpected("the name of a statement");
        if (std::find(ends.begin(), ends.end(), name.text) != ends.end()) {
          in_.take();
          --nested_;
          return name.text;
        }
        CAIRN_CHECK(statement(out));
      }
    }
    --nested_;
    return std::string();
  }

  static Statement& add(std::vector<Statement>& out, Statement::Kind kind, Place place) {
    out.emplace_back();
    out.back().kind = kind;
    out.back().place = place;
    return out.back();
  }

  Status tag_end() { return in_.expect(Token::Kind::tag_end, "%}"); }

  Status end_with(Statement& one, std::string_view end) {
    CAIRN_TRY(const std::string found, body(one.body, {end}));
    return tag_end();
  }

  Status statement(std::vector<Statement>& out) {
    const Token name = in_.take();
    const std::string& word = name.text;
    if (word == "if") return choice(add(out, Statement::Kind::choice, name.place));
    if (word == "for") return loop(add(out, Statement::Kind::loop, name.place));
    if (word == "set") return assign(add(out, Statement::Kind::assign, name.place));
    if (word == "macro") return macro(add(out, Statement::Kind::macro, name.place));
    if (word == "call") return call(add(out, Statement::Kind::call, name.place));
    if (word == "with") return with(add(out, Statement::Kind::scope, name.place));
    if (word == "filter") {
      Statement& one = add(out, Statement::Kind::filtered, name.place);
      CAIRN_TRY(one.filter, in_.first_filter());
      CAIRN_CHECK(tag_end());
      return end_with(one, "endfilter");
    }
    if (word == "generation") {
      CAIRN_CHECK(tag_end());
      return end_with(add(out, Statement::Kind::scope, name.place), "endgeneration");
    }
    if (word == "break" || word == "continue") {
      if (loops_ == 0) return template_error(name.place, "'" + word + "' stands outside of a loop");
      add(out, word == "break" ? Statement::Kind::stop : Statement::Kind::next, name.place);
      return tag_end();
    }
    static constexpr std::string_view refused[] = {"include", "import", "from",  "extends",
                                                   "block",   "do",     "trans", "autoescape"};
    if (std::find(std::begin(refused), std::end(refused), word) != std::end(refused))
      return template_error(name.place, "the statement '" + word + "' is not offered");
    return template_error(name.place, "unknown statement '" + shown_name(word) + "'");
  }

  Status choice(Statement& one) {
    std::string end = "elif";
    while (end == "elif") {
      Branch branch;
      CAIRN_TRY(branch.condition, in_.tuple(false));
      CAIRN_CHECK(tag_end());
      CAIRN_TRY(end, body(branch.body, {"elif", "else", "endif"}));
      one.branches.push_back(std::move(branch));
    }
    if (end == "else") {
      CAIRN_CHECK(tag_end());
      CAIRN_TRY(end, body(one.body, {"endif"}));
    }
    return tag_end();
  }

  Status loop(Statement& one) {
    CAIRN_TRY(one.target, in_.target(false));
    CAIRN_CHECK(in_.expect_name("in"));
    CAIRN_TRY(one.expression, in_.tuple(false));
    if (in_.skip_name("if")) {
      CAIRN_TRY(one.filter, in_.expression());
    }
    if (in_.is_name("recursive"))
      return template_error(in_.here().place, "recursive loops are not offered");
    CAIRN_CHECK(tag_end());
    ++loops_;
    CAIRN_TRY(const std::string end, body(one.body, {"else", "endfor"}));
    --loops_;
    if (end == "else") {
      CAIRN_CHECK(tag_end());
      CAIRN_TRY(const std::string last, body(one.otherwise, {"endfor"}));
    }
    return tag_end();
  }

  Status assign(Statement& one) {
    CAIRN_TRY(one.target, in_.target(true));
    if (in_.skip_sign("=")) {
      CAIRN_TRY(one.expression, in_.tuple());
      return tag_end();
    }
    one.kind = Statement::Kind::capture;
    if (in_.is_sign("|")) {
      CAIRN_TRY(one.filter, in_.filters(nullptr));
    }
    CAIRN_CHECK(tag_end());
    return end_with(one, "endset");
  }

  /// `(a, b=1)`: names with their defaults.
  Status parameters(Statement& one) {
    CAIRN_CHECK(in_.expect_sign("("));
    while (!in_.is_sign(")")) {
      if (!one.names.empty()) CAIRN_CHECK(in_.expect_sign(","));
      if (in_.is_sign(")")) break;
      CAIRN_TRY(std::string name, in_.expect_any_name("the name of a parameter"));
      ExpressionPtr value;
      if (in_.skip_sign("=")) {
        CAIRN_TRY(value, in_.expression());
      } else if (!one.defaults.empty() && one.defaults.back() != nullptr) {
        return in_.unexpected("a default, as the parameter before has one,");
      }
      one.names.push_back(std::move(name));
      one.defaults.push_back(std::move(value));
    }
    in_.take();
    return ok_status();
  }

  /// The body of a macro is no part of the loops around it.
  Status body_of_macro(Statement& one, std::string_view end) {
    const int loops = loops_;
    loops_ = 0;
    CAIRN_CHECK(tag_end());
    CAIRN_CHECK(end_with(one, end));
    loops_ = loops;
    return ok_status();
  }

  Status macro(Statement& one) {
    CAIRN_TRY(const std::string name, in_.expect_any_name("the name of a macro"));
    one.text = std::make_shared<const Text>(name, Origin::source);
    CAIRN_CHECK(parameters(one));
    return body_of_macro(one, "endmacro");
  }

  Status call(Statement& one) {
    one.text = std::make_shared<const Text>("caller", Origin::source);
    if (in_.is_sign("(")) CAIRN_CHECK(parameters(one));
    CAIRN_TRY(one.expression, in_.expression());
    if (one.expression->kind != Expression::Kind::call)
      return template_error(one.place, "{% call %} needs a call of a macro");
    return body_of_macro(one, "endcall");
  }

  Status with(Statement& one) {
    while (in_.here().kind != Token::Kind::tag_end) {
      if (!one.names.empty()) CAIRN_CHECK(in_.expect_sign(","));
      CAIRN_TRY(std::string name, in_.expect_any_name("a name"));
      CAIRN_CHECK(in_.expect_sign("="));
      CAIRN_TRY(ExpressionPtr value, in_.expression());
      one.names.push_back(std::move(name));
      one.defaults.push_back(std::move(value));
    }
    CAIRN_CHECK(tag_end());
    return end_with(one, "endwith");
  }

  ExpressionParser in_;
  int nested_ = 0;
  int loops_ = 0;
};

}  // namespace

Result<Syntax> parse_template(std::string_view source) {
  CAIRN_TRY(std::vector<Token> tokens, read_tokens(source));
  StatementParser parser(std::move(tokens));
  return parser.run();
}

}  // namespace cairn::inference::templates
