// SPDX-License-Identifier: Apache-2.0
// What changes variables and elements.
#include "script/compiler.h"

namespace cairn::script {

Compiler::Maybe Compiler::changed(const Node& node, const Operand& old) {
  if (node.kind == NodeKind::step)
    return arithmetic(node, old, constant_operand(Value::of(std::int32_t{1}), false), node.text);
  const Operand before = kept(node, old, *node.kids[1]);
  const auto right = expression(*node.kids[1]);
  return right ? arithmetic(node, before, *right, node.text) : right;
}

Compiler::Maybe Compiler::assign_variable(const Node& node, const Variable& variable) {
  const Operand where = variable.where;
  const bool plain = node.kind == NodeKind::assign && node.text == "=";
  const bool gives_old = node.kind == NodeKind::step && !node.flag;
  Operand out = where;
  if (gives_old) out = moved(node, where, fresh());
  Maybe value = plain ? expression(*node.kids[1]) : changed(node, where);
  // What changes a variable by an operator stays of its type.
  if (value) value = convert(node, *value, where.type, !plain);
  if (!value) return value;
  moved(node, *value, where.at);
  return out;
}

Compiler::Maybe Compiler::step(const Node& node) { return assign(node); }

Compiler::Maybe Compiler::assign(const Node& node) {
  const Node& target = *node.kids[0];
  const bool plain = node.kind == NodeKind::assign && node.text == "=";
  if (target.kind == NodeKind::name) {
    if (const Variable* variable = find(target.text)) return assign_variable(node, *variable);
    if (target.text == "params" || target.text == "doc" || target.text == "_score")
      return fail(target, "[" + std::string(target.text) + "] is read-only");
    return fail(target, "cannot resolve symbol [" + std::string(target.text) + "]");
  }
  const Node& owner = *target.kids[0];
  if (is_document(owner)) return fail(target, "[doc] is read-only");
  auto object = expression(owner);
  if (!object) return object;
  if (object->type != Type::def && object->type != Type::list && object->type != Type::map &&
      !object->loose)
    return fail(target, "a value of the type [" + std::string(name_of(object->type)) +
                            "] has nothing that can be assigned to");
  object = kept(node, *object, node);
  Operand key;
  if (target.kind == NodeKind::index) {
    const auto made = expression(*target.kids[1]);
    if (!made) return made;
    key = kept(node, *made, node);
  } else {
    Value name = heap_.text(std::string(target.text));
    name.object->fixed = true;
    key = constant_operand(name, false);
  }
  Operand old;
  Maybe value;
  if (plain) {
    value = expression(*node.kids[1]);
  } else {
    old = {.at = fresh(), .type = Type::def};
    emit(target, Code::element, old.at, object->at, key.at);
    value = changed(node, old);
  }
  if (!value) return value;
  emit(target, Code::set_element, object->at, key.at, value->at);
  return node.kind == NodeKind::step && !node.flag ? old : *value;
}

}  // namespace cairn::script
