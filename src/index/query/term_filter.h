// SPDX-License-Identifier: Apache-2.0
// Queries that stand for many terms of a field: which they are.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"
#include "index/query/plan.h"

namespace cairn::index {

/// Which terms of a field to take, from `start` on while `goes_on` says so.
struct TermFilter {
  using Asks = std::function<bool(const std::string& term)>;
  std::string start;
  Asks goes_on;  // false ends the walk
  Asks takes = {};
  std::size_t weight = 1;  // steps that a byte of a term takes
  /// Makes what `takes` is for one walk; for filters that learn from term to term. They count their
  /// own steps.
  std::function<Asks(os::Steps& steps)> make_takes = {};
};

/// The documents that have any of these terms; each scores `boost`.
PlanPtr terms_matching(std::string field, TermFilter filter, float boost);

/// A field that has terms for patterns; null where the mapping has none of that name. Errors:
/// query_shard_exception for a field of another type; `kind` names the query.
Result<const Field*> field_with_terms(const QueryContext& context, const std::string& name,
                                      const char* kind);

/// A pattern in the form of the field's terms: after its normalizer, where it has one.
std::string normalised(const Field& field, const std::string& value);

}  // namespace cairn::index
