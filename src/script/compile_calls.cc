// SPDX-License-Identifier: Apache-2.0
// Members, elements and calls.
#include <cctype>

#include "base/strings.h"
#include "script/compiler.h"
#include "script/methods.h"

namespace cairn::script {
namespace {

std::string getter(std::string_view prefix, std::string_view member) {
  std::string out(prefix);
  out += static_cast<char>(std::toupper(static_cast<unsigned char>(member[0])));
  out += member.substr(1);
  return out;
}

/// The method that a member stands for: `year` for getYear().
const Method* method_of_member(Type type, std::string_view member) {
  const Method* found = find_method(type, getter("get", member), 0);
  return found != nullptr ? found : find_method(type, getter("is", member), 0);
}

bool is_known(const Operand& operand) { return operand.type != Type::def; }

std::string call_name(Type type, std::string_view name, std::size_t arguments) {
  return "[" + std::string(class_of(type)) + ", " + std::string(name) + "/" +
         std::to_string(arguments) + "]";
}

/// Why a method that the language has is not offered; empty for any other.
std::string_view why_not(std::string_view name) {
  if (name == "split" || name == "matches" || name == "replaceAll" || name == "replaceFirst")
    return ": regular expressions are not offered in scripts here";
  if (name == "stream" || name == "forEach" || name == "removeIf" || name == "each" ||
      name == "collect" || name == "computeIfAbsent" || name == "findAll")
    return ": lambdas are not offered in scripts here";
  if (name == "getClass") return ": reflection is not offered in scripts here";
  return {};
}

}  // namespace

Compiler::Maybe Compiler::null_safe(const Node& node, const Operand& object) {
  const std::int16_t to = fresh();
  if (is_primitive(object.type) && !object.loose)
    return fail(node, "Result of null safe operator must be nullable");
  moved(node, object, to);
  const std::size_t jump = emit(node, Code::jump_null, 0, to);
  Operand there = object;
  there.at = to;
  const auto made = node.kind == NodeKind::call ? method(node, there) : member_of(node, there);
  if (!made) return made;
  moved(node, *made, to);
  land(jump);
  top_ = static_cast<std::int16_t>(to + 1);
  return Operand{.at = to, .type = is_primitive(made->type) ? Type::def : made->type,
                 .loose = made->loose && !is_primitive(made->type)};
}

Compiler::Maybe Compiler::member(const Node& node) {
  const Node& owner = *node.kids[0];
  if (owner.kind == NodeKind::name && find(owner.text) == nullptr && is_class(owner.text)) {
    const Value* known = find_constant(owner.text, node.text);
    if (known == nullptr)
      return fail(node, "static field [" + std::string(owner.text) + ", " +
                            std::string(node.text) + "] not found");
    return constant_operand(*known, false);
  }
  if (is_document(owner)) return named_field(node, node.text);
  if (is_source(node)) return source(node, "");
  if (is_source(owner) && !node.flag) return source(node, node.text);
  const auto object = expression(owner);
  if (!object) return object;
  if (node.flag && object->field < 0) return null_safe(node, *object);
  return member_of(node, *object);
}

Compiler::Maybe Compiler::known_element(const Operand& object, const Value& key) {
  const Value* known = constant_of(object);
  if (known == nullptr || known->type != Type::map) return std::nullopt;
  const Value* found = known->object->find(key);
  return constant_operand(found == nullptr ? Value() : *found, true);
}

Compiler::Maybe Compiler::member_of(const Node& node, const Operand& object) {
  const std::string_view name = node.text;
  if (object.field >= 0 && (name == "value" || name == "length" || name == "empty"))
    return field_member(node, object, name);
  if (is_known(object)) {
    if (const Method* found = method_of_member(object.type, name)) {
      const Operand out{.at = fresh(), .type = found->result, .loose = object.loose};
      moved(node, object, out.at);
      const std::int16_t at = site(node, found->name, 0);
      out_.sites.back().method = found;
      emit(node, Code::call, out.at, 0, at);
      return out;
    }
    if (object.type != Type::map && object.type != Type::list && !object.loose)
      return fail(node, "field " + call_name(object.type, name, 0).substr(0, class_of(object.type).size() + 1) +
                            ", " + std::string(name) + "] not found");
  }
  Value key = heap_.text(std::string(name));
  key.object->fixed = true;
  if (object.type == Type::map)
    if (auto known = known_element(object, key)) return known;
  const Operand out{.at = fresh(), .type = Type::def};
  emit(node, Code::member, out.at, object.at, site(node, name, 0));
  return out;
}

Compiler::Maybe Compiler::index(const Node& node) {
  if (is_document(*node.kids[0])) return document_field(node, *node.kids[1]);
  if (is_source(node)) return source(node, "");
  if (const Node& key = *node.kids[1]; is_source(*node.kids[0]) && key.kind == NodeKind::literal &&
                                       key.value.type == Type::string && !key.said.empty())
    return source(node, key.said);
  auto object = expression(*node.kids[0]);
  if (!object) return object;
  object = kept(node, *object, *node.kids[1]);
  const auto key = expression(*node.kids[1]);
  return key ? element_of(node, *object, *key) : key;
}

Compiler::Maybe Compiler::element_of(const Node& node, const Operand& object, const Operand& key) {
  const bool fits = object.type == Type::def || object.type == Type::list ||
                    object.type == Type::map || object.type == Type::field ||
                    object.type == Type::vector || object.loose;
  if (!fits)
    return fail(node, "Attempting to address a non-array-like type [" +
                          std::string(class_of(object.type)) + "] as an array.");
  if (const Value* known = constant_of(key); known != nullptr && object.type == Type::map)
    if (auto element = known_element(object, *known)) return element;
  const Operand out{.at = fresh(), .type = Type::def};
  emit(node, Code::element, out.at, object.at, key.at);
  return out;
}

bool Compiler::arguments(const Node& node, std::size_t first, std::int16_t base) {
  for (std::size_t i = first; i < node.kids.size(); ++i) {
    const auto to = static_cast<std::int16_t>(base + static_cast<int>(i - first));
    top_ = to;
    const auto made = expression(*node.kids[i]);
    if (!made) return false;
    top_ = to;
    moved(*node.kids[i], *made, fresh());
  }
  return !failed_;
}

Compiler::Maybe Compiler::call(const Node& node) {
  const Node& owner = *node.kids[0];
  if (owner.kind == NodeKind::name && find(owner.text) == nullptr && is_class(owner.text))
    return static_call(node, owner.text);
  if (is_document(owner)) return document_call(node);
  const auto object = expression(owner);
  if (!object) return object;
  if (node.flag && object->field < 0) return null_safe(node, *object);
  return method(node, *object);
}

Compiler::Maybe Compiler::method(const Node& node, const Operand& object) {
  const std::size_t count = node.kids.size() - 1;
  if (object.field >= 0 && count == 0) {
    if (node.text == "getValue") return field_member(node, object, "value");
    if (node.text == "isEmpty") return field_member(node, object, "empty");
    if (node.text == "size" || node.text == "getLength") return field_member(node, object, "length");
  }
  const Method* found = is_known(object) ? find_method(object.type, node.text, count) : nullptr;
  const bool certain = is_known(object) && !object.loose;
  if (found == nullptr && (certain || !why_not(node.text).empty()))
    return fail(node, "member method " + call_name(object.type, node.text, count) + " not found" +
                          std::string(why_not(node.text)));
  if (object.type == Type::map && count == 1 && node.text == "get")
    if (const Value* known = constant_of(object); known != nullptr) {
      const auto key = expression(*node.kids[1]);
      if (!key) return key;
      if (const Value* name = constant_of(*key)) return known_element(object, *name);
    }
  const std::int16_t base = fresh();
  moved(node, object, base);
  if (!arguments(node, 1, static_cast<std::int16_t>(base + 1))) return std::nullopt;
  const std::int16_t at = site(node, node.text, count);
  out_.sites.back().method = found;
  emit(node, Code::call, base, 0, at);
  top_ = static_cast<std::int16_t>(base + 1);
  return Operand{.at = base, .type = found == nullptr ? Type::def : found->result,
                 .loose = found != nullptr && object.loose};
}

Compiler::Maybe Compiler::math(const Node& node, int which) {
  const bool two = node.kids.size() == 3;
  const std::int16_t base = fresh();
  for (std::size_t i = 1; i < node.kids.size(); ++i) {
    const auto to = static_cast<std::int16_t>(base + static_cast<int>(i) - 1);
    top_ = to;
    auto made = expression(*node.kids[i]);
    if (made) made = convert(*node.kids[i], *made, Type::double_);
    if (!made) return made;
    top_ = to;
    // One argument is read where it is.
    if (two) {
      moved(node, *made, fresh());
      continue;
    }
    fresh();
    emit(node, Code::math_1, base, made->at, static_cast<std::int16_t>(which));
  }
  if (two) emit(node, Code::math_2, base, base, static_cast<std::int16_t>(which));
  top_ = static_cast<std::int16_t>(base + 1);
  return Operand{.at = base, .type = Type::double_};
}

Compiler::Maybe Compiler::static_call(const Node& node, std::string_view of) {
  const std::size_t first = node.kind == NodeKind::function ? 0 : 1;
  const std::size_t count = node.kids.size() - first;
  if (of == "Math")
    if (const int which = find_math(node.text, count); which >= 0) return math(node, which);
  const int which = find_static(of, node.text, count);
  if (which < 0) {
    if (of.empty())
      return fail(node, "Unknown call [" + std::string(node.text) + "] with [" +
                            std::to_string(count) + "] arguments.");
    return fail(node, "static method [" + std::string(of) + ", " + std::string(node.text) + "/" +
                          std::to_string(count) + "] not found" +
                          (of == "Math" && node.text == "random"
                               ? ": use [randomScore], which is the same when it is asked again"
                               : ""));
  }
  const StaticFunction& function = static_function(static_cast<std::size_t>(which));
  const std::int16_t base = fresh();
  for (std::size_t i = 0; i < count; ++i) {
    const auto to = static_cast<std::int16_t>(base + static_cast<int>(i));
    top_ = to;
    auto made = expression(*node.kids[first + i]);
    if (made) made = convert(*node.kids[first + i], *made, function.takes[i]);
    if (!made) return made;
    top_ = to;
    moved(node, *made, fresh());
  }
  emit(node, Code::call_static, base, static_cast<std::int16_t>(count), static_cast<std::int16_t>(which));
  top_ = static_cast<std::int16_t>(base + 1);
  return Operand{.at = base, .type = function.result};
}

}  // namespace cairn::script
