// SPDX-License-Identifier: Apache-2.0
// Expressions.
#include <algorithm>
#include <array>

#include "script/arithmetic.h"
#include "script/compiler.h"
#include "script/methods.h"
#include "script/parser.h"

namespace cairn::script {
namespace {

/// The operations of an operator: of whole numbers, of real ones, of values of any type.
struct Operator {
  std::string_view mark;
  Code whole, real, any;
};

constexpr std::array<Operator, 8> arithmetic_operators = {
    {{"+", Code::add_l, Code::add_d, Code::add},
     {"-", Code::sub_l, Code::sub_d, Code::sub},
     {"*", Code::mul_l, Code::mul_d, Code::mul},
     {"/", Code::div_l, Code::div_d, Code::div},
     {"%", Code::rem_l, Code::rem_d, Code::rem},
     {"&", Code::and_l, Code::and_l, Code::and_},
     {"|", Code::or_l, Code::or_l, Code::or_},
     {"^", Code::xor_l, Code::xor_l, Code::xor_}}};
constexpr std::array<Operator, 3> shift_operators = {
    {{"<<", Code::shl_i, Code::shl_l, Code::shl},
     {">>", Code::shr_i, Code::shr_l, Code::shr},
     {">>>", Code::ushr_i, Code::ushr_l, Code::ushr}}};
constexpr std::array<Operator, 6> comparisons = {{{"==", Code::eq_l, Code::eq_d, Code::eq},
                                                  {"!=", Code::ne_l, Code::ne_d, Code::ne},
                                                  {"<", Code::lt_l, Code::lt_d, Code::lt},
                                                  {"<=", Code::le_l, Code::le_d, Code::le},
                                                  {">", Code::gt_l, Code::gt_d, Code::gt},
                                                  {">=", Code::ge_l, Code::ge_d, Code::ge}}};

template <std::size_t count>
const Operator* found(const std::array<Operator, count>& all, std::string_view mark) {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Operator& one) { return one.mark == mark; });
  return at == all.end() ? nullptr : &*at;
}

bool is_dynamic(const Operand& operand) { return operand.type == Type::def || operand.loose; }

std::string types_of(const Operand& left, const Operand& right) {
  return "[" + std::string(name_of(left.type)) + "] and [" + std::string(name_of(right.type)) + "]";
}

}  // namespace

Compiler::Maybe Compiler::expression(const Node& node) {
  if (failed_) return std::nullopt;
  switch (node.kind) {
    case NodeKind::literal:
      return literal(node);
    case NodeKind::name:
      return name(node);
    case NodeKind::unary:
      return unary(node);
    case NodeKind::binary:
    case NodeKind::logic:
    case NodeKind::instance_of:
      return binary(node);
    case NodeKind::ternary:
      return ternary(node);
    case NodeKind::elvis:
      return elvis(node);
    case NodeKind::assign:
      return assign(node);
    case NodeKind::step:
      return step(node);
    case NodeKind::member:
      return member(node);
    case NodeKind::index:
      return index(node);
    case NodeKind::call:
      return call(node);
    case NodeKind::function:
      return function(node);
    case NodeKind::list:
      return list(node);
    case NodeKind::map:
      return map(node);
    case NodeKind::create: {
      if (!node.kids.empty() && node.type == Type::map)
        return fail(node, "[new HashMap] takes no arguments here: use [putAll]");
      const Operand made{.at = fresh(), .type = node.type};
      emit(node, node.type == Type::list ? Code::new_list : Code::new_map, made.at);
      if (node.kids.empty()) return made;
      if (node.kids.size() > 1) return fail(node, "[new ArrayList] takes a list or nothing");
      const auto from = expression(*node.kids.front());
      if (!from) return from;
      emit(node, Code::to_list, made.at, from->at, 1);
      return made;
    }
    case NodeKind::cast: {
      const auto from = expression(*node.kids.front());
      return from ? convert(node, *from, node.type, true) : from;
    }
    default:
      return fail(node, "not a value");
  }
}

Operand Compiler::moved(const Node& at, const Operand& operand, std::int16_t to) {
  if (operand.at != to) emit(at, Code::move, to, operand.at);
  Operand out = operand;
  out.at = to;
  return out;
}

// A variable is read when its value is taken, also where what follows changes it.
Operand Compiler::kept(const Node& at, const Operand& operand, const Node& later) {
  if (!later.assigns || operand.at < 0) return operand;
  return moved(at, operand, fresh());
}

Compiler::Maybe Compiler::literal(const Node& node) {
  if (node.value.type != Type::string) return constant_operand(node.value, false);
  Value text = heap_.text(node.said);
  text.object->fixed = true;
  return constant_operand(text, false);
}

