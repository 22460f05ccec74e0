// SPDX-License-Identifier: Apache-2.0
// Rendering the answer of a search.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "search/run/execution.h"
#include "search/run/ranking.h"
#include "search/request.h"

namespace cairn::search {

/// What is rendered beside the hits.
struct AnswerFacts {
  std::int64_t took_ms = 0;
  bool timed_out = false;
  std::size_t shards = 1;
};

/// The `highlight_query` of each highlighted field, read for each target.
using OwnQueries = std::vector<std::vector<std::optional<index::Query>>>;

/// Renders hits [request.from, + size) of `ranking.hits`, which starts at `first`. `queries` are
/// what the hits matched, for highlights. Reads sources from the views.
Result<std::string> render_answer(const SearchRequest& request, Execution& execution,
                                  const Ranking& ranking, const Queries& queries,
                                  const OwnQueries& own_queries, const AnswerFacts& facts);

}  // namespace cairn::search
