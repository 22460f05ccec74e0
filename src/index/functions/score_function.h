// SPDX-License-Identifier: Apache-2.0
// Functions of documents, by the values of their columns.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "index/explanation.h"
#include "index/query/plan.h"

namespace cairn::index {

/// Of one segment; one thread. Documents may come in any order.
class DocFunction {
 public:
  virtual ~DocFunction() = default;
  /// `score` is the document's by the query. What cannot be is said to the steps of the query
  /// (Steps::fail).
  virtual double of(std::uint32_t doc, float score) = 0;
};
using DocFunctionPtr = std::unique_ptr<DocFunction>;

/// Of a view; immutable.
class ViewFunction {
 public:
  virtual ~ViewFunction() = default;
  virtual Result<DocFunctionPtr> in(const QueryContext& context, std::size_t segment) const = 0;
  /// In the words of the field's engine. `asked`: of the score by the query.
  virtual Explanation explain(double value, const Explanation& asked) const = 0;
};
using ViewFunctionPtr = std::shared_ptr<const ViewFunction>;

/// Null where it is the weight alone. Errors: illegal_argument_exception, parsing_exception for
/// fields and values that do not fit.
Result<ViewFunctionPtr> view_function(const QueryContext& context, const ScoreFunction& function);

/// A number in [0, 1), the same for the same seed and key.
double chance_of(std::uint64_t seed, std::uint64_t key);

Result<ViewFunctionPtr> script_function(const QueryContext& context, const Script& script);
Result<ViewFunctionPtr> decay_function(const QueryContext& context, const DecayFunction& decay);

}  // namespace cairn::index
