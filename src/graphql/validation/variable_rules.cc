// SPDX-License-Identifier: Apache-2.0
// Variables: each operation with the fragments that it reaches (5.8).
#include <algorithm>
#include <optional>
#include <unordered_set>

#include "graphql/validation/context.h"

namespace cairn::graphql {
namespace {

/// Where a variable stands, and what is wanted there.
struct Usage {
  const Value* value;
  const TypeRef* type = nullptr;  // null: nothing is known
  bool has_default = false;       // of the argument or input field
};

/// The usages and spreads of one operation or fragment.
struct Used {
  std::vector<Usage> usages = {};
  std::vector<std::string_view> spreads = {};
};

class UsageSearch {
 public:
  UsageSearch(ValidationContext& context, Used& out) : context_(context), out_(out) {}

  void directives(const std::vector<Directive>& all) {
    for (const Directive& one : all) {
      const TypeDefinition* const known = context_.schema.directive(one.name);
      arguments(one.arguments, known == nullptr ? nullptr : &known->inputs);
    }
  }

  void selections(const std::vector<Selection>& all, const SchemaType* parent) {
    for (const Selection& one : all) {
      directives(one.directives);
      if (one.kind == Selection::Kind::spread) {
        out_.spreads.push_back(one.name);
      } else if (one.kind == Selection::Kind::inline_fragment) {
        selections(one.selections, one.name.empty() ? parent : context_.composite(one.name));
      } else {
        const SchemaField* const field =
            parent == nullptr ? nullptr : context_.schema.field(*parent, one.name);
        arguments(one.arguments, field == nullptr ? nullptr : &field->definition.arguments);
        selections(one.selections, field == nullptr
                                       ? nullptr
                                       : context_.composite(named_type(field->definition.type)));
      }
    }
  }

 private:
  void arguments(const std::vector<Argument>& all, const std::vector<InputValueDefinition>* known) {
    for (const Argument& one : all) {
      const InputValueDefinition* input = nullptr;
      if (known != nullptr)
        for (const InputValueDefinition& candidate : *known)
          if (candidate.name == one.name) input = &candidate;
      value(one.value, input == nullptr ? nullptr : &input->type,
            input != nullptr && input->initial.has_value());
    }
  }

  void value(const Value& one, const TypeRef* type, bool has_default) {
    if (one.kind == Value::Kind::variable)
      out_.usages.push_back({.value = &one, .type = type, .has_default = has_default});
    const TypeRef* nullable =
        type != nullptr && type->kind == TypeRef::Kind::non_null ? &type->inner() : type;
    const TypeRef* const item = nullable != nullptr && nullable->kind == TypeRef::Kind::list
                                    ? &nullable->inner()
                                    : nullable;
    for (const Value& inside : one.items) value(inside, item, false);
    const SchemaType* const named =
        type == nullptr ? nullptr : context_.schema.find(named_type(*type));
    for (const ObjectField& field : one.fields) {
      const InputValueDefinition* const input =
          named == nullptr ? nullptr : named->input(field.name);
      value(field.value, input == nullptr ? nullptr : &input->type,
            input != nullptr && input->initial.has_value());
    }
  }

  ValidationContext& context_;
  Used& out_;
};

/// Whether whatever has the one type has the other.
bool is_subtype(const TypeRef& one, const TypeRef& of) {
  using Wrap = TypeRef::Kind;
  if (of.kind == Wrap::non_null)
    return one.kind == Wrap::non_null && is_subtype(one.inner(), of.inner());
  if (one.kind == Wrap::non_null) return is_subtype(one.inner(), of);
  if (of.kind == Wrap::list) return one.kind == Wrap::list && is_subtype(one.inner(), of.inner());
  return one.kind == Wrap::named && one.name == of.name;
}

bool is_allowed(const VariableDefinition& variable, const Usage& usage) {
  if (usage.type->kind == TypeRef::Kind::non_null &&
      variable.type.kind != TypeRef::Kind::non_null) {
    const bool non_null_default = variable.initial && variable.initial->kind != Value::Kind::null;
    if (!non_null_default && !usage.has_default) return false;
    return is_subtype(variable.type, usage.type->inner());
  }
  return is_subtype(variable.type, *usage.type);
}

class VariableRules {
 public:
  explicit VariableRules(ValidationContext& context) : context_(context) {
    for (const Fragment& one : context.document.fragments) {
      UsageSearch search(context, fragments_[one.name]);
      if (context.fragment(one.name) != &one) continue;
      search.directives(one.directives);
      search.selections(one.selections, context.composite(one.type_condition));
    }
  }

  void check(const Operation& operation) {
    check_unique(operation);
    Used own;
    UsageSearch search(context_, own);
    search.directives(operation.directives);
    search.selections(operation.selections, context_.schema.root(operation.kind));
    std::unordered_set<std::string_view> used, seen;
    check_usages(operation, own.usages, used);
    std::vector<std::string_view> next = own.spreads;
    while (!next.empty()) {
      const std::string_view name = next.back();
      next.pop_back();
      const auto at = fragments_.find(name);
      if (at == fragments_.end() || !seen.insert(name).second) continue;
      check_usages(operation, at->second.usages, used);
      next.insert(next.end(), at->second.spreads.begin(), at->second.spreads.end());
    }
    for (const VariableDefinition& one : operation.variables)
      if (!used.contains(one.name))
        context_.fault("Variable \"$" + one.name + "\" is never used" + in(operation) + ".",
                       {one.at});
  }

 private:
  static std::string in(const Operation& operation) {
    return operation.name.empty() ? "" : " in operation \"" + operation.name + "\"";
  }

  void check_unique(const Operation& operation) {
    definitions_.clear();
    std::unordered_map<std::string_view, std::vector<Location>> places;
    for (const VariableDefinition& one : operation.variables) {
      definitions_[one.name] = &one;
      places[one.name].push_back(one.name_at);
    }
    for (auto& [name, at] : places)
      if (at.size() > 1)
        context_.fault("There can be only one variable named \"$" + std::string(name) + "\".",
                       std::move(at));
  }

  void check_usages(const Operation& operation, const std::vector<Usage>& usages,
                    std::unordered_set<std::string_view>& used) {
    for (const Usage& one : usages) {
      const auto at = definitions_.find(one.value->text);
      if (at == definitions_.end()) {
        const std::string by =
            operation.name.empty() ? "" : " by operation \"" + operation.name + "\"";
        context_.fault("Variable \"$" + one.value->text + "\" is not defined" + by + ".",
                       {one.value->at, operation.at});
        continue;
      }
      used.insert(at->first);
      const VariableDefinition& variable = *at->second;
      const bool known = context_.schema.find(named_type(variable.type)) != nullptr;
      if (one.type == nullptr || !known || is_allowed(variable, one)) continue;
      context_.fault("Variable \"$" + variable.name + "\" of type \"" + text_of(variable.type) +
                         "\" used in position expecting type \"" + text_of(*one.type) + "\".",
                     {variable.at, one.value->at});
    }
  }

  ValidationContext& context_;
  std::unordered_map<std::string_view, Used> fragments_ = {};
  std::unordered_map<std::string_view, const VariableDefinition*> definitions_ = {};
};

}  // namespace

void check_variables(ValidationContext& context) {
  VariableRules rules(context);
  for (const Operation& one : context.document.operations) rules.check(one);
}

}  // namespace cairn::graphql
