// SPDX-License-Identifier: Apache-2.0
#include "index/prepared_query.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "index/aggregations/aggregations.h"
#include "index/errors.h"
#include "index/query/collector.h"
#include "index/query/plan.h"
#include "index/query/top_terms.h"
#include "index/query/view_state.h"

namespace cairn::index {
namespace {

/// One run of PreparedQuery::search.
class Run {
 public:
  Run(const QueryContext& context, const SearchParams& params, const Plan& plan,
      const Plan* post_filter)
      : context_(context),
        params_(params),
        keep_(params.from + params.size),
        plan_(plan),
        post_filter_(post_filter),
        sorted_(context, params, keep_),
        top_(keep_) {}

  Result<TopDocs> search() {
    if (!params_.sort.empty()) CAIRN_CHECK(sorted_.check());
    if (params_.sort.empty() && !params_.search_after.empty())
      return illegal_argument("Sort must contain at least one field.");
    if (!params_.aggregations.is_null()) {
      CAIRN_TRY(aggregations_, make_aggregations(context_, params_.aggregations, params_.read_query,
                                                 params_.typed_keys));
    }
    const bool plain = params_.sort.empty() && aggregations_ == nullptr && !params_.min_score &&
                       params_.search_after.empty();
    const auto shape = plain ? terms_shape(plan_) : std::nullopt;
    CAIRN_CHECK(shape ? search_terms(*shape) : search_all());
    return finish();
  }

 private:
  // A document with its scores and aggregations takes longer than a step.
  static constexpr std::uint64_t per_document = 4;

  Status search_terms(const TermsShape& shape) {
    // The post_filter narrows the hits as a filter does: nothing else looks at what it takes out.
    TermsShape own = shape;
    if (post_filter_ != nullptr) own.filters.push_back(post_filter_);
    std::vector<std::shared_ptr<const BitSet>> narrowed;
    for (std::size_t i = 0; i < context_.view.segments.size(); ++i) {
      CAIRN_TRY(auto bits, narrow(own, i));
      narrowed.push_back(std::move(bits));
    }
    return top_terms(context_, own, narrowed, params_.track_total_hits, top_, count_);
  }

  // The documents that filters and deletions leave; null for all.
  Result<std::shared_ptr<const BitSet>> narrow(const TermsShape& shape, std::size_t segment) {
    const SegmentView& view = context_.view.segments[segment];
    if (shape.filters.empty() && shape.excluded.empty() && view.deleted == nullptr)
      return std::shared_ptr<const BitSet>();
    auto bits = std::make_shared<BitSet>(view.segment->doc_count());
    bits->set_all();
    if (view.deleted != nullptr) bits->subtract(*view.deleted);
    for (const Plan* filter : shape.filters) {
      CAIRN_TRY(const auto own, matching_bits(context_, *filter, segment));
      *bits &= *own;
    }
    for (const Plan* excluded : shape.excluded) {
      CAIRN_TRY(const auto own, matching_bits(context_, *excluded, segment));
      bits->subtract(*own);
    }
    return std::shared_ptr<const BitSet>(std::move(bits));
  }

  Status search_all() {
    const bool scores =
        params_.sort.empty() || sorted_.needs_scores() || params_.track_scores || params_.min_score;
    for (std::size_t i = 0; i < context_.view.segments.size(); ++i) {
      CAIRN_TRY(const ScorerPtr scorer, plan_.scorer(context_, i));
      if (aggregations_ != nullptr) CAIRN_CHECK(aggregations_->begin_segment(context_, i));
      if (scorer == nullptr) continue;
      std::shared_ptr<const BitSet> shown;
      if (post_filter_ != nullptr) {
        CAIRN_TRY(shown, matching_bits(context_, *post_filter_, i));
      }
      if (!params_.sort.empty()) CAIRN_CHECK(sorted_.begin_segment(i));
      CAIRN_CHECK(search_segment(i, *scorer, shown.get(), scores));
      if (!params_.sort.empty()) CAIRN_CHECK(sorted_.end_segment());
    }
    return context_.steps.status();  // a scorer without documents may have been cut short
  }

  Status search_segment(std::size_t segment, Scorer& scorer, const BitSet* shown, bool scores) {
    const SegmentView& view = context_.view.segments[segment];
    for (std::uint32_t doc = scorer.doc(); doc != no_more; doc = scorer.next()) {
      if (!context_.steps.go_on(per_document)) break;
      if (!view.is_live(doc)) continue;
      const float score = scores ? scorer.score() : std::numeric_limits<float>::quiet_NaN();
      if (params_.min_score && score < *params_.min_score) continue;
      if (aggregations_ != nullptr) CAIRN_CHECK(aggregations_->add(doc));
      if (shown != nullptr && !shown->test(doc)) continue;
      ++count_.value;
      if (scores) max_score_ = std::max(max_score_, score);
      if (!params_.sort.empty())
        sorted_.add(doc, score);
      else if (score > top_.threshold() || keep_ > 0)
        add_scored(score, {.segment = static_cast<std::uint32_t>(segment), .doc = doc});
    }
    return context_.steps.status();
  }

  void add_scored(float score, DocAddress doc) {
    if (score > top_.threshold()) top_.add(score, doc);
  }

