// SPDX-License-Identifier: Apache-2.0
// Plans that measure what is done with them.
#pragma once

#include <cstdint>
#include <memory>

#include "index/profile.h"
#include "index/query/plan.h"

namespace cairn::index {

/// The profile of a query that is being planned, and the part of it at hand.
class QueryProfiler {
 public:
  explicit QueryProfiler(const os::Clock& clock) : clock_(clock) {}
  const os::Clock& clock() const { return clock_; }
  /// Notes, of the part at hand, a search for the nearest vectors. One that is a search of its own
  /// does not count as planning.
  void found_vectors(const VectorSearchProfile& found);

 private:
  friend class PlanningWatch;
  const os::Clock& clock_;
  QueryProfile* at_ = nullptr;
  std::int64_t apart_ns_ = 0;  // not of planning
};

/// Measures the planning of one part of a query, and makes of its plan one that measures the rest.
/// Does nothing where there is no profiler.
class PlanningWatch {
 public:
  PlanningWatch(QueryProfiler* profiler, const Query& query);
  ~PlanningWatch();
  PlanningWatch(const PlanningWatch&) = delete;
  PlanningWatch& operator=(const PlanningWatch&) = delete;
  /// Nobody else has the plan yet.
  PlanPtr watched(PlanPtr plan);

 private:
  void end();
  QueryProfiler* profiler_;
  const Query& query_;
  QueryProfile* above_ = nullptr;
  std::shared_ptr<QueryProfile> own_;
  std::int64_t begin_ = 0, apart_before_ = 0;
};

/// The same plan, whose scorers write what they take into `profile`.
PlanPtr watched_plan(PlanPtr plan, std::shared_ptr<QueryProfile> profile);

}  // namespace cairn::index
