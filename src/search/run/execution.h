// SPDX-License-Identifier: Apache-2.0
// One request under way: the indices it searches, and running trees over all of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/indices.h"
#include "index/joint_aggregations.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "search/embedder.h"
#include "search/options.h"
#include "search/prepared.h"
#include "search/read/query_reader.h"
#include "search/run/ranking.h"

namespace cairn::search {

struct Target {
  std::shared_ptr<index::Index> index;
  std::shared_ptr<const index::View> view;
  std::vector<std::string> names = {};      // that the request reached it by
  std::shared_ptr<const Json> filter = {};  // of those: narrows what is found; null: nothing does
  bool hides_documents = false;             // NamedIndex::hides_documents
};

/// Behind which hit the next page begins: what the request brings, or what a scroll keeps.
struct Cursor {
  std::vector<Json> given = {};             // search_after, read by each target's mapping
  std::vector<index::SortValue> kept = {};  // of the last hit; wins where it is not empty
};

/// A query read for each target; one that nothing matches where there is no target.
using Queries = std::vector<index::Query>;

/// One search of a target.
struct MeasuredRun {
  std::int64_t read_ns = 0;  // reading its queries, and turning their texts into vectors
  std::shared_ptr<const index::SearchProfile> profile;
};
using MeasuredRuns = std::vector<MeasuredRun>;

/// What the searches of a request's hits for their objects keep, from one hit to the next. One
/// thread.
struct HitMemory {
  struct Planned {
    PreparedQueries queries = {};
    std::vector<NestedInnerHits> inner = {};  // of the objects
  };
  index::KeptSource source = {};
  std::map<std::string, Planned> planned = {};  // by the text of the search, and of which objects
};

/// One thread; one request. Errors of running: those of View::search, wrapped in
/// search_phase_execution_exception.
class Execution {
 public:
  /// `text` is the request; `size` how many hits it asks for; `now_ms` what `now` means, 0 for the
  /// clock. All outlive the object. Hits are looked for until `until`, or as long as the deadline
  /// lets.
  Execution(std::string_view text, std::vector<Target> targets, Embedder& embedder,
            const Options& options, std::size_t size, os::Deadline deadline,
            std::int64_t now_ms = 0, std::optional<os::Deadline> until = {});

  /// Queries that are read from here on may name documents. It outlives the object.
  void look_up_in(DocumentLookup& documents);
  /// Scores of each target count so many times.
  void boost_targets(std::vector<float> boosts) { boosts_ = std::move(boosts); }
  /// From here on what queries take is measured, by this clock, which outlives the object.
  void measure(const os::Clock& clock);

  /// What is kept of one hit for the next. `path`: of which objects the search is.
  void remember(std::shared_ptr<HitMemory> memory, const std::string& path) {
    memory_ = std::move(memory);
    memory_key_ = path + "\n" + std::string(text_);
  }

  const std::vector<Target>& targets() const { return targets_; }
  index::KeptSource& kept_source() const { return memory_->source; }
  HitMemory::Planned& planned_before() { return memory_->planned[memory_key_]; }
  const os::Deadline& deadline() const { return deadline_; }
  const os::Deadline& until() const { return until_ ? *until_ : deadline_; }
  /// Documents were left out, as the time for them was up.
  bool timed_out() const { return timed_out_; }
  /// The same, as so many were looked at as were to be.
  bool terminated_early() const { return terminated_early_; }
  Embedder& embedder() { return embedder_; }
  const Options& options() const { return options_; }
  std::size_t size() const { return size_; }
  std::string_view text() const { return text_; }

  /// Reads a query for each target; null JSON gives match_all.
  Result<Queries> read(const Json& query, const std::string& path);
  Result<Queries> read_knn(const Json& knn, const std::string& path);
  /// Reads one whose nested queries may have inner_hits, and adds those to `found`.
  Result<Queries> read_with_inner_hits(const Json& query, const std::string& path,
                                       std::vector<NestedInnerHits>& found);
  /// Named queries of one target.
  const std::vector<NamedQuery>& named(std::size_t target) const;