Compiler::Maybe Compiler::name(const Node& node) {
  if (const Variable* variable = find(node.text)) return variable->where;
  if (node.text == "params") {
    if (fields_ == nullptr) return constant_operand({}, true);
    return constant_operand(params_, false);
  }
  if (node.text == "_score") {
    if (!sees_score(use_)) return fail(node, "cannot resolve symbol [_score]: there are no scores here");
    out_.uses_score = true;
    return Operand{.at = 0, .type = Type::double_};
  }
  if (node.text == "doc")
    return fail(node, "[doc] is asked for one field: doc['name'], or doc.containsKey('name')");
  if (is_class(node.text)) return fail(node, "the class [" + std::string(node.text) + "] is no value");
  if (node.text == "ctx" || node.text == "_source" || node.text == "_fields" || node.text == "state")
    return fail(node, "cannot resolve symbol [" + std::string(node.text) +
                          "]: scripts see [doc], [params] and [_score] here");
  return fail(node, "cannot resolve symbol [" + std::string(node.text) + "]");
}

Compiler::Maybe Compiler::convert(const Node& node, const Operand& from, Type to, bool is_cast) {
  Operand out = from;
  if (to == Type::def) return out;
  const bool widens = is_number(from.type) && is_number(to) && from.type < to;
  if (from.type == to) {
    out.loose = false;
    return out;
  }
  if (widens || (is_cast && is_number(from.type) && is_number(to))) {
    if (const Value* known = constant_of(from)) return constant_operand(cast_number(*known, to), false);
    out = {.at = fresh(), .type = to};
    const bool to_double = to == Type::double_ && is_whole(from.type);
    emit(node, to_double ? Code::to_double : Code::convert, out.at, from.at,
         static_cast<std::int16_t>(to));
    return out;
  }
  const Value* known = constant_of(from);
  const bool is_null = known != nullptr && known->is_null() && !from.loose;
  if (is_null && is_primitive(to))
    return fail(node, "Cannot cast null to a primitive type [" + std::string(name_of(to)) + "].");
  if (!is_dynamic(from))
    return fail(node,
                "Cannot cast from [" + std::string(name_of(from.type)) + "] to [" +
                    std::string(name_of(to)) + "].",
                "class_cast_exception");
  out = {.at = fresh(), .type = to};
  emit(node, is_cast ? Code::convert : Code::require, out.at, from.at, static_cast<std::int16_t>(to));
  return out;
}

Operand Compiler::typed(const Node& node, Code code, const Operand& left, const Operand& right,
                        Type type) {
  const Operand out{.at = fresh(), .type = type, .loose = left.loose || right.loose};
  emit(node, code, out.at, left.at, right.at);
  if (type == Type::int_) emit(node, Code::wrap_int, out.at);
  if (type == Type::float_) emit(node, Code::round_float, out.at);
  return out;
}

Compiler::Maybe Compiler::unary(const Node& node) {
  const std::int16_t mark = top_;
  auto operand = expression(*node.kids.front());
  if (!operand) return operand;
  if (node.text == "!") {
    operand = convert(node, *operand, Type::boolean);
    if (!operand) return operand;
    top_ = mark;
    const Operand out{.at = fresh(), .type = Type::boolean};
    emit(node, Code::not_, out.at, operand->at);
    return out;
  }
  const bool complement = node.text == "~";
  const bool fits = complement ? is_whole(operand->type) : is_number(operand->type);
  if (!fits && !is_dynamic(*operand))
    return fail(node, "Cannot apply [" + std::string(node.text) + "] operation to type [" +
                          std::string(name_of(operand->type)) + "].",
                "class_cast_exception");
  top_ = mark;
  if (!fits) {
    const Operand out{.at = fresh(), .type = Type::def};
    emit(node, complement ? Code::complement : node.text == "-" ? Code::negate : Code::plus, out.at,
         operand->at);
    return out;
  }
  if (node.text == "+") return operand;
  const Code code = complement ? Code::bit_not : is_whole(operand->type) ? Code::neg_l : Code::neg_d;
  return typed(node, code, *operand, *operand, operand->type);
}

