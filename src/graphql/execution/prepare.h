// SPDX-License-Identifier: Apache-2.0
// A request up to where it could run: parsed, validated, planned and weighed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"
#include "graphql/execution/plan.h"
#include "graphql/options.h"
#include "graphql/schema/schema.h"

namespace cairn::graphql {

struct Request {
  std::string query = {};
  std::string operation_name = {};  // empty: the only one
  Json variables = {};              // an object, or null
};

/// Immutable once made; may run where `faults` is empty.
struct Prepared {
  Document document = {};
  const Operation* operation = nullptr;
  Json variables = {};  // coerced
  PlannedSet plan = {};
  Weight weight = {};
  std::vector<Fault> faults = {};
  bool mutates() const {
    return operation != nullptr && operation->kind == OperationKind::mutation;
  }
};

/// Never fails: what is wrong is in `faults`. Time and memory are bounded by `options`.
std::shared_ptr<const Prepared> prepare(const Schema& schema, const Request& request,
                                        const Options& options = {});

/// A fault as an answer shows it: message, locations, path, type.
Json error_of(const Fault& fault);

}  // namespace cairn::graphql