  Result<TopDocs> finish() {
    TopDocs out;
    out.total = count_.value;
    if (out.total > params_.track_total_hits) {
      out.total = params_.track_total_hits;
      out.total_is_lower_bound = true;
    }
    if (!params_.sort.empty()) {
      out.hits = sorted_.take();
      if (max_score_ >= 0 && (sorted_.needs_scores() || params_.track_scores))
        out.max_score = max_score_;
    } else {
      for (const TopScores::Entry& entry : top_.take())
        out.hits.push_back({.doc = entry.doc, .score = entry.score});
      if (!out.hits.empty()) out.max_score = out.hits.front().score;
    }
    const std::size_t skip = std::min(params_.from, out.hits.size());
    out.hits.erase(out.hits.begin(), out.hits.begin() + static_cast<std::ptrdiff_t>(skip));
    if (aggregations_ != nullptr) {
      CAIRN_TRY(out.aggregations, aggregations_->finish());
    }
    return out;
  }

  const QueryContext& context_;
  const SearchParams& params_;
  std::size_t keep_;
  const Plan& plan_;
  const Plan* post_filter_;
  std::unique_ptr<Aggregations> aggregations_;
  SortedHits sorted_;
  TopScores top_;
  HitCount count_;
  float max_score_ = -1;
};

}  // namespace

PreparedQuery::PreparedQuery(std::shared_ptr<const ViewState> view,
                             std::shared_ptr<const Plan> plan, Plans labelled, std::int64_t now_ms)
    : view_(std::move(view)),
      plan_(std::move(plan)),
      labelled_(std::move(labelled)),
      now_ms_(now_ms) {}
PreparedQuery::~PreparedQuery() = default;

Result<TopDocs> PreparedQuery::search(const SearchParams& params, const PreparedQuery* post_filter,
                                      const os::Deadline& deadline) const {
  const QueryContext context{.view = *view_, .deadline = deadline, .now_ms = now_ms_};
  return Run(context, params, *plan_, post_filter == nullptr ? nullptr : post_filter->plan_.get())
      .search();
}

Result<std::uint64_t> PreparedQuery::count(const os::Deadline& deadline) const {
  const QueryContext context{.view = *view_, .deadline = deadline, .now_ms = now_ms_};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < view_->segments.size(); ++i) {
    if (plan_->matches_everything()) {
      sum += view_->segments[i].live;
      continue;
    }
    CAIRN_TRY(const auto bits, matching_bits(context, *plan_, i));
    sum += bits->count();
  }
  return sum;
}

template <class Each>
Status PreparedQuery::each_match(const std::vector<DocAddress>& docs, const os::Deadline& deadline,
                                 Each each) const {
  const QueryContext context{.view = *view_, .deadline = deadline, .now_ms = now_ms_};
  std::vector<std::size_t> order(docs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return docs[a] < docs[b]; });
  ScorerPtr scorer;
  std::optional<std::uint32_t> segment;
  for (const std::size_t i : order) {
    const DocAddress doc = docs[i];
    if (doc.segment >= view_->segments.size() ||
        doc.doc >= view_->segments[doc.segment].segment->doc_count())
      return illegal_argument("the document is not of this view");
    if (segment != doc.segment) {
      segment = doc.segment;
      CAIRN_TRY(scorer, plan_->scorer(context, doc.segment));
    }
    CAIRN_CHECK(context.steps.take());
    if (scorer == nullptr || !view_->segments[doc.segment].is_live(doc.doc)) continue;
    if (scorer->doc() != no_more && scorer->seek(doc.doc) == doc.doc) each(i, *scorer);
  }
  return context.steps.status();
}

Result<std::vector<bool>> PreparedQuery::matches(const std::vector<DocAddress>& docs,
                                                 const os::Deadline& deadline) const {
  std::vector<bool> out(docs.size(), false);
  CAIRN_CHECK(each_match(docs, deadline, [&](std::size_t i, Scorer&) { out[i] = true; }));
  return out;
}

Result<std::vector<std::optional<float>>> PreparedQuery::scores(
    const std::vector<DocAddress>& docs, const os::Deadline& deadline) const {
  std::vector<std::optional<float>> out(docs.size());
  CAIRN_CHECK(
      each_match(docs, deadline, [&](std::size_t i, Scorer& scorer) { out[i] = scorer.score(); }));
  return out;
}

std::vector<std::string> PreparedQuery::terms(std::string_view field) const {
  std::vector<std::string> terms;
  plan_->add_terms(field, terms);
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

PreparedQueryPtr PreparedQuery::part(std::uint32_t label) const {
  for (const auto& [known, plan] : labelled_)
    if (known == label) return std::make_shared<const PreparedQuery>(view_, plan, Plans(), now_ms_);
  return nullptr;
}

PreparedQueryPtr PreparedQuery::any_of(const std::vector<PreparedQueryPtr>& queries) {
  if (queries.size() == 1) return queries.front();
  auto any = std::make_shared<BoolPlan>();
  Plans labelled;
  for (const PreparedQueryPtr& query : queries) {
    any->should.push_back(query->plan_);
    labelled.insert(labelled.end(), query->labelled_.begin(), query->labelled_.end());
  }
  any->least_should = 1;
  return std::make_shared<const PreparedQuery>(queries.front()->view_, std::move(any),
                                               std::move(labelled), queries.front()->now_ms_);
}

}  // namespace cairn::index
