// SPDX-License-Identifier: Apache-2.0
// Statements.
#include "script/parser.h"

#include <algorithm>
#include <array>

namespace cairn::script {

std::optional<Type> type_named(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, Type>, 15> names = {
      {{"def", Type::def},
       {"Object", Type::def},
       {"int", Type::int_},
       {"long", Type::long_},
       {"float", Type::float_},
       {"double", Type::double_},
       {"boolean", Type::boolean},
       {"String", Type::string},
       {"List", Type::list},
       {"ArrayList", Type::list},
       {"Map", Type::map},
       {"HashMap", Type::map},
       {"ZonedDateTime", Type::date},
       {"Instant", Type::instant},
       {"void", Type::void_}}};
  for (const auto& [name, type] : names)
    if (name == word) return type;
  return std::nullopt;
}

namespace {

/// Types of the language that are not offered, and what to take instead.
std::string_view instead_of(std::string_view word) {
  if (word == "Integer" || word == "Long" || word == "Float" || word == "Double" ||
      word == "Boolean" || word == "Number")
    return "use a type such as [int] or [double], or [def]";
  if (word == "byte" || word == "short" || word == "char") return "use [int]";
  if (word == "Set" || word == "HashSet" || word == "Collection" || word == "Iterator" ||
      word == "LinkedHashMap" || word == "TreeMap" || word == "StringBuilder")
    return "use [List], [Map] or [String]";
  return {};
}

}  // namespace

const Token& Parser::token(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool Parser::is(std::string_view mark, std::size_t ahead) const {
  const Token& t = token(ahead);
  return (t.kind == Token::Kind::mark || t.kind == Token::Kind::name) && t.word == mark;
}

bool Parser::take(std::string_view mark) {
  if (!is(mark)) return false;
  ++at_;
  return true;
}

bool Parser::expect(std::string_view mark) {
  if (take(mark)) return true;
  if (token().kind == Token::Kind::end)
    fail(token(), "unexpected end of script, expected [" + std::string(mark) + "].");
  else
    fail(token(), "unexpected token ['" + std::string(token().word) + "'], expected [" +
                      std::string(mark) + "].");
  return false;
}

std::nullptr_t Parser::fail(const Token& at, std::string reason) {
  if (!failed_) fault_ = {.reason = std::move(reason), .at = at.at};
  failed_ = true;
  return nullptr;
}

std::nullptr_t Parser::unexpected() {
  if (token().kind == Token::Kind::end) return fail(token(), "unexpected end of script.");
  return fail(token(), "unexpected token ['" + std::string(token().word) + "'].");
}

Node* Parser::make(NodeKind kind, const Token& at) {
  out_.nodes.push_back({.kind = kind, .at = at.at});
  Node& made = out_.nodes.back();
  made.assigns = kind == NodeKind::assign || kind == NodeKind::step;
  return &made;
}

Node* Parser::with(Node* parent, Node* kid) {
  if (parent == nullptr || kid == nullptr) return nullptr;
  parent->kids.push_back(kid);
  parent->assigns = parent->assigns || kid->assigns;
  parent->depth = std::max<std::uint16_t>(parent->depth, static_cast<std::uint16_t>(kid->depth + 1));
  return parent;
}

bool Parser::run() {
  out_.root = make(NodeKind::block, token());
  while (token().kind != Token::Kind::end) {
    if (take(";")) continue;
    if (with(out_.root, statement()) == nullptr) return false;
  }
  if (out_.root->kids.empty()) {
    fail(token(), "Cannot generate an empty script.");
    return false;
  }
  return true;
}

Node* Parser::statement() {
  if (depth_ >= limits_.depth)
    return fail(token(), "a script has at most [" + std::to_string(limits_.depth) +
                             "] statements and expressions in one another");
  ++depth_;
  Node* out = is("{") ? block() : statement_of_word();
  --depth_;
  return out;
}

Node* Parser::statement_of_word() {
  const Token& at = token();
  if (is("if")) return if_statement();
  if (is("while")) return while_statement();
  if (is("do")) return do_statement();
  if (is("for")) return for_statement();
  if (is("return")) {
    ++at_;
    Node* out = make(NodeKind::return_, at);
    if (!is(";") && !is("}") && token().kind != Token::Kind::end) out = with(out, expression());
    return out != nullptr && end_of_statement() ? out : nullptr;
  }
  if (is("break") || is("continue")) {
    ++at_;
    Node* out = make(at.word == "break" ? NodeKind::break_ : NodeKind::continue_, at);
    return end_of_statement() ? out : nullptr;
  }
  if (is("try") || is("throw") || is("catch") || is("import") || is("switch") || is("this"))
    return refused();
  Node* out = simple_statement();
  return out != nullptr && end_of_statement() ? out : nullptr;
}

Node* Parser::refused() {
  return fail(token(), "[" + std::string(token().word) + "] is not offered in scripts here");
}

// The last statement of a script, or of a block, may go without.
bool Parser::end_of_statement() {
  if (take(";") || is("}") || token().kind == Token::Kind::end) return true;
  return expect(";");
}

// A name before a name.
bool Parser::is_declaration() const {
  if (!is_name() || is("new")) return false;
  if (is_name(1)) return token(1).word != "instanceof";
  return is("[", 1) && is("]", 2);
}

Node* Parser::simple_statement() {
  if (is_declaration()) return declaration();
  const Token& at = token();
  Node* out = make(NodeKind::expression, at);
  return with(out, expression());
}

Node* Parser::declaration() {
  const Token& at = token();
  const auto type = type_named(at.word);
  if (is("[", 1))
    return fail(at, "arrays are not offered in scripts here: use [List]");
  if (!type || type == Type::void_) {
    const std::string_view instead = instead_of(at.word);
    if (is("(", 2) || type == Type::void_)
      return fail(at, "functions of its own are not offered in scripts here");
    return fail(at, instead.empty() ? "cannot resolve type [" + std::string(at.word) + "]"
                                    : "the type [" + std::string(at.word) +
                                          "] is not offered in scripts here: " +
                                          std::string(instead));
  }
  ++at_;
  if (is("(", 1)) return fail(at, "functions of its own are not offered in scripts here");
  Node* all = nullptr;
  do {
    if (!is_name()) return unexpected();
    Node* one = make(NodeKind::declare, token());
    one->type = *type;
    one->text = token().word;
    one->assigns = true;
    ++at_;
    if (take("=")) one = with(one, expression());
    if (one == nullptr) return nullptr;
    if (all == nullptr && !is(",")) return one;
    if (all == nullptr) {
      all = make(NodeKind::block, at);
      all->flag = true;  // its variables are of the block around it
    }
    with(all, one);
  } while (take(","));
  return all;
}

Node* Parser::block() {
  Node* out = make(NodeKind::block, token());
  ++at_;
  while (!is("}")) {
    if (token().kind == Token::Kind::end) {
      expect("}");
      return nullptr;
    }
    if (take(";")) continue;
    if (with(out, statement()) == nullptr) return nullptr;
  }
  ++at_;
  return out;
}

Node* Parser::block_or_statement() {
  Node* out = make(NodeKind::block, token());
  if (take(";")) return out;
  return with(out, statement());
}

Node* Parser::if_statement() {
  Node* out = make(NodeKind::if_, token());
  ++at_;
  if (!expect("(") || with(out, expression()) == nullptr || !expect(")")) return nullptr;
  if (with(out, block_or_statement()) == nullptr) return nullptr;
  if (take("else")) return with(out, block_or_statement());
  return out;
}

Node* Parser::while_statement() {
  Node* out = make(NodeKind::while_, token());
  ++at_;
  if (!expect("(") || with(out, expression()) == nullptr || !expect(")")) return nullptr;
  return with(out, block_or_statement());
}

Node* Parser::do_statement() {
  Node* out = make(NodeKind::do_, token());
  ++at_;
  if (with(out, block_or_statement()) == nullptr || !expect("while") || !expect("(") ||
      with(out, expression()) == nullptr || !expect(")"))
    return nullptr;
  return end_of_statement() ? out : nullptr;
}

Node* Parser::for_statement() {
  const Token& at = token();
  ++at_;
  if (!expect("(")) return nullptr;
  if ((is_name() && is_name(1) && is(":", 2)) || (is_name() && is("in", 1))) return for_each(at);
  Node* out = make(NodeKind::for_, at);
  const auto part = [&](std::string_view end, bool may_declare) {
    if (is(end)) {
      out->kids.push_back(nullptr);
      return true;
    }
    return with(out, may_declare ? simple_statement() : expression()) != nullptr;
  };
  if (!part(";", true) || !expect(";") || !part(";", false) || !expect(";") || !part(")", false) ||
      !expect(")"))
    return nullptr;
  return with(out, block_or_statement());
}

Node* Parser::for_each(const Token& at) {
  Node* out = make(NodeKind::for_each, at);
  out->assigns = true;
  if (is(":", 2)) {
    const auto type = type_named(token().word);
    if (!type || type == Type::void_) return declaration();
    out->type = *type;
    ++at_;
  }
  out->text = token().word;
  at_ += 2;
  if (with(out, expression()) == nullptr || !expect(")")) return nullptr;
  return with(out, block_or_statement());
}

}  // namespace cairn::script
