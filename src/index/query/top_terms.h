// SPDX-License-Identifier: Apache-2.0
// The best documents for a few terms, without looking at most of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/query/plan.h"
#include "index/view.h"

namespace cairn::index {

/// Keeps the best k: higher scores first, then earlier documents.
class TopScores {
 public:
  explicit TopScores(std::size_t k) : k_(k) { heap_.reserve(std::min<std::size_t>(k, 1024) + 1); }
  struct Entry {
    float score = 0;
    DocAddress doc;
  };
  /// Documents come in ascending order of their addresses.
  void add(float score, DocAddress doc);
  /// A score must be greater than this to get in; below every score while there is room.
  float threshold() const { return threshold_; }
  /// Says that as many documents as are kept have a greater score than this.
  void raise(float floor) {
    floor_ = std::max(floor_, floor);
    threshold_ = std::max(threshold_, floor_);
  }
  std::size_t kept() const { return k_; }
  std::vector<Entry> take();  // best first

 private:
  static bool better(const Entry& a, const Entry& b) {
    return a.score != b.score ? a.score > b.score : a.doc < b.doc;
  }
  std::size_t k_;
  float floor_ = -1;
  float threshold_ = -1;
  std::vector<Entry> heap_;
};

/// A query of scored terms: any of them, or all; narrowed by filters that do not score.
struct TermsShape {
  std::vector<const TermPlan*> terms;
  bool all = false;
  std::vector<const Plan*> filters;
  std::vector<const Plan*> excluded;
  std::string narrowing_key;        // of both; empty where their bits are not kept
  QueryProfile* profile = nullptr;  // of the whole query
};
/// The shape of a plan, where it has one.
std::optional<TermsShape> terms_shape(const Plan& plan);

struct HitCount {
  std::uint64_t value = 0;
  bool is_lower_bound = false;
};

/// What filters and deletions leave of a segment.
struct Narrowed {
  std::shared_ptr<const BitSet> accepted;  // by the filters; null: all
  std::shared_ptr<const BitSet> deleted;   // null: none
};
/// Bits of filters that are asked often are kept (FilterCache).
Result<Narrowed> narrowed_by(const QueryContext& context, const TermsShape& shape,
                             std::size_t segment);

/// Adds the best documents of all segments. Counts exactly up to `count_limit`; after that,
/// documents that cannot get in are not looked at. Where nothing is kept, it only counts.
Status top_terms(const QueryContext& context, const TermsShape& shape, std::uint64_t count_limit,
                 TopScores& top, HitCount& count);

}  // namespace cairn::index
