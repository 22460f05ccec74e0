// SPDX-License-Identifier: Apache-2.0
// Expressions.
#include <algorithm>
#include <array>

#include "script/parser.h"

namespace cairn::script {
namespace {

struct Binding {
  std::string_view mark;
  int binding;  // the more the tighter
};

constexpr std::array<Binding, 20> bindings = {{{"||", 1},  {"&&", 2}, {"|", 3},   {"^", 4},
                                                 {"&", 5},   {"==", 6}, {"!=", 6},  {"<", 7},
                                                 {"<=", 7},  {">", 7},  {">=", 7},  {"<<", 8},
                                                 {">>", 8},  {">>>", 8}, {"+", 9},  {"-", 9},
                                                 {"*", 10},  {"/", 10}, {"%", 10},  {"instanceof", 7}}};
constexpr std::array<std::string_view, 12> assignments = {"=",  "+=", "-=", "*=",  "/=",  "%=",
                                                          "&=", "|=", "^=", "<<=", ">>=", ">>>="};
/// Marks of the language that are understood, and not offered.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> not_offered = {
    {{"->", "lambdas are"},
     {"::", "references to methods are"},
     {"=~", "regular expressions are"},
     {"==~", "regular expressions are"},
     {"===", "comparing identities with [===] is"},
     {"!==", "comparing identities with [!==] is"}}};

bool can_be_assigned(const Node& node) {
  return node.kind == NodeKind::name || node.kind == NodeKind::index ||
         (node.kind == NodeKind::member && !node.flag);
}

}  // namespace

Node* Parser::expression() {
  if (depth_ >= limits_.depth)
    return fail(token(), "a script has at most [" + std::to_string(limits_.depth) +
                             "] statements and expressions in one another");
  ++depth_;
  Node* out = ternary();
  if (out != nullptr) out = assignment(out);
  for (const auto& [mark, what] : not_offered)
    if (out != nullptr && is(mark))
      out = fail(token(), std::string(what) + " not offered in scripts here");
  --depth_;
  return out;
}

Node* Parser::assignment(Node* target) {
  const auto found = std::find_if(assignments.begin(), assignments.end(),
                                  [&](std::string_view mark) { return is(mark); });
  if (found == assignments.end()) return target;
  if (!can_be_assigned(*target)) return fail(token(), "only variables, members and elements can be assigned to");
  Node* out = make(NodeKind::assign, token());
  out->text = found->substr(0, std::max<std::size_t>(1, found->size() - 1));
  ++at_;
  out = with(out, target);
  return with(out, expression());
}

Node* Parser::ternary() {
  Node* first = binary(1);
  if (first == nullptr || (!is("?") && !is("?:"))) return first;
  const bool elvis = is("?:");
  Node* out = make(elvis ? NodeKind::elvis : NodeKind::ternary, token());
  ++at_;
  out = with(out, first);
  if (!elvis && (with(out, expression()) == nullptr || !expect(":"))) return nullptr;
  return with(out, expression());
}

// Operators of one binding from the left on.
Node* Parser::binary(int least) {
  Node* left = unary();
  while (left != nullptr) {
    const auto found = std::find_if(bindings.begin(), bindings.end(),
                                    [&](const Binding& one) { return is(one.mark); });
    if (found == bindings.end() || found->binding < least) return left;
    const bool logic = found->binding <= 2;
    const bool type_test = found->mark == "instanceof";
    Node* out = make(type_test ? NodeKind::instance_of : logic ? NodeKind::logic : NodeKind::binary, token());
    out->text = found->mark;
    ++at_;
    out = with(out, left);
    out->depth = left->depth;  // a chain is worked off from the left on
    if (type_test) {
      if (!is_name()) return unexpected();
      out->text = token().word;
      ++at_;
    } else {
      out = with(out, binary(found->binding + 1));
    }
    left = out;
  }
  return nullptr;
}

Node* Parser::unary() {
  const Token& at = token();
  if (is("-") && token(1).kind == Token::Kind::number) {
    ++at_;
    Node* out = number(true);
    return out == nullptr ? nullptr : postfix_of(out);
  }
  if (!is("!") && !is("-") && !is("+") && !is("~") && !is("++") && !is("--")) return cast();
  if (depth_ >= limits_.depth)
    return fail(at, "a script has at most [" + std::to_string(limits_.depth) +
                        "] statements and expressions in one another");
  ++depth_;
  ++at_;
  Node* operand = unary();
  --depth_;
  if (operand == nullptr) return nullptr;
  const bool step = at.word.size() == 2;
  if (step && !can_be_assigned(*operand)) return fail(at, "only variables, members and elements can be assigned to");
  Node* out = make(step ? NodeKind::step : NodeKind::unary, at);
  out->text = at.word.substr(0, 1);
  out->flag = true;
  return with(out, operand);
}

Node* Parser::cast() {
  if (!is("(") || !is_name(1) || !is(")", 2)) return postfix();
  const auto type = type_named(token(1).word);
  if (!type || type == Type::void_) return postfix();
  if (depth_ >= limits_.depth) return unexpected();
  Node* out = make(NodeKind::cast, token());
  out->type = *type;
  at_ += 3;
  ++depth_;
  out = with(out, unary());
  --depth_;
  return out;
}

