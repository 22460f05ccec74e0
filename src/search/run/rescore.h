// SPDX-License-Identifier: Apache-2.0
// Rescoring: the best hits in a new order, by what a second query makes of them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/explanation.h"
#include "search/run/execution.h"
#include "search/run/ranking.h"

namespace cairn::search {

/// How one rescorer puts two scores together.
struct RescoreRules {
  enum class Mode { total, multiply, avg, max, min };
  std::size_t window = 10;  // so many hits are asked the second query
  float query_weight = 1;
  float rescore_weight = 1;
  Mode mode = Mode::total;
};

struct Rescorer {
  RescoreRules rules;
  Json query;  // rescore_query
};

/// Reads `rescore`: one rescorer or a list. `text` is the request. Errors: parsing_exception,
/// illegal_argument_exception.
Result<std::vector<Rescorer>> read_rescore(std::string_view text, const Json& json);
/// How many hits the rescorers look at, together.
std::size_t widest_window(const std::vector<Rescorer>& rescorers);

/// A rescorer whose query is planned, one for each target.
struct PreparedRescorer {
  RescoreRules rules;
  PreparedQueries queries;
};
/// Errors: those of Execution.
Result<std::vector<PreparedRescorer>> prepare_rescorers(const std::vector<Rescorer>& rescorers,
                                                        Execution& execution, bool described);
/// Gives hits their new scores and order, one rescorer after another. Hits behind a window keep the
/// weighted score of the first query, and are sorted in by it.
Status rescore(const std::vector<PreparedRescorer>& rescorers, Execution& execution,
               std::vector<Candidate>& hits);

/// How the score of a rescored hit came about, of which `own` is the part of the first query.
Result<index::Explanation> explain_rescored(const std::vector<PreparedRescorer>& rescorers,
                                            const Candidate& hit, index::Explanation own,
                                            const os::Deadline& deadline);

}  // namespace cairn::search
