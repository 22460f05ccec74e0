// SPDX-License-Identifier: Apache-2.0
#include "script/compiler.h"

#include <algorithm>
#include <limits>

#include "script/methods.h"

namespace cairn::script {

Compiler::Compiler(const Syntax& syntax, Use use, const Json& params, const Fields* fields,
                   const Limits& limits, Heap& heap, Compiled& out, Fault& fault)
    : syntax_(syntax),
      use_(use),
      given_(params),
      fields_(fields),
      limits_(limits),
      heap_(heap),
      out_(out),
      fault_(fault) {}

bool Compiler::run() {
  params_ = value_of(given_.is_null() ? Json::object() : given_);
  if (!block(*syntax_.root, true)) return false;
  const Value nothing = gives_number(use_)    ? Value::of(0.0)
                        : use_ == Use::filter ? Value::of(false)
                                              : Value();
  const std::int16_t at = constant(nothing);
  emit(*syntax_.root, Code::give, 0, at);
  std::sort(out_.statements.begin(), out_.statements.end());
  return !failed_;
}

std::size_t Compiler::emit(const Node& at, Code code, std::int16_t a, std::int16_t b,
                           std::int16_t c) {
  if (out_.ops.size() >= limits_.ops) {
    fail(at, "the script is too large: it needs more than [" + std::to_string(limits_.ops) +
                 "] operations");
    return 0;
  }
  out_.ops.push_back({.code = code, .a = a, .b = b, .c = c});
  out_.places.push_back(at.at);
  return out_.ops.size() - 1;
}

void Compiler::land(std::size_t jump) {
  if (jump < out_.ops.size()) out_.ops[jump].c = next_place();
}

std::int16_t Compiler::fresh() {
  if (top_ == std::numeric_limits<std::int16_t>::max()) {
    fail(*syntax_.root, "the script is too large: it has too many values at a time");
    return 0;
  }
  out_.registers = std::max<std::size_t>(out_.registers, static_cast<std::size_t>(top_) + 1);
  return top_++;
}

std::int16_t Compiler::constant(const Value& value) {
  const auto found = constants_.find(value);
  if (found != constants_.end()) return found->second;
  if (out_.constants.size() >= static_cast<std::size_t>(std::numeric_limits<std::int16_t>::max())) {
    fail(*syntax_.root, "the script is too large: it has too many constants");
    return -1;
  }
  out_.constants.push_back(value);
  const auto at = static_cast<std::int16_t>(-static_cast<int>(out_.constants.size()));
  constants_.emplace(value, at);
  return at;
}

Operand Compiler::constant_operand(const Value& value, bool loose) {
  return {.at = constant(value), .type = value.is_null() ? Type::def : value.type, .loose = loose};
}

const Value* Compiler::constant_of(const Operand& operand) const {
  if (operand.at >= 0) return nullptr;
  const auto at = static_cast<std::size_t>(-operand.at - 1);
  return at < out_.constants.size() ? &out_.constants[at] : nullptr;
}

std::int16_t Compiler::site(const Node& at, std::string_view name, std::size_t arguments) {
  if (out_.sites.size() >= static_cast<std::size_t>(std::numeric_limits<std::int16_t>::max()))
    fail(at, "the script is too large: it has too many calls");
  out_.sites.push_back({.name = std::string(name),
                        .arguments = static_cast<std::uint16_t>(arguments)});
  return static_cast<std::int16_t>(out_.sites.size() - 1);
}

std::nullopt_t Compiler::fail(const Node& at, std::string reason, std::string type) {
  if (!failed_) fault_ = {.type = std::move(type), .reason = std::move(reason), .at = at.at};
  failed_ = true;
  return std::nullopt;
}

Operand Compiler::fails_when_run(const Node& at, std::string type, std::string reason) {
  out_.faults.emplace_back(std::move(type), std::move(reason));
  emit(at, Code::fail, 0, 0, static_cast<std::int16_t>(out_.faults.size() - 1));
  return constant_operand({}, true);
}

// Numbers are ints where they fit, as a reader of JSON in the language has them.
Value Compiler::value_of(const Json& json, std::size_t depth) {
  const auto is_int = [](std::int64_t v) { return v == static_cast<std::int32_t>(v); };
  switch (json.type()) {
    case Json::Type::null:
      return {};
    case Json::Type::boolean:
      return Value::of(json.as_bool());
    case Json::Type::integer:
    case Json::Type::unsigned_integer:
      if (is_int(json.as_int())) return Value::whole_of(Type::int_, json.as_int());
      return Value::of(json.as_int());
    case Json::Type::number:
      return Value::of(json.as_double());
    case Json::Type::string: {
      Value out = heap_.text(json.as_string());
      out.object->fixed = true;
      return out;
    }
    case Json::Type::array: {
      Value out = heap_.list({});
      out.object->fixed = true;
      for (const Json& element : json.as_array())
        out.object->items.push_back(value_of(element, depth + 1));
      return out;
    }
    case Json::Type::object: {
      Value out = Value::object_of(Type::map, heap_.make());
      out.object->fixed = true;
      for (const auto& [name, value] : json.as_object())
        out.object->put(value_of(Json(name)), value_of(value, depth + 1));
      return out;
    }
  }
  return {};
}

const Compiler::Variable* Compiler::find(std::string_view name) const {
  const auto found = std::find_if(variables_.rbegin(), variables_.rend(),
                                  [&](const Variable& one) { return one.name == name; });
  return found == variables_.rend() ? nullptr : &*found;
}

}  // namespace cairn::script
