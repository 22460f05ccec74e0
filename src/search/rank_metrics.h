// SPDX-License-Identifier: Apache-2.0
// How good a list of hits is, by what people say of its documents. Formulas: Järvelin and Kekäläinen,
// "Cumulated gain-based evaluation of IR techniques" (2002), for dcg; Chapelle et al., "Expected
// reciprocal rank for graded relevance" (2009).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::search {

/// The greatest rating that a document may have.
inline constexpr int rating_max = 1'000;

struct RankMetric {
  enum class Kind { precision, recall, reciprocal_rank, dcg, expected_reciprocal_rank };
  Kind kind = Kind::precision;
  std::size_t k = 10;          // hits that are looked at
  int relevant_from = 1;       // precision, recall, reciprocal_rank: the least rating that counts
  bool ignores_unrated = false;  // precision: hits without a rating are not there
  bool normalizes = false;       // dcg: in parts of the best there could be
  int greatest = 0;              // expected_reciprocal_rank: the best rating there is
};

/// What one search is worth. `details` are those of the metric, by its name.
struct RankScore {
  double score = 0;
  Json details;
};

/// Reads `metric`, an object with one member. `text` is the request. Errors: parsing_exception,
/// x_content_parse_exception, illegal_argument_exception.
Result<RankMetric> read_rank_metric(std::string_view text, const Json& json);

/// `hits`: the rating of each hit in order, nothing where it has none; at most `k` count. `rated`:
/// all ratings of the request.
RankScore rank_score(const RankMetric& metric, const std::vector<std::optional<int>>& hits,
                     std::vector<int> rated);

}  // namespace cairn::search
