// SPDX-License-Identifier: Apache-2.0
// Counting and measuring the documents that match a search.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/aggregations/batch.h"
#include "index/profile.h"
#include "index/query/view_state.h"
#include "index/view.h"

namespace cairn::index {

/// The aggregations of one search, fed with the documents that match.
class Aggregations {
 public:
  virtual ~Aggregations() = default;
  virtual Status begin_segment(const QueryContext& context, std::size_t segment) = 0;
  virtual Status add(Docs docs) = 0;  // live documents of the segment, chunk by chunk
  /// Adds what others of the same request and view have counted, of other documents. No order of
  /// them changes what finish() gives. They are of no use afterwards, and outlive this.
  virtual Status absorb(Aggregations& others) = 0;
  /// Terms of all segments that are given numbers where many documents are counted: by each thread
  /// that counts a part of them.
  virtual std::uint64_t terms_to_number() const = 0;
  /// Other steps than those of the context count what finish() does.
  virtual void finish_under(os::Steps& steps) = 0;
  virtual Result<Json> finish() = 0;  // in the API's shape
  /// What they took, where they are measured.
  virtual std::vector<AggregationProfile> profiles() const = 0;
};

/// From the API's object: names, each with one type and its parameters, and `aggs` below buckets.
/// With `typed_keys` answers are under names like avg#price, from which typed clients tell the
/// type. `clock` measures them; null: they are not measured. Errors: parsing_exception,
/// x_content_parse_exception, illegal_argument_exception, query_shard_exception; those that are of
/// the request, whatever the index has, say where in the detail `_at` (names with dots; "*" where
/// the text says it).
Result<std::unique_ptr<Aggregations>> make_aggregations(const QueryContext& context,
                                                        const Json& request,
                                                        const QueryReader& read_query,
                                                        bool typed_keys = false,
                                                        const os::Clock* clock = nullptr);

}  // namespace cairn::index
