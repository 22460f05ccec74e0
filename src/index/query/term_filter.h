// SPDX-License-Identifier: Apache-2.0
// Queries that stand for many terms of a field: which they are.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

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

/// Which terms of a field such a query stands for. Errors: those of the queries' plans.
TermFilter range_filter(const Field& field, const RangeQuery& query);
TermFilter prefix_filter(const Field& field, const PrefixQuery& query);
Result<TermFilter> wildcard_filter(const Field& field, const WildcardQuery& query);
Result<TermFilter> regexp_filter(const QueryContext& context, const Field& field,
                                 const RegexpQuery& query);
/// The terms that are like the query's, best first, as many as it may stand for.
Result<std::vector<std::string>> fuzzy_terms(const QueryContext& context, const Field& field,
                                             const FuzzyQuery& query);

/// The terms of a field that a plan stands for.
struct MatchingTerms {
  std::string field;
  TermFilter filter;
};

/// Finds the documents of all of these in one walk over the terms of `field`, which is that of
/// each, and leaves them in `context.found`, where their plans take them from. Errors: reading's;
/// timeout, cancelled.
Status find_together(const QueryContext& context, std::size_t segment, const std::string& field,
                     const std::vector<const MatchingTerms*>& all);

/// The documents that have any of these terms; each scores `boost`.
PlanPtr terms_matching(const QueryContext& context, const Field& field, TermFilter filter,
                       float boost);

/// A field that has terms for patterns; null where the mapping has none of that name. Errors:
/// query_shard_exception for a field of another type; `kind` names the query.
Result<const Field*> field_with_terms(const QueryContext& context, const std::string& name,
                                      const char* kind);

/// A pattern in the form of the field's terms: after its normalizer, where it has one.
std::string normalised(const Field& field, const std::string& value);

}  // namespace cairn::index
