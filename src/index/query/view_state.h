// SPDX-License-Identifier: Apache-2.0
// What a View holds, and what one running query knows.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "index/mapping/mapping.h"
#include "index/options.h"
#include "index/segment/bits.h"
#include "index/segment/segment.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/steps.h"

namespace cairn::script {
class Program;
}

namespace cairn::index {

class FilterCache;
struct NestedView;

/// The views of nested fields that searches of a view have asked for. Safe from any thread.
struct NestedViews {
  Mutex mutex;
  std::map<std::string, std::shared_ptr<const NestedView>, std::less<>> by_path
      CAIRN_GUARDED_BY(mutex);
};

/// Programs of runtime fields that were compiled for a view. Safe from any thread.
struct RuntimePrograms {
  Mutex mutex;
  std::map<std::string, std::shared_ptr<const script::Program>, std::less<>> by_field
      CAIRN_GUARDED_BY(mutex);
};

/// The values of runtime fields in those documents of a segment that a search is about, as columns.
struct ComputedColumns {
  std::vector<std::string> fields;
  std::shared_ptr<const Segment> columns;  // has as many documents
};

struct SegmentView {
  std::shared_ptr<const Segment> segment;
  std::shared_ptr<const BitSet> deleted;  // null: none
  std::uint32_t live = 0;
  std::shared_ptr<const ComputedColumns> computed = {};  // null: none

  /// What has the column and the terms of a field.
  const Segment& of(std::string_view field) const {
    if (computed != nullptr)
      for (const std::string& one : computed->fields)
        if (one == field) return *computed->columns;
    return *segment;
  }

  bool is_live(std::uint32_t doc) const { return deleted == nullptr || !deleted->test(doc); }
};

struct ViewState {
  std::string index_name;
  std::shared_ptr<const Mapping> mapping;
  std::vector<SegmentView> segments;
  std::vector<std::string> segment_indices;  // whose each is; empty: all are of `index_name`
  Options options;
  const os::Clock* clock = nullptr;
  std::shared_ptr<FilterCache> filters;  // null: none are kept
  std::string nested_path;               // of which field its documents are objects; empty: none
  const NestedView* objects = nullptr;   // that it is the state of; null: of none
  mutable NestedViews nested;            // below it
  mutable RuntimePrograms runtime;
  std::shared_ptr<const ViewState> before;  // what plans for this one were made with; null: this
};

class Plan;
class QueryProfiler;
struct MatchingTerms;

/// Of one call; one thread.
struct QueryContext {
  const ViewState& view;
  const os::Deadline& deadline;
  std::int64_t now_ms = 0;
  /// Where the plans of labelled queries are kept while a query is planned; null: nowhere.
  std::vector<std::pair<std::uint32_t, std::shared_ptr<const Plan>>>* labelled = nullptr;
  bool keeps_bits = false;            // what plans find is asked for again: they keep it
  bool described = false;             // plans know what they are called, for explanations
  QueryProfiler* profiler = nullptr;  // of a query that is planned to be measured
  /// Documents of clauses that were found together, until a scorer takes them; by segment.
  mutable std::map<std::pair<const MatchingTerms*, std::size_t>, std::shared_ptr<const BitSet>>
      found = {};
  mutable std::size_t clauses = 0;        // planned so far, of the whole query
  mutable std::size_t regexp_states = 0;  // of its regular expressions so far
  mutable std::size_t runtime_clauses = 0;  // planned so far: what they find is kept nowhere
  mutable os::Steps steps{deadline, "searching"};
};

}  // namespace cairn::index
