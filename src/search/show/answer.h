// SPDX-License-Identifier: Apache-2.0
// Rendering the answer of a search.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/explanation.h"
#include "os/clock.h"
#include "search/request.h"
#include "search/run/collapse.h"
#include "search/run/execution.h"
#include "search/run/ranking.h"
#include "search/run/rescore.h"

namespace cairn::search {

/// What is rendered beside the hits.
struct AnswerFacts {
  bool timed_out = false;
  bool terminated_early = false;
  std::size_t shards = 1;
  const os::Clock& clock;
  std::int64_t begin_ns = 0;     // of the request; `took` counts from here to the last hit's end
  std::size_t bytes_before = 0;  // of the answer that this one becomes part of
};

/// The `highlight_query` of each highlighted field, prepared for each target.
using OwnQueries = std::vector<std::vector<std::optional<Prepared>>>;

/// The tree of an explanation, as the API has it.
void write_explanation(const index::Explanation& explanation, JsonWriter& out);

/// The hits of a hit's group, by the names of inner_hits.
using ShowInnerHits = std::function<Result<Json>(const Candidate& hit)>;

/// What was found, and by what.
struct Found {
  const Ranking& ranking;
  const PreparedQueries& queries;
  const PreparedQueries& post_filter;  // may be empty
  const OwnQueries& own_queries;
  const std::vector<PreparedRescorer>& rescorers;
  const ShowInnerHits& inner_hits;  // empty: none are shown
  const Json& suggest;              // null: nothing was suggested
};

/// Renders hits [request.from, + size) of the ranking. Reads sources from the views. Errors besides
/// those: circuit_breaking_exception before the text would be longer than
/// Options::answer_bytes_max.
Result<std::string> render_answer(const SearchRequest& request, Execution& execution,
                                  const Found& found, const AnswerFacts& facts);

}  // namespace cairn::search
