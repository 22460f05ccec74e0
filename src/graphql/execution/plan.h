// SPDX-License-Identifier: Apache-2.0
// One operation as what will be done: fragments put in, conditions decided, arguments coerced.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/json.h"
#include "graphql/language/syntax.h"
#include "graphql/options.h"
#include "graphql/schema/schema.h"
#include "graphql/validation/validate.h"

namespace cairn::graphql {

struct PlannedSet;

struct PlannedField {
  std::string response;  // its name in the answer
  const SchemaField* field = nullptr;
  std::vector<const Selection*> nodes = {};  // that merge into it
  Json arguments = {};
  std::optional<Error> fault = {};  // why its arguments cannot be had
  /// By the object type that it turns out to have; empty for leaves.
  std::vector<std::pair<const SchemaType*, std::unique_ptr<PlannedSet>>> below = {};
  const std::string& name() const { return field->definition.name; }
};

struct PlannedSet {
  const SchemaType* type = nullptr;
  std::vector<PlannedField> fields = {};
};

/// What an operation may ask for at the most, where every page is full.
struct Weight {
  std::uint64_t requests = 0;  // pages of connections
  std::uint64_t nodes = 0;     // on those pages
  std::uint64_t calls = 0;     // of resolvers
  /// Points of the primary limit: a hundredth of the requests, rounded, and at least one.
  std::uint32_t cost() const;
};

/// Plans a valid operation. Faults: too deep, too many fields, a connection without first or last
/// or with too many, more nodes or calls than `options` allow. `out` is whole where none came.
std::vector<Fault> plan_operation(const Schema& schema, const Document& document,
                                  const Operation& operation, const Json& variables,
                                  const Options& options, PlannedSet& out, Weight& weight);

}  // namespace cairn::graphql
