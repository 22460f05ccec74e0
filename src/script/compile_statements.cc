// SPDX-License-Identifier: Apache-2.0
// Statements.
#include <algorithm>

#include "script/compiler.h"

namespace cairn::script {

bool Compiler::statement(const Node& node, bool is_last) {
  if (node.kind != NodeKind::block) out_.statements.push_back(node.at);
  const std::int16_t mark = top_;
  bool done = false;
  switch (node.kind) {
    case NodeKind::block:
      return block(node, is_last);
    case NodeKind::declare:
      return declare(node);
    case NodeKind::if_:
      done = branch(node, is_last);
      break;
    case NodeKind::while_:
      done = while_loop(node);
      break;
    case NodeKind::do_:
      done = do_loop(node);
      break;
    case NodeKind::for_:
      done = for_loop(node);
      break;
    case NodeKind::for_each:
      done = for_each(node);
      break;
    case NodeKind::break_:
    case NodeKind::continue_:
      done = leave_loop(node);
      break;
    case NodeKind::return_:
      done = give(node, node.kids.empty() ? nullptr : node.kids.front());
      break;
    default: {
      // What the last expression comes to is what the script gives back.
      const Node& value = *node.kids.front();
      done = is_last ? give(node, &value) : expression(value).has_value();
    }
  }
  top_ = mark;
  return done && !failed_;
}

bool Compiler::block(const Node& node, bool is_last) {
  const std::int16_t mark = top_;
  const bool own_scope = !node.flag;
  if (own_scope) scopes_.push_back(variables_.size());
  for (const Node* kid : node.kids)
    if (!statement(*kid, is_last && kid == node.kids.back())) return false;
  if (!own_scope) return true;
  variables_.resize(scopes_.back());
  scopes_.pop_back();
  top_ = mark;
  return true;
}

bool Compiler::define(const Node& node, std::string_view name, Type type, std::int16_t at) {
  if (find(name) != nullptr || name == "params" || name == "doc" || name == "_score") {
    fail(node, "variable [" + std::string(name) + "] is already defined");
    return false;
  }
  variables_.push_back({.name = name, .where = {.at = at, .type = type}});
  return true;
}

bool Compiler::declare(const Node& node) {
  const std::int16_t at = fresh();
  Operand value;
  if (node.kids.empty()) {
    const Value nothing = node.type == Type::boolean ? Value::of(false)
                          : is_number(node.type)
                              ? (is_whole(node.type) ? Value::whole_of(node.type, 0)
                                                     : Value::real_of(node.type, 0))
                              : Value();
    value = constant_operand(nothing, false);
  } else {
    auto made = expression(*node.kids.front());
    if (made) made = convert(*node.kids.front(), *made, node.type);
    if (!made) return false;
    value = *made;
  }
  moved(node, value, at);
  top_ = static_cast<std::int16_t>(at + 1);
  return define(node, node.text, node.type, at) && !failed_;
}

bool Compiler::give(const Node& node, const Node* value) {
  if (is_emitting(use_)) return end_script(node, value);
  const Type type = gives_number(use_)       ? Type::double_
                    : use_ == Use::filter    ? Type::boolean
                    : use_ == Use::sort_text ? Type::string
                                             : Type::def;
  if (value == nullptr) {
    fail(node, "cannot convert from [void] to [" + std::string(name_of(type)) + "]",
         "class_cast_exception");
    return false;
  }
  auto made = expression(*value);
  // A call without a result ends a script as any other statement does.
  if (made && made->type == Type::void_) return true;
  if (made) made = convert(*value, *made, type);
  if (!made) return false;
  emit(node, Code::give, 0, made->at);
  return true;
}

// Scripts of fields give nothing back: what they have emitted counts.
bool Compiler::end_script(const Node& node, const Node* value) {
  if (value == nullptr) {
    emit(node, Code::give, 0, constant(Value()));
    return true;
  }
  if (node.kind != NodeKind::return_) return expression(*value).has_value();
  fail(node, "cannot convert from [def] to [void]: a script of a field calls [emit], and returns "
             "without a value",
       "class_cast_exception");
  return false;
}

bool Compiler::condition(const Node& node, std::size_t& jump) {
  const std::int16_t mark = top_;
  auto made = expression(node);
  if (made) made = convert(node, *made, Type::boolean);
  if (!made) return false;
  jump = emit(node, Code::jump_unless, 0, made->at);
  top_ = mark;
  return true;
}

bool Compiler::branch(const Node& node, bool is_last) {
  std::size_t otherwise = 0;
  if (!condition(*node.kids[0], otherwise) || !block(*node.kids[1], is_last)) return false;
  if (node.kids.size() < 3) {
    land(otherwise);
    return true;
  }
  const std::size_t end = emit(node, Code::jump);
  land(otherwise);
  if (!block(*node.kids[2], is_last)) return false;
  land(end);
  return true;
}

void Compiler::end_loop(const Node& node, std::int16_t top, std::int16_t go_on) {
  emit(node, Code::loop, 0, 0, top);
  for (const std::size_t jump : loops_.back().breaks) land(jump);
  for (const std::size_t jump : loops_.back().continues)
    if (jump < out_.ops.size()) out_.ops[jump].c = go_on;
  loops_.pop_back();
}

bool Compiler::while_loop(const Node& node) {
  loops_.emplace_back();
  const std::int16_t top = next_place();
  std::size_t exit = 0;
  if (!condition(*node.kids[0], exit)) return false;
  loops_.back().breaks.push_back(exit);
  if (!block(*node.kids[1], false)) return false;
  end_loop(node, top, next_place());
  return true;
}

bool Compiler::do_loop(const Node& node) {
  loops_.emplace_back();
  const std::int16_t top = next_place();
  if (!block(*node.kids[0], false)) return false;
  const std::int16_t go_on = next_place();
  std::size_t exit = 0;
  if (!condition(*node.kids[1], exit)) return false;
  loops_.back().breaks.push_back(exit);
  end_loop(node, top, go_on);
  return true;
}

bool Compiler::for_loop(const Node& node) {
  const Node *start = node.kids[0], *check = node.kids[1], *after = node.kids[2];
  scopes_.push_back(variables_.size());
  if (start != nullptr && !statement(*start, false)) return false;
  loops_.emplace_back();
  const std::int16_t top = next_place();
  if (check != nullptr) {
    std::size_t exit = 0;
    if (!condition(*check, exit)) return false;
    loops_.back().breaks.push_back(exit);
  }
  if (!block(*node.kids[3], false)) return false;
  const std::int16_t go_on = next_place();
  const std::int16_t mark = top_;
  if (after != nullptr && !expression(*after)) return false;
  top_ = mark;
  end_loop(node, top, go_on);
  variables_.resize(scopes_.back());
  scopes_.pop_back();
  return true;
}

bool Compiler::for_each(const Node& node) {
  scopes_.push_back(variables_.size());
  const std::int16_t list = fresh(), place = fresh(), element = fresh(), variable = fresh();
  const auto given = expression(*node.kids[0]);
  if (!given) return false;
  if (is_primitive(given->type) && !given->loose) {
    fail(node, "Illegal for each type [" + std::string(name_of(given->type)) + "].");
    return false;
  }
  emit(node, Code::to_list, list, given->at);
  emit(node, Code::move, place, constant(Value::of(std::int32_t{0})));
  loops_.emplace_back();
  const std::int16_t top = next_place();
  loops_.back().breaks.push_back(emit(node, Code::each, element, list));
  const auto made = convert(node, {.at = element, .type = Type::def}, node.type);
  if (!made || !define(node, node.text, node.type, variable)) return false;
  moved(node, *made, variable);
  if (!block(*node.kids[1], false)) return false;
  end_loop(node, top, next_place());
  variables_.resize(scopes_.back());
  scopes_.pop_back();
  return true;
}

bool Compiler::leave_loop(const Node& node) {
  const bool ends = node.kind == NodeKind::break_;
  if (loops_.empty()) {
    fail(node, ends ? "Break statement outside of a loop." : "Continue statement outside of a loop.");
    return false;
  }
  const std::size_t jump = emit(node, Code::jump);
  (ends ? loops_.back().breaks : loops_.back().continues).push_back(jump);
  return true;
}

}  // namespace cairn::script
