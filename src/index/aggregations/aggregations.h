// SPDX-License-Identifier: Apache-2.0
// Counting and measuring the documents that match a search.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "format/json.h"
#include "index/query/view_state.h"
#include "index/view.h"

namespace cairn::index {

/// The aggregations of one search, fed document by document.
class Aggregations {
 public:
  virtual ~Aggregations() = default;
  virtual Status begin_segment(const QueryContext& context, std::size_t segment) = 0;
  virtual Status add(std::uint32_t doc) = 0;  // live documents of the segment, ascending
  virtual Result<Json> finish() = 0;          // in the API's shape
};

/// From the API's object: names, each with one type and its parameters, and `aggs` below buckets.
/// With `typed_keys` answers are under names like avg#price, from which typed clients tell the
/// type. Errors: parsing_exception, illegal_argument_exception, query_shard_exception.
Result<std::unique_ptr<Aggregations>> make_aggregations(const QueryContext& context,
                                                        const Json& request,
                                                        const QueryReader& read_query,
                                                        bool typed_keys = false);

}  // namespace cairn::index
