// SPDX-License-Identifier: Apache-2.0
// What a search spent its time on, for those that ask.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/clock.h"

namespace cairn::index {

/// All calls of one kind together.
struct StepTime {
  std::int64_t ns = 0;
  std::uint64_t count = 0;
};

/// What is done with one part of a query: planning it, opening it in a segment, going to its
/// documents one after another or with leaps, and scoring them.
enum class QueryStep { create_weight, build_scorer, next_doc, advance, score };
inline constexpr std::size_t query_steps = 5;

/// The search for the nearest vectors.
struct VectorSearchProfile {
  std::uint64_t operations = 0;  // vectors compared, by their codes or by their numbers
  std::int64_t search_ns = 0;    // all of it
  std::int64_t rank_ns = 0;      // of that, comparing by numbers what codes had found
  bool is_own_search = false;    // KnnQuery::is_own_search
};

/// One part of a query. Times include those of `parts`. One thread.
struct QueryProfile {
  std::string type;  // in the words of the field's engine: BooleanQuery
  std::string description;
  std::array<StepTime, query_steps> steps = {};
  std::optional<VectorSearchProfile> vectors = {};
  std::vector<std::shared_ptr<QueryProfile>> parts = {};
  const os::Clock* clock = nullptr;

  StepTime& operator[](QueryStep step) { return steps[static_cast<std::size_t>(step)]; }
  const StepTime& operator[](QueryStep step) const { return steps[static_cast<std::size_t>(step)]; }
  /// What was measured since the last time, and begins anew.
  QueryProfile take();
};

/// Measures a step until it ends. Does nothing, and asks no clock, where the profile is null.
class StepWatch {
 public:
  StepWatch(StepTime* time, const os::Clock* clock)
      : time_(time), clock_(clock), begin_(time == nullptr ? 0 : clock->steady_ns()) {}
  StepWatch(QueryProfile* profile, QueryStep step)
      : StepWatch(profile == nullptr ? nullptr : &(*profile)[step],
                  profile == nullptr ? nullptr : profile->clock) {}
  ~StepWatch() { end(); }
  StepWatch(const StepWatch&) = delete;
  StepWatch& operator=(const StepWatch&) = delete;
  void end(std::uint64_t calls = 1) {
    if (time_ == nullptr) return;
    time_->ns += clock_->steady_ns() - begin_;
    time_->count += calls;
    time_ = nullptr;
  }

 private:
  StepTime* time_;
  const os::Clock* clock_;
  std::int64_t begin_;
};

/// One aggregation. Times include those of the ones below it.
struct AggregationProfile {
  std::string name;
  std::string type;  // in the words of the field's engine: GlobalOrdinalsStringTermsAggregator
  StepTime initialize = {}, build_leaf_collector = {}, collect = {}, build_aggregation = {};
  std::vector<AggregationProfile> below = {};
};

/// One search of one view.
struct SearchProfile {
  std::vector<QueryProfile> queries = {};  // the query, then what narrows its hits
  std::string collector = {};              // in the words of the field's engine
  bool only_counts = false;
  std::int64_t collect_ns = 0;  // what was done with the documents that match: both that follow
  std::int64_t hits_ns = 0;     // keeping the best
  std::int64_t aggregations_ns = 0;  // aggregating
  std::vector<AggregationProfile> aggregations = {};
};

}  // namespace cairn::index