  /// The queries, boosted as boost_targets() said.
  Queries boosted(Queries queries) const;

  /// Plans a query for each target, once: what follows asks the plans. Each is narrowed by the
  /// filter of its target.
  /// `described`: they can be explained.
  Result<PreparedQueries> prepare(Queries queries, bool described = false);
  /// Runs a query over all targets and merges. `params.from` must be 0. `post_filter` may be empty.
  Result<Ranking> run(const PreparedQueries& queries, const index::SearchParams& params,
                      const Cursor& cursor, const PreparedQueries& post_filter);
  /// What run() has measured, of one target; nothing without measure().
  const MeasuredRuns& measured(std::size_t target) const { return measured_[target]; }
  bool is_measured() const { return clock_ != nullptr; }
  const os::Clock* clock() const { return clock_; }  // that measures; null: none
  /// Which of the hits match a query, in their order; one walk over each target.
  Result<std::vector<bool>> matches(const PreparedQueries& queries,
                                    std::span<const Candidate> hits) const;
  /// Their scores by a query, in their order; nothing for those that do not match.
  Result<std::vector<std::optional<float>>> scores(const PreparedQueries& queries,
                                                   std::span<const Candidate> hits) const;

 private:
  template <class Value, class Ask>
  Result<std::vector<Value>> asked_of(std::span<const Candidate> hits, Value none, Ask ask) const;
  /// What counts the documents of all targets together; null: nothing is counted, or of one target.
  Result<std::unique_ptr<index::JointAggregations>> join_aggregations(
      const index::SearchParams& params, const std::vector<index::PreparedQueryPtr>& plans);
  /// The plans, with the values of runtime fields that the search sorts, groups or counts by.
  Result<std::vector<index::PreparedQueryPtr>> with_values(const PreparedQueries& queries,
                                                           const index::SearchParams& params);
  Status read_filter(std::size_t target);
  Status check_inner_windows() const;
  index::Query narrowed_by_filter(std::size_t target, index::Query query) const;
  Status read_one(std::size_t target, const Json& query, const std::string& path, bool is_knn,
                  Queries& out);
  Error failed(std::size_t target, Error cause) const;
  Result<std::vector<index::SortValue>> cursor_of(std::size_t target, const Cursor& cursor,
                                                  const std::vector<index::SortKey>& keys) const;

  std::string_view text_;
  std::vector<Target> targets_;
  Embedder& embedder_;
  const Options& options_;
  std::size_t size_;
  os::Deadline deadline_;
  std::int64_t now_ms_;
  std::optional<os::Deadline> until_;
  std::shared_ptr<HitMemory> memory_ = std::make_shared<HitMemory>();
  std::string memory_key_;
  bool timed_out_ = false;
  bool terminated_early_ = false;
  std::vector<float> boosts_;  // of targets; empty: 1 each
  index::Mapping no_mapping_;  // to check a request that searches nothing
  std::vector<QueryReader> readers_;
  std::vector<std::shared_ptr<const index::Query>> filters_;  // of targets; null: none, or unread
  const os::Clock* clock_ = nullptr;    // that measures; null: nothing is measured
  std::vector<std::int64_t> read_ns_;   // by target: reading queries since the last run
  std::vector<MeasuredRuns> measured_;  // by target
};

/// Queries that match what any of the lists match, target by target.
Queries any_of(std::vector<Queries> lists);
PreparedQueries any_of(std::vector<PreparedQueries> lists);
/// `queries` narrowed by `filter`.
Queries narrowed(Queries queries, const Queries& filter);

/// The value of a search_after for one key. Errors: illegal_argument_exception.
Result<index::SortValue> sort_value(const Json& json, const index::SortKey& key,
                                    const index::Mapping& mapping);

}  // namespace cairn::search
