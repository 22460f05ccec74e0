// SPDX-License-Identifier: Apache-2.0
// Ranked lists over one or more indices, and the ways to make one list of several.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "format/json.h"
#include "index/view.h"
#include "os/steps.h"

namespace cairn::search {

/// A document of one of the indices that a request searches.
struct Place {
  std::size_t target = 0;
  index::DocAddress doc;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Candidate {
  Place place;
  float score = 0;
  std::vector<index::SortValue> sort = {};
  index::SortValue group = {};  // where hits are collapsed
  std::uint32_t asked = 0;  // a bit for each rescorer that asked its query of it
};

/// Best first.
struct Ranking {
  std::vector<Candidate> hits;
  std::uint64_t total = 0;
  bool total_is_lower_bound = false;
  std::optional<float> max_score = {};
  Json aggregations = {};
};

/// Reciprocal rank fusion: each list adds weight / (constant + rank), ranks from 1. Equal scores
/// go by their ranks in the first list, then the second, ...; then by place. At most `window`.
/// `steps` of the caller are counted; once they have ended, so has the list.
std::vector<Candidate> fuse_ranks(std::span<const std::vector<Candidate>> lists,
                                  std::span<const float> weights, double constant,
                                  std::size_t window, os::Steps* steps = nullptr);

enum class Normalizer { none, minmax, l2_norm };

/// Makes the scores of a list comparable with those of others: minmax to 0..1 (all equal: 1), or
/// divided by the length of the vector of all of them.
void normalize(std::vector<Candidate>& list, Normalizer normalizer);

/// The sum of weight times score over the lists. At most `window`; equal scores by place.
std::vector<Candidate> fuse_scores(std::span<const std::vector<Candidate>> lists,
                                   std::span<const float> weights, std::size_t window,
                                   os::Steps* steps = nullptr);

/// True where `a` comes before `b` by these keys; equal ones by place.
bool comes_before(const Candidate& a, const Candidate& b, std::span<const index::SortKey> keys);

}  // namespace cairn::search
