// SPDX-License-Identifier: Apache-2.0
// Literals by the types that want them (5.6.1 to 5.6.4).
#include <unordered_map>

#include "graphql/schema/values.h"
#include "graphql/validation/context.h"

namespace cairn::graphql {
namespace {

void check_leaf(ValidationContext& context, const TypeRef& type, const Value& value) {
  const SchemaType* const named = context.schema.find(named_type(type));
  if (named == nullptr || context.full()) return;
  if (!named->is_leaf()) {
    context.fault(
        "Expected value of type \"" + text_of(type) + "\", found " + print_value(value) + ".",
        {value.at});
    return;
  }
  std::string fault = fault_of_leaf(*named, value);
  if (!fault.empty()) context.fault(std::move(fault), {value.at});
}

void check_object(ValidationContext& context, const SchemaType& type, const Value& value) {
  std::unordered_map<std::string_view, const Value*> there;
  for (const ObjectField& one : value.fields) there[one.name] = &one.value;
  for (const InputValueDefinition& input : type.definition.inputs)
    if (!there.contains(input.name) && input.type.kind == TypeRef::Kind::non_null && !input.initial)
      context.fault("Field \"" + type.name() + "." + input.name + "\" of required type \"" +
                        text_of(input.type) + "\" was not provided.",
                    {value.at});
  for (const ObjectField& one : value.fields) {
    const InputValueDefinition* const input = type.input(one.name);
    if (input == nullptr)
      context.fault("Field \"" + one.name + "\" is not defined by type \"" + type.name() + "\"." +
                        did_you_mean(context, one.name,
                                     [&] {
                                       std::vector<std::string> names;
                                       for (const auto& known : type.definition.inputs)
                                         names.push_back(known.name);
                                       return names;
                                     }),
                    {one.at});
    check_value(context, input == nullptr ? nullptr : &input->type, one.value);
  }
}

}  // namespace

void check_value(ValidationContext& context, const TypeRef* type, const Value& value) {
  if (type == nullptr || value.kind == Value::Kind::variable) return;
  if (value.kind == Value::Kind::null) {
    if (type->kind == TypeRef::Kind::non_null)
      context.fault("Expected value of type \"" + text_of(*type) + "\", found null.", {value.at});
    return;
  }
  const TypeRef& nullable = type->kind == TypeRef::Kind::non_null ? type->inner() : *type;
  if (value.kind == Value::Kind::list) {
    if (nullable.kind != TypeRef::Kind::list) return check_leaf(context, *type, value);
    for (const Value& one : value.items) check_value(context, &nullable.inner(), one);
    return;
  }
  if (value.kind == Value::Kind::object) {
    const SchemaType* const named = context.schema.find(named_type(*type));
    if (named != nullptr && named->definition.kind == TypeDefinition::Kind::input)
      return check_object(context, *named, value);
  }
  check_leaf(context, *type, value);
}

void check_unique_fields(ValidationContext& context, const Value& value) {
  for (const Value& one : value.items) check_unique_fields(context, one);
  std::unordered_map<std::string_view, Location> seen;
  for (const ObjectField& one : value.fields) {
    const auto [first, fresh] = seen.emplace(one.name, one.at);
    if (!fresh)
      context.fault("There can be only one input field named \"" + one.name + "\".",
                    {first->second, one.at});
    check_unique_fields(context, one.value);
  }
}

}  // namespace cairn::graphql
