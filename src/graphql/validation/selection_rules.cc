// SPDX-License-Identifier: Apache-2.0
// Fields, arguments, directives and spreads, type by type (5.3, 5.4, 5.5.2.3, 5.6, 5.7).
#include <algorithm>
#include <map>
#include <unordered_map>

#include "graphql/schema/values.h"
#include "graphql/validation/context.h"

namespace cairn::graphql {
namespace {

using Inputs = std::vector<InputValueDefinition>;

const InputValueDefinition* input_named(const Inputs& inputs, std::string_view name) {
  for (const InputValueDefinition& one : inputs)
    if (one.name == name) return &one;
  return nullptr;
}

std::vector<std::string> names_of_inputs(const Inputs& inputs) {
  std::vector<std::string> out;
  for (const InputValueDefinition& one : inputs) out.push_back(one.name);
  return out;
}

class SelectionRules {
 public:
  explicit SelectionRules(ValidationContext& context) : context_(context) {}

  void run() {
    for (const Operation& one : context_.document.operations) {
      std::string where = text_of(one.kind);
      std::transform(where.begin(), where.end(), where.begin(),
                     [](char c) { return static_cast<char>(c - 'a' + 'A'); });
      check_directives(one.directives, where);
      for (const VariableDefinition& variable : one.variables) {
        check_directives(variable.directives, "VARIABLE_DEFINITION");
        if (variable.initial) {
          check_unique_fields(context_, *variable.initial);
          const SchemaType* const type = context_.schema.find(named_type(variable.type));
          check_value(context_, type != nullptr && type->is_input() ? &variable.type : nullptr,
                      *variable.initial);
        }
      }
      walk(one.selections, context_.schema.root(one.kind));
    }
    for (const Fragment& one : context_.document.fragments) {
      check_directives(one.directives, "FRAGMENT_DEFINITION");
      walk(one.selections, context_.composite(one.type_condition));
    }
  }

 private:
  void walk(const std::vector<Selection>& selections, const SchemaType* parent) {
    for (const Selection& one : selections) {
      switch (one.kind) {
        case Selection::Kind::field:
          check_field(one, parent);
          break;
        case Selection::Kind::spread:
          check_spread(one, parent);
          break;
        case Selection::Kind::inline_fragment:
          check_inline(one, parent);
          break;
      }
    }
  }

  void check_field(const Selection& one, const SchemaType* parent) {
    check_directives(one.directives, "FIELD");
    const SchemaField* field = nullptr;
    if (parent != nullptr) {
      field = context_.schema.field(*parent, one.name);
      if (field == nullptr) tell_unknown(one, *parent);
    }
    check_arguments(one.arguments, field == nullptr ? nullptr : &field->definition.arguments,
                    field == nullptr ? "" : "field \"" + parent->name() + "." + one.name + "\"");
    if (field == nullptr) return walk(one.selections, nullptr);
    check_required(one.arguments, field->definition.arguments, "Field \"" + one.name + "\"",
                   one.at);
    const std::string type = text_of(field->definition.type);
    const SchemaType& named = *context_.schema.find(named_type(field->definition.type));
    if (named.is_leaf() && !one.selections.empty())
      context_.fault("Field \"" + one.name + "\" must not have a selection since type \"" + type +
                         "\" has no subfields.",
                     {one.set_at});
    if (!named.is_leaf() && one.selections.empty())
      context_.fault("Field \"" + one.name + "\" of type \"" + type +
                         "\" must have a selection of subfields. Did you mean \"" + one.name +
                         " { ... }\"?",
                     {one.at});
    walk(one.selections, named.is_composite() ? &named : nullptr);
  }

  void tell_unknown(const Selection& one, const SchemaType& parent) {
    const auto names = [&] {
      std::vector<std::string> out;
      for (const SchemaField& field : parent.fields) out.push_back(field.definition.name);
      return out;
    };
    std::string on;
    if (parent.is_abstract())
      for (const SchemaType* const type : parent.possible)
        if (on.empty() && type->field(one.name) != nullptr)
          on = " Did you mean to use an inline fragment on \"" + type->name() + "\"?";
    context_.fault("Cannot query field \"" + one.name + "\" on type \"" + parent.name() + "\"." +
                       (on.empty() ? did_you_mean(context_, one.name, names) : on),
                   {one.at});
  }

