// SPDX-License-Identifier: Apache-2.0
// One request under way: the indices it searches, and running trees over all of them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/indices.h"
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
};

/// A query read for each target; one that nothing matches where there is no target.
using Queries = std::vector<index::Query>;

/// One thread; one request. Errors of running: those of View::search, wrapped in
/// search_phase_execution_exception.
class Execution {
 public:
  /// `text` is the request; `size` how many hits it asks for. All outlive the object.
  Execution(std::string_view text, std::vector<Target> targets, Embedder& embedder,
            const Options& options, std::size_t size, os::Deadline deadline);

  const std::vector<Target>& targets() const { return targets_; }
  const os::Deadline& deadline() const { return deadline_; }
  Embedder& embedder() { return embedder_; }
  const Options& options() const { return options_; }
  std::size_t size() const { return size_; }
  std::string_view text() const { return text_; }

  /// Reads a query for each target; null JSON gives match_all.
  Result<Queries> read(const Json& query, const std::string& path);
  Result<Queries> read_knn(const Json& knn, const std::string& path);
  /// Named queries of one target.
  const std::vector<NamedQuery>& named(std::size_t target) const;

  /// Plans a query for each target, once: what follows asks the plans.
  Result<PreparedQueries> prepare(Queries queries);
  /// Runs a query over all targets and merges. `params.from` must be 0. `search_after` is the JSON
  /// of the request, read by each target's mapping. `post_filter` may be empty.
  Result<Ranking> run(const PreparedQueries& queries, const index::SearchParams& params,
                      const std::vector<Json>& search_after, const PreparedQueries& post_filter);
  /// Which of the hits match a query, in their order; one walk over each target.
  Result<std::vector<bool>> matches(const PreparedQueries& queries,
                                    std::span<const Candidate> hits) const;

 private:
  Error failed(std::size_t target, Error cause) const;

  std::string_view text_;
  std::vector<Target> targets_;
  Embedder& embedder_;
  const Options& options_;
  std::size_t size_;
  os::Deadline deadline_;
  index::Mapping no_mapping_;  // to check a request that searches nothing
  std::vector<QueryReader> readers_;
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
