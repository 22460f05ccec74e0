// SPDX-License-Identifier: Apache-2.0
// What all rules share.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "graphql/validation/validate.h"

namespace cairn::graphql {

struct ValidationContext {
  const Schema& schema;
  const Document& document;
  const Options& options;
  std::vector<Fault> faults = {};
  std::unordered_map<std::string_view, const Fragment*> fragments = {};

  bool full() const { return faults.size() >= options.errors; }
  void fault(std::string message, std::vector<Location> at) {
    if (!full()) faults.push_back({std::move(message), std::move(at)});
  }
  const Fragment* fragment(std::string_view name) const {
    const auto at = fragments.find(name);
    return at == fragments.end() ? nullptr : at->second;
  }
  /// The type of that name where it has fields or members; null where it has none or is unknown.
  const SchemaType* composite(std::string_view name) const {
    const SchemaType* const type = schema.find(name);
    return type != nullptr && type->is_composite() ? type : nullptr;
  }
};

/// " Did you mean \"x\"?", or nothing. `known()` gives the names, and is asked only where the error
/// will be told, and for words as long as names are.
template <class Known>
std::string did_you_mean(const ValidationContext& context, std::string_view word, Known known) {
  if (context.full() || word.size() > 64) return {};
  const auto near = nearest(word, known());
  return near ? " Did you mean \"" + *near + "\"?" : std::string();
}

void check_definitions(ValidationContext& context);  // names, cycles, what is never used
void check_selections(ValidationContext& context);   // fields, arguments, directives, spreads
void check_variables(ValidationContext& context);    // defined, used, and where they may stand
void check_overlap(ValidationContext& context);      // fields that would merge and cannot

/// A literal where a type is wanted; null where nothing is known about it.
void check_value(ValidationContext& context, const TypeRef* type, const Value& value);
/// Names that an object of a value has twice, at any depth.
void check_unique_fields(ValidationContext& context, const Value& value);

}  // namespace cairn::graphql
