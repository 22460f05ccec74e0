// SPDX-License-Identifier: Apache-2.0
// Operations and fragments as wholes (5.1, 5.2, 5.5.1, 5.5.2.1, 5.5.2.2).
#include <algorithm>
#include <unordered_set>

#include "graphql/validation/context.h"

namespace cairn::graphql {
namespace {

std::vector<std::string> names_of_types(const Schema& schema) {
  std::vector<std::string> out;
  for (const auto& type : schema.types()) out.push_back(type->name());
  return out;
}

void check_operations(ValidationContext& context) {
  const auto& operations = context.document.operations;
  std::unordered_map<std::string_view, Location> seen;
  for (const Operation& one : operations) {
    if (one.name.empty()) {
      if (operations.size() > 1)
        context.fault("This anonymous operation must be the only defined operation.", {one.at});
      continue;
    }
    const auto [first, fresh] = seen.emplace(one.name, one.name_at);
    if (!fresh)
      context.fault("There can be only one operation named \"" + one.name + "\".",
                    {first->second, one.name_at});
  }
  for (const TypeDefinition& one : context.document.types) {
    const bool schema = one.kind == TypeDefinition::Kind::schema;
    context.fault("The " + (schema ? std::string("schema") : "\"" + one.name + "\"") +
                      " definition is not executable.",
                  {one.at});
  }
}

void check_type_condition(ValidationContext& context, const std::string& type, Location at,
                          const std::string& fragment) {
  const SchemaType* const known = context.schema.find(type);
  if (known == nullptr) {
    context.fault("Unknown type \"" + type + "\"." +
                      did_you_mean(context, type, [&] { return names_of_types(context.schema); }),
                  {at});
  } else if (!known->is_composite()) {
    context.fault("Fragment" + (fragment.empty() ? "" : " \"" + fragment + "\"") +
                      " cannot condition on non composite type \"" + type + "\".",
                  {at});
  }
}

/// Calls `see` for each selection below, whatever it is.
template <class See>
void each_selection(const std::vector<Selection>& selections, See& see) {
  for (const Selection& one : selections) {
    see(one);
    each_selection(one.selections, see);
  }
}

std::vector<const Selection*> spreads_in(const std::vector<Selection>& selections) {
  std::vector<const Selection*> out;
  auto see = [&](const Selection& one) {
    if (one.kind == Selection::Kind::spread) out.push_back(&one);
  };
  each_selection(selections, see);
  return out;
}

using Spreads = std::unordered_map<const Fragment*, std::vector<const Selection*>>;

/// Looks for ways from fragments back to themselves, each fragment once. No recursion, for a chain
/// may be as long as the document.
class CycleSearch {
 public:
  CycleSearch(ValidationContext& context, const Spreads& spreads)
      : context_(context), spreads_(spreads) {}

  void from(const Fragment& fragment) {
    if (!visited_.insert(&fragment).second) return;
    enter(fragment);
    while (!stack_.empty()) step();
  }

 private:
  struct Frame {
    const Fragment* fragment;
    std::size_t next = 0;
  };

  void enter(const Fragment& fragment) {
    index_[&fragment] = path_.size();
    stack_.push_back({&fragment});
  }

  void step() {
    Frame& top = stack_.back();
    const auto& spreads = spreads_.at(top.fragment);
    if (top.next == spreads.size()) {
      index_.erase(top.fragment);
      stack_.pop_back();
      if (!path_.empty()) path_.pop_back();
      return;
    }
    const Selection& spread = *spreads[top.next++];
    const Fragment* const target = context_.fragment(spread.name);
    if (target == nullptr) return;
    const auto on_path = index_.find(target);
    path_.push_back(&spread);
    if (on_path != index_.end()) {
      tell(*target, on_path->second);
    } else if (visited_.insert(target).second) {
      return enter(*target);
    }
    path_.pop_back();
  }

  void tell(const Fragment& target, std::size_t from) {
    std::string via;
    std::vector<Location> at;
    for (std::size_t i = from; i < path_.size(); ++i) {
      at.push_back(path_[i]->at);
      if (i + 1 < path_.size()) via += (via.empty() ? "\"" : ", \"") + path_[i]->name + "\"";
    }
    context_.fault("Cannot spread fragment \"" + target.name + "\" within itself" +
                       (via.empty() ? "." : " via " + via + "."),
                   std::move(at));
  }

  ValidationContext& context_;
  const Spreads& spreads_;
  std::unordered_set<const Fragment*> visited_ = {};
  std::unordered_map<const Fragment*, std::size_t> index_ = {};
  std::vector<const Selection*> path_ = {};
  std::vector<Frame> stack_ = {};
};

void check_unused(ValidationContext& context, const Spreads& spreads) {
  std::unordered_set<const Fragment*> used;
  std::vector<const Fragment*> next;
  const auto follow = [&](const std::vector<const Selection*>& from) {
    for (const Selection* const spread : from)
      if (const Fragment* const one = context.fragment(spread->name);
          one && used.insert(one).second)
        next.push_back(one);
  };
  for (const Operation& one : context.document.operations) follow(spreads_in(one.selections));
  while (!next.empty()) {
    const Fragment* const one = next.back();
    next.pop_back();
    follow(spreads.at(one));
  }
  for (const Fragment& one : context.document.fragments)
    if (!used.contains(context.fragment(one.name)))
      context.fault("Fragment \"" + one.name + "\" is never used.", {one.at});
}

void check_fragments(ValidationContext& context) {
  Spreads spreads;
  for (const Fragment& one : context.document.fragments) {
    spreads.emplace(&one, spreads_in(one.selections));
    const Fragment* const first = context.fragment(one.name);
    if (first != &one)
      context.fault("There can be only one fragment named \"" + one.name + "\".",
                    {first->name_at, one.name_at});
    check_type_condition(context, one.type_condition, one.type_at, one.name);
  }
  auto see = [&](const Selection& one) {
    if (one.kind == Selection::Kind::spread && context.fragment(one.name) == nullptr)
      context.fault("Unknown fragment \"" + one.name + "\".", {one.name_at});
    if (one.kind == Selection::Kind::inline_fragment && !one.name.empty())
      check_type_condition(context, one.name, one.name_at, {});
  };
  for (const Operation& one : context.document.operations) each_selection(one.selections, see);
  for (const Fragment& one : context.document.fragments) each_selection(one.selections, see);
  CycleSearch cycles(context, spreads);
  for (const Fragment& one : context.document.fragments) cycles.from(one);
  check_unused(context, spreads);
}

}  // namespace

void check_definitions(ValidationContext& context) {
  check_operations(context);
  check_fragments(context);
  for (const Operation& one : context.document.operations)
    for (const VariableDefinition& variable : one.variables) {
      const std::string& type = named_type(variable.type);
      const TypeRef* named = &variable.type;
      while (named->kind != TypeRef::Kind::named) named = &named->inner();
      const SchemaType* const known = context.schema.find(type);
      if (known == nullptr)
        context.fault(
            "Unknown type \"" + type + "\"." +
                did_you_mean(context, type, [&] { return names_of_types(context.schema); }),
            {named->at});
      else if (!known->is_input())
        context.fault("Variable \"$" + variable.name + "\" cannot be non-input type \"" +
                          text_of(variable.type) + "\".",
                      {variable.type.at});
    }
}

}  // namespace cairn::graphql