Compiler::Maybe Compiler::instance_of(const Node& node, const Operand& operand) {
  static constexpr std::array<std::pair<std::string_view, Type>, 6> boxes = {
      {{"Integer", Type::int_},
       {"Long", Type::long_},
       {"Float", Type::float_},
       {"Double", Type::double_},
       {"Boolean", Type::boolean},
       {"Number", Type::void_}}};
  const auto box = std::find_if(boxes.begin(), boxes.end(),
                                [&](const auto& one) { return one.first == node.text; });
  const auto wanted = box != boxes.end() ? std::optional(box->second) : type_named(node.text);
  if (!wanted || (box == boxes.end() && (is_primitive(*wanted) || *wanted == Type::void_)))
    return fail(node, "cannot resolve type [" + std::string(node.text) + "]");
  const Operand out{.at = fresh(), .type = Type::boolean};
  emit(node, Code::is_a, out.at, operand.at, static_cast<std::int16_t>(*wanted));
  return out;
}

Compiler::Maybe Compiler::logic(const Node& node, const Operand& left) {
  const auto first = convert(node, left, Type::boolean);
  if (!first) return first;
  const Operand out = moved(node, *first, fresh());
  const std::size_t jump =
      emit(node, node.text == "&&" ? Code::jump_unless : Code::jump_if, 0, out.at);
  auto second = expression(*node.kids[1]);
  if (second) second = convert(node, *second, Type::boolean);
  if (!second) return second;
  moved(node, *second, out.at);
  land(jump);
  top_ = static_cast<std::int16_t>(out.at + 1);
  return Operand{.at = out.at, .type = Type::boolean};
}

// A chain of operators leans to the left: it is worked off without going down into it.
Compiler::Maybe Compiler::binary(const Node& node) {
  std::vector<const Node*> chain;
  const Node* first = &node;
  const auto is_link = [](const Node& one) {
    return one.kind == NodeKind::binary || one.kind == NodeKind::logic ||
           one.kind == NodeKind::instance_of;
  };
  for (; is_link(*first); first = first->kids.front()) chain.push_back(first);
  const std::int16_t mark = top_;
  Maybe left = expression(*first);
  for (auto link = chain.rbegin(); link != chain.rend() && left; ++link) {
    const Node& one = **link;
    if (one.kind == NodeKind::instance_of) {
      left = instance_of(one, *left);
      continue;
    }
    if (one.kind == NodeKind::logic) {
      left = logic(one, *left);
      continue;
    }
    left = kept(one, *left, *one.kids[1]);
    const auto right = expression(*one.kids[1]);
    if (!right) return right;
    left = arithmetic(one, *left, *right, one.text);
    // What was at hand is read before the result is written: its place is free again.
    if (left && !failed_ && left->at > mark) {
      const std::int16_t from = left->at;
      for (auto op = out_.ops.rbegin(); op != out_.ops.rend() && op->a == from; ++op) {
        op->a = mark;
        if (op->code != Code::wrap_int && op->code != Code::round_float) break;
      }
      left->at = mark;
      top_ = static_cast<std::int16_t>(mark + 1);
    }
  }
  return left;
}

Compiler::Maybe Compiler::arithmetic(const Node& node, const Operand& left, const Operand& right,
                                     std::string_view mark) {
  if (found(comparisons, mark) != nullptr) return compare(node, left, right, mark);
  if (found(shift_operators, mark) != nullptr) return shift(node, left, right, mark);
  const Operator& op = *found(arithmetic_operators, mark);
  const bool bits = op.whole == op.real;
  const bool joins = mark == "+" && (left.type == Type::string || right.type == Type::string);
  const bool fits = is_number(left.type) && is_number(right.type) &&
                    (!bits || (is_whole(left.type) && is_whole(right.type)));
  const bool booleans = bits && left.type == Type::boolean && right.type == Type::boolean;
  if (!fits && !joins && !booleans && !is_dynamic(left) && !is_dynamic(right))
    return fail(node, "Cannot apply [" + std::string(mark) + "] operation to types " +
                          types_of(left, right) + ".",
                "class_cast_exception");
  if (!fits) {
    const Type type = joins ? Type::string : booleans ? Type::boolean : Type::def;
    const Operand out{.at = fresh(), .type = type};
    emit(node, op.any, out.at, left.at, right.at);
    return out;
  }
  const Type type = promoted(left.type, right.type);
  const auto a = convert(node, left, type), b = convert(node, right, type);
  if (!a || !b) return std::nullopt;
  Operand out = typed(node, is_whole(type) ? op.whole : op.real, *a, *b, type);
  out.loose = left.loose || right.loose;
  return out;
}

Compiler::Maybe Compiler::shift(const Node& node, const Operand& left, const Operand& right,
                                std::string_view mark) {
  const Operator& op = *found(shift_operators, mark);
  const bool fits = is_whole(left.type) && is_whole(right.type);
  if (!fits && !is_dynamic(left) && !is_dynamic(right))
    return fail(node, "Cannot apply [" + std::string(mark) + "] operation to types " +
                          types_of(left, right) + ".",
                "class_cast_exception");
  if (!fits) {
    const Operand out{.at = fresh(), .type = Type::def};
    emit(node, op.any, out.at, left.at, right.at);
    return out;
  }
  return typed(node, left.type == Type::int_ ? op.whole : op.real, left, right, left.type);
}