Node* Parser::postfix() {
  Node* out = primary();
  return out == nullptr ? nullptr : postfix_of(out);
}

Node* Parser::postfix_of(Node* object) {
  Node* out = object;
  while (out != nullptr) {
    const Token& at = token();
    if (out->depth > limits_.depth)
      return fail(at, "a script has at most [" + std::to_string(limits_.depth) +
                          "] members and calls one behind another");
    if (is(".") || is("?.")) {
      const bool safe = is("?.");
      ++at_;
      if (!is_name() && token().kind != Token::Kind::number) return unexpected();
      const Token& name = token();
      ++at_;
      Node* next = make(is("(") ? NodeKind::call : NodeKind::member, name);
      next->text = name.word;
      next->flag = safe;
      out = with(next, out);
      if (next->kind == NodeKind::call && !arguments(next)) return nullptr;
    } else if (take("[")) {
      Node* next = make(NodeKind::index, at);
      out = with(with(next, out), expression());
      if (out == nullptr || !expect("]")) return nullptr;
    } else if (is("++") || is("--")) {
      if (!can_be_assigned(*out)) return fail(at, "only variables, members and elements can be assigned to");
      Node* next = make(NodeKind::step, at);
      next->text = at.word.substr(0, 1);
      ++at_;
      return with(next, out);
    } else {
      return out;
    }
  }
  return nullptr;
}

bool Parser::arguments(Node* call) {
  if (!expect("(")) return false;
  if (take(")")) return true;
  do {
    if (with(call, expression()) == nullptr) return false;
  } while (take(","));
  return expect(")");
}

Node* Parser::number(bool negative) {
  const Token& at = token();
  ++at_;
  if (at.is_least && !negative)
    return fail(at, "Invalid " + std::string(name_of(at.number.type)) + " constant [" +
                        std::string(at.word) + "]." +
                        (at.number.type == Type::int_
                             ? " If you want a long constant then change it to [" +
                                   std::string(at.word) + "L]."
                             : std::string()));
  Node* out = make(NodeKind::literal, at);
  out->value = at.number;
  if (!negative) return out;
  Value& v = out->value;
  if (is_whole(v.type)) {
    v.whole = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(v.whole));
    if (v.type == Type::int_) v.whole = static_cast<std::int32_t>(v.whole);
  } else {
    v.real = -v.real;
  }
  return out;
}

Node* Parser::primary() {
  const Token& at = token();
  if (at.kind == Token::Kind::number) return number(false);
  if (at.kind == Token::Kind::text) {
    ++at_;
    Node* out = make(NodeKind::literal, at);
    out->value.type = Type::string;
    out->said = at.text;
    return out;
  }
  if (is("(")) return bracketed();
  if (is("[")) return list_or_map();
  if (is("/")) return fail(at, "regular expressions are not offered in scripts here");
  if (is("new")) return create();
  if (at.kind != Token::Kind::name) return unexpected();
  if (is("this") || is("try") || is("throw")) return refused();
  ++at_;
  if (at.word == "true" || at.word == "false" || at.word == "null") {
    Node* out = make(NodeKind::literal, at);
    if (at.word != "null") out->value = Value::of(at.word == "true");
    return out;
  }
  Node* out = make(is("(") ? NodeKind::function : NodeKind::name, at);
  out->text = at.word;
  if (out->kind == NodeKind::function && !arguments(out)) return nullptr;
  return out;
}

Node* Parser::bracketed() {
  ++at_;
  Node* out = expression();
  if (out == nullptr || !expect(")")) return nullptr;
  return out;
}

// [a, b], [k: v], [] and [:].
Node* Parser::list_or_map() {
  Node* out = make(NodeKind::list, token());
  ++at_;
  if (take("]")) return out;
  if (is(":") && is("]", 1)) {
    at_ += 2;
    out->kind = NodeKind::map;
    return out;
  }
  do {
    if (with(out, expression()) == nullptr) return nullptr;
    if (out->kids.size() == 1 && is(":")) out->kind = NodeKind::map;
    if (out->kind == NodeKind::map && (!expect(":") || with(out, expression()) == nullptr))
      return nullptr;
  } while (take(","));
  return expect("]") ? out : nullptr;
}

Node* Parser::create() {
  Node* out = make(NodeKind::create, token());
  ++at_;
  if (!is_name()) return unexpected();
  const auto type = type_named(token().word);
  out->text = token().word;
  if (is("[", 1)) return fail(token(), "arrays are not offered in scripts here: use [List]");
  if ((type != Type::list && type != Type::map) || token().word == "List" || token().word == "Map")
    return fail(token(), "cannot make [" + std::string(out->text) +
                             "]: there are [new ArrayList] and [new HashMap]");
  out->type = *type;
  ++at_;
  return arguments(out) ? out : nullptr;
}

}  // namespace cairn::script