  void check_spread(const Selection& one, const SchemaType* parent) {
    check_directives(one.directives, "FRAGMENT_SPREAD");
    const Fragment* const fragment = context_.fragment(one.name);
    if (fragment == nullptr || parent == nullptr) return;
    const SchemaType* const type = context_.composite(fragment->type_condition);
    if (type == nullptr || context_.schema.overlap(*parent, *type)) return;
    context_.fault("Fragment \"" + one.name + "\" cannot be spread here as objects of type \"" +
                       parent->name() + "\" can never be of type \"" + type->name() + "\".",
                   {one.at});
  }

  void check_inline(const Selection& one, const SchemaType* parent) {
    check_directives(one.directives, "INLINE_FRAGMENT");
    const SchemaType* type = parent;
    if (!one.name.empty()) type = context_.composite(one.name);
    if (type != nullptr && parent != nullptr && !context_.schema.overlap(*parent, *type))
      context_.fault("Fragment cannot be spread here as objects of type \"" + parent->name() +
                         "\" can never be of type \"" + type->name() + "\".",
                     {one.at});
    walk(one.selections, type);
  }

  void check_directives(const std::vector<Directive>& directives, const std::string& where) {
    std::unordered_map<std::string_view, Location> seen;
    for (const Directive& one : directives) {
      const TypeDefinition* const known = context_.schema.directive(one.name);
      if (known == nullptr) {
        context_.fault("Unknown directive \"@" + one.name + "\".", {one.at});
        check_arguments(one.arguments, nullptr, {});
        continue;
      }
      const auto& places = known->locations;
      if (std::find(places.begin(), places.end(), where) == places.end())
        context_.fault("Directive \"@" + one.name + "\" may not be used on " + where + ".",
                       {one.at});
      const auto [first, fresh] = seen.emplace(one.name, one.at);
      if (!fresh && !known->repeatable)
        context_.fault(
            "The directive \"@" + one.name + "\" can only be used once at this location.",
            {first->second, one.at});
      check_arguments(one.arguments, &known->inputs, "directive \"@" + one.name + "\"");
      check_required(one.arguments, known->inputs, "Directive \"@" + one.name + "\"", one.at);
    }
  }

  /// `known` is null where nothing is known about what they are given to.
  void check_arguments(const std::vector<Argument>& arguments, const Inputs* known,
                       const std::string& of) {
    std::map<std::string_view, std::vector<Location>> places;
    for (const Argument& one : arguments) {
      places[one.name].push_back(one.at);
      check_unique_fields(context_, one.value);
      const InputValueDefinition* const input =
          known == nullptr ? nullptr : input_named(*known, one.name);
      if (known != nullptr && input == nullptr)
        context_.fault(
            "Unknown argument \"" + one.name + "\" on " + of + "." +
                did_you_mean(context_, one.name, [&] { return names_of_inputs(*known); }),
            {one.at});
      check_value(context_, input == nullptr ? nullptr : &input->type, one.value);
    }
    for (auto& [name, at] : places)
      if (at.size() > 1)
        context_.fault("There can be only one argument named \"" + std::string(name) + "\".",
                       std::move(at));
  }

  void check_required(const std::vector<Argument>& arguments, const Inputs& inputs,
                      const std::string& of, Location at) {
    for (const InputValueDefinition& one : inputs) {
      if (one.type.kind != TypeRef::Kind::non_null || one.initial) continue;
      const bool given = std::any_of(arguments.begin(), arguments.end(),
                                     [&](const Argument& a) { return a.name == one.name; });
      if (!given)
        context_.fault(of + " argument \"" + one.name + "\" of type \"" + text_of(one.type) +
                           "\" is required, but it was not provided.",
                       {at});
    }
  }

  ValidationContext& context_;
};

}  // namespace

void check_selections(ValidationContext& context) { SelectionRules(context).run(); }

}  // namespace cairn::graphql