Compiler::Maybe Compiler::compare(const Node& node, const Operand& left, const Operand& right,
                                  std::string_view mark) {
  const Operator& op = *found(comparisons, mark);
  const bool equality = mark == "==" || mark == "!=";
  const bool numbers = is_number(left.type) && is_number(right.type);
  const bool can_be = is_dynamic(left) || is_dynamic(right) || numbers;
  // What is no number can be equal, but a primitive never equals an object.
  const bool alike = is_primitive(left.type) == is_primitive(right.type) &&
                     (left.type == Type::boolean) == (right.type == Type::boolean);
  if (!can_be && !(equality && alike))
    return fail(node, "Cannot apply [" + std::string(mark) + "] operation to types " +
                          types_of(left, right) + ".",
                "class_cast_exception");
  if (!numbers) {
    const Operand out{.at = fresh(), .type = Type::boolean};
    emit(node, op.any, out.at, left.at, right.at);
    return out;
  }
  const Type type = promoted(left.type, right.type);
  const auto a = convert(node, left, type), b = convert(node, right, type);
  if (!a || !b) return std::nullopt;
  const Operand out{.at = fresh(), .type = Type::boolean};
  emit(node, is_whole(type) ? op.whole : op.real, out.at, a->at, b->at);
  return out;
}

Compiler::Maybe Compiler::ternary(const Node& node) {
  std::size_t otherwise = 0;
  const std::int16_t to = fresh();
  if (!condition(*node.kids[0], otherwise)) return std::nullopt;
  const auto yes = expression(*node.kids[1]);
  if (!yes) return yes;
  const std::size_t first = emit(node, Code::move, to, yes->at);
  const std::size_t end = emit(node, Code::jump);
  land(otherwise);
  auto no = expression(*node.kids[2]);
  if (!no) return no;
  const bool numbers = is_number(yes->type) && is_number(no->type);
  const bool loose = yes->loose || no->loose;
  Operand out{.at = to, .type = yes->type == no->type ? yes->type : Type::def, .loose = loose};
  if (numbers && !loose) {
    out.type = promoted(yes->type, no->type);
    if (yes->type != out.type)
      out_.ops[first] = {.code = Code::convert, .a = to, .b = yes->at,
                         .c = static_cast<std::int16_t>(out.type)};
    no = convert(node, *no, out.type);
    if (!no) return no;
  }
  moved(node, *no, to);
  land(end);
  top_ = static_cast<std::int16_t>(to + 1);
  return out;
}

Compiler::Maybe Compiler::elvis(const Node& node) {
  const std::int16_t to = fresh();
  const auto value = expression(*node.kids[0]);
  if (!value) return value;
  if (is_primitive(value->type) && !value->loose)
    return fail(node, "Extraneous elvis operator. The LHS is a primitive.");
  moved(node, *value, to);
  const std::size_t jump = emit(node, Code::jump_value, 0, to);
  const auto other = expression(*node.kids[1]);
  if (!other) return other;
  moved(node, *other, to);
  land(jump);
  top_ = static_cast<std::int16_t>(to + 1);
  const bool same = value->type == other->type && !is_primitive(value->type);
  return Operand{.at = to, .type = same ? value->type : Type::def, .loose = same && value->loose};
}

Compiler::Maybe Compiler::list(const Node& node) {
  const Operand out{.at = fresh(), .type = Type::list};
  emit(node, Code::new_list, out.at);
  const std::int16_t mark = top_;
  for (const Node* kid : node.kids) {
    const auto element = expression(*kid);
    if (!element) return element;
    emit(*kid, Code::append, out.at, element->at);
    top_ = mark;
  }
  return out;
}

Compiler::Maybe Compiler::map(const Node& node) {
  const Operand out{.at = fresh(), .type = Type::map};
  emit(node, Code::new_map, out.at);
  const std::int16_t mark = top_;
  for (std::size_t i = 0; i + 1 < node.kids.size(); i += 2) {
    auto key = expression(*node.kids[i]);
    if (!key) return key;
    key = kept(node, *key, *node.kids[i + 1]);
    const auto value = expression(*node.kids[i + 1]);
    if (!value) return value;
    emit(*node.kids[i], Code::put, out.at, key->at, value->at);
    top_ = mark;
  }
  return out;
}

}  // namespace cairn::script
