// SPDX-License-Identifier: Apache-2.0
// One search over indices whose names were resolved: what is checked before it, its run, and what
// its answer is made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "search/request.h"
#include "search/run/execution.h"
#include "search/run/rescore.h"
#include "search/show/answer.h"

namespace cairn::search {

/// A search under way. One thread; the execution outlives it. Errors of its calls: those of the
/// request, with the index that refused, and of searching.
class OneSearch {
 public:
  OneSearch(SearchRequest request, Cursor cursor, Execution& execution)
      : request_(std::move(request)), cursor_(std::move(cursor)), execution_(execution) {
    if (cursor_.kept.empty()) cursor_.given = request_.search_after;
  }

  Status run();
  /// The answer as compact JSON text. After run().
  Result<std::string> render(const AnswerFacts& facts);

  /// From here on hits are shown with some of their group.
  void show_inner_hits(ShowInnerHits show) { inner_hits_ = std::move(show); }
  const SearchRequest& request() const { return request_; }
  const std::vector<NestedInnerHits>& nested_inner_hits() const { return nested_inner_hits_; }

  /// As if nothing had been found: what is answered when the time is up.
  void forget() { ranking_ = {}; }
  /// What was counted before stands on a later page of a scroll.
  void count_as(std::uint64_t total, std::optional<float> max_score);
  const Ranking& ranking() const { return ranking_; }

 private:
  Status check_window() const;
  Status check_window(const index::Index* index, std::size_t window, std::size_t limit) const;
  Status check_rescore(const index::Index& index) const;
  /// How many fields there are, and that each can be shown as the request says.
  Status check_shown_fields() const;
  Status read_highlight_queries();
  index::SearchParams params() const;
  // Of a hit's objects. What was planned for those of the hit before serves again, but for the
  // nearest, which are looked for among its own, and for names, which are of what is read.
  Status run_within();
  Status run_plain();
  // Each hit is searched once for each of its inner_hits.
  Status check_inner_searches() const;
  Status rescore_hits();
  Queries sliced(Queries queries) const;
  Status run_compound();
  Status apply_post_filter(std::vector<Candidate>& hits);

  SearchRequest request_;
  Cursor cursor_;
  Execution& execution_;
  PreparedQueries queries_;
  PreparedQueries post_filter_;
  std::vector<PreparedRescorer> rescorers_;
  ShowInnerHits inner_hits_;
  std::vector<NestedInnerHits> nested_inner_hits_;
  Json suggest_;  // null: none was asked for
  OwnQueries own_queries_;
  Ranking ranking_;
};

}  // namespace cairn::search
