// SPDX-License-Identifier: Apache-2.0
// The aggregations of one search over several indices.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/result.h"
#include "format/json.h"
#include "index/query.h"
#include "index/view.h"
#include "os/deadline.h"

namespace cairn::index {

class Aggregations;

/// Counts the documents of several views as if they were of one: each search of a view that is given
/// it (SearchParams::joint) adds what it finds. One thread.
class JointAggregations {
 public:
  struct Params {
    const Json& request;  // the API's object of aggregations
    bool typed_keys = false;
    std::int64_t now_ms = 0;  // what `now` means in date math; 0: the clock
    os::Deadline collect_until;  // of what adds documents
  };
  /// Errors: illegal_argument_exception, where a field is of one kind here and of another there.
  static Result<std::unique_ptr<JointAggregations>> make(
      std::span<const std::shared_ptr<const View>> views);
  ~JointAggregations();

  /// All fields of all views.
  const Mapping& mapping() const;
  /// Before any search. Errors: parsing_exception, illegal_argument_exception and
  /// query_shard_exception for aggregations that cannot be.
  Status begin(const Params& params, const QueryReader& read_query);
  /// The segments of this view come next; views in their order.
  void next_view(std::size_t view);
  /// In the API's shape. Errors: those of buckets and of the store; timeout.
  Result<Json> finish(const os::Deadline& deadline);

  // For PreparedQuery::search.
  Aggregations& aggregations() const { return *aggregations_; }
  Status begin_segment(std::size_t segment);

 private:
  struct State;
  JointAggregations();
  std::unique_ptr<State> state_;
  std::unique_ptr<Aggregations> aggregations_;
};

}  // namespace cairn::index
