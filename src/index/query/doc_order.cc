// SPDX-License-Identifier: Apache-2.0
#include "index/query/doc_order.h"

#include <limits>

#include "index/errors.h"

namespace cairn::index {
namespace {

// A document with what is looked up about it takes longer than a step.
constexpr std::uint64_t steps_per_document = 4;

class Walk {
 public:
  Walk(const QueryContext& context, const SearchParams& params, const Plan& plan,
       const Plan* post_filter, std::int64_t after)
      : context_(context),
        plan_(plan),
        post_filter_(post_filter),
        keep_(params.from + params.size),
        count_to_(params.track_total_hits),
        after_(after) {}

  Result<OrderedHits> run() {
    std::int64_t base = 0;
    for (std::size_t i = 0; i < context_.view.segments.size() && !page_is_whole(); ++i) {
      const std::int64_t docs = context_.view.segments[i].segment->doc_count();
      if (after_ < base + docs - 1 || counts()) CAIRN_CHECK(walk_segment(i, base));
      base += docs;
    }
    CAIRN_CHECK(context_.steps.status());
    return std::move(out_);
  }

 private:
  bool counts() const { return count_to_ > 0 && out_.count <= count_to_; }
  bool page_is_whole() const { return out_.hits.size() >= keep_ && !counts(); }

  Status walk_segment(std::size_t segment, std::int64_t base) {
    const SegmentView& view = context_.view.segments[segment];
    CAIRN_TRY(const ScorerPtr scorer, plan_.scorer(context_, segment));
    if (scorer == nullptr) return context_.steps.status();
    std::shared_ptr<const BitSet> shown;
    if (post_filter_ != nullptr) {
      CAIRN_TRY(shown, matching_bits(context_, *post_filter_, segment));
    }
    const std::int64_t first = after_ + 1 - base;  // that the page may show
    for (std::uint32_t doc = scorer->doc(); doc != no_more && !page_is_whole();
         doc = scorer->next()) {
      if (doc < first && !counts()) {
        doc = scorer->seek(static_cast<std::uint32_t>(first));
        if (doc == no_more) break;
      }
      if (!context_.steps.go_on(steps_per_document)) break;
      if (!view.is_live(doc) || (shown != nullptr && !shown->test(doc))) continue;
      ++out_.count;
      if (doc >= first && out_.hits.size() < keep_) add(segment, doc, base + doc);
    }
    return context_.steps.status();
  }

  void add(std::size_t segment, std::uint32_t doc, std::int64_t place) {
    out_.hits.push_back({.doc = {.segment = static_cast<std::uint32_t>(segment), .doc = doc},
                         .score = std::numeric_limits<float>::quiet_NaN(),
                         .sort = {SortValue(place)}});
  }

  const QueryContext& context_;
  const Plan& plan_;
  const Plan* post_filter_;
  std::size_t keep_;
  std::uint64_t count_to_;
  std::int64_t after_;
  OrderedHits out_;
};

}  // namespace

bool walks_in_order(const SearchParams& params) {
  return params.collapse.empty() && params.sort.size() == 1 &&
         params.sort.front().by == SortKey::By::doc && !params.sort.front().descending &&
         params.aggregations.is_null() && params.joint == nullptr && !params.min_score &&
         !params.track_scores && params.terminate_after == 0;
}

Result<OrderedHits> walk_in_order(const QueryContext& context, const SearchParams& params,
                                  const Plan& plan, const Plan* post_filter) {
  std::int64_t after = -1;
  if (!params.search_after.empty()) {
    const auto* given = std::get_if<std::int64_t>(&params.search_after.front());
    if (given == nullptr)
      return illegal_argument("Failed to parse search_after value for field [_doc]");
    after = std::max<std::int64_t>(*given, -1);
  }
  return Walk(context, params, plan, post_filter, after).run();
}

}  // namespace cairn::index
