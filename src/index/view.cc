// SPDX-License-Identifier: Apache-2.0
#include "index/view.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "base/strings.h"
#include "index/aggregations/aggregations.h"
#include "index/query/collector.h"
#include "index/document/document.h"
#include "index/errors.h"
#include "index/query/plan.h"
#include "index/query/top_terms.h"
#include "index/query/vector_scores.h"
#include "index/query/view_state.h"

namespace cairn::index {
namespace {

QueryContext context_for(const ViewState& state, const os::Deadline& deadline,
                         std::int64_t now_ms) {
  return {.view = state,
          .deadline = deadline,
          .now_ms = now_ms != 0 || state.clock == nullptr ? now_ms : state.clock->unix_ms()};
}

/// One run of View::search.
class Run {
 public:
  Run(const QueryContext& context, const SearchParams& params)
      : context_(context),
        params_(params),
        keep_(params.from + params.size),
        sorted_(context, params, keep_),
        top_(keep_) {}

  Result<TopDocs> search(const Query& query) {
    if (!params_.sort.empty()) CAIRN_CHECK(sorted_.check());
    if (params_.sort.empty() && !params_.search_after.empty())
      return illegal_argument("Sort must contain at least one field.");
    CAIRN_TRY(plan_, make_plan(context_, query));
    if (params_.post_filter) {
      CAIRN_TRY(post_filter_, make_plan(context_, *params_.post_filter));
    }
    if (!params_.aggregations.is_null()) {
      CAIRN_TRY(aggregations_, make_aggregations(context_, params_.aggregations, params_.read_query,
                                                 params_.typed_keys));
    }
    const bool plain = params_.sort.empty() && aggregations_ == nullptr && !params_.min_score &&
                       params_.search_after.empty();
    const auto shape = plain ? terms_shape(*plan_) : std::nullopt;
    CAIRN_CHECK(shape ? search_terms(*shape) : search_all());
    return finish();
  }

 private:
  Status search_terms(const TermsShape& shape) {
    // The post_filter narrows the hits as a filter does: nothing else looks at what it takes out.
    TermsShape own = shape;
    if (post_filter_ != nullptr) own.filters.push_back(post_filter_.get());
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
      CAIRN_TRY(const ScorerPtr scorer, plan_->scorer(context_, i));
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
    return ok_status();
  }

  Status search_segment(std::size_t segment, Scorer& scorer, const BitSet* shown, bool scores) {
    const SegmentView& view = context_.view.segments[segment];
    std::uint32_t seen = 0;
    for (std::uint32_t doc = scorer.doc(); doc != no_more; doc = scorer.next()) {
      if (++seen % 4096 == 0) CAIRN_CHECK(context_.deadline.check("searching"));
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
    return ok_status();
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
  PlanPtr plan_, post_filter_;
  std::unique_ptr<Aggregations> aggregations_;
  SortedHits sorted_;
  TopScores top_;
  HitCount count_;
  float max_score_ = -1;
};

Status check_address(const ViewState& state, DocAddress doc) {
  if (doc.segment < state.segments.size() &&
      doc.doc < state.segments[doc.segment].segment->doc_count())
    return ok_status();
  return illegal_argument("the document is not of this view");
}

}  // namespace

View::View(std::shared_ptr<const ViewState> state) : state_(std::move(state)) {}
View::~View() = default;

const Mapping& View::mapping() const { return *state_->mapping; }

std::uint64_t View::document_count() const {
  std::uint64_t sum = 0;
  for (const SegmentView& s : state_->segments) sum += s.live;
  return sum;
}

std::uint64_t View::deleted_count() const {
  std::uint64_t sum = 0;
  for (const SegmentView& s : state_->segments) sum += s.segment->doc_count() - s.live;
  return sum;
}

std::size_t View::segment_count() const { return state_->segments.size(); }

Result<TopDocs> View::search(const Query& query, const SearchParams& params,
                             const os::Deadline& deadline) const {
  const QueryContext context = context_for(*state_, deadline, params.now_ms);
  return Run(context, params).search(query);
}

Result<std::uint64_t> View::count(const Query& query, const os::Deadline& deadline) const {
  const QueryContext context = context_for(*state_, deadline, 0);
  if (std::holds_alternative<MatchAllQuery>(query.node)) return document_count();
  CAIRN_TRY(const auto plan, make_plan(context, query));
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < state_->segments.size(); ++i) {
    CAIRN_TRY(const auto bits, matching_bits(context, *plan, i));
    sum += bits->count();
  }
  return sum;
}

Result<std::vector<bool>> View::matches(const Query& query, const std::vector<DocAddress>& docs,
                                        const os::Deadline& deadline) const {
  const QueryContext context = context_for(*state_, deadline, 0);
  CAIRN_TRY(const auto plan, make_plan(context, query));
  std::vector<std::shared_ptr<const BitSet>> bits(state_->segments.size());
  std::vector<bool> out;
  for (const DocAddress& doc : docs) {
    CAIRN_CHECK(check_address(*state_, doc));
    if (bits[doc.segment] == nullptr) {
      CAIRN_TRY(bits[doc.segment], matching_bits(context, *plan, doc.segment));
    }
    out.push_back(bits[doc.segment]->test(doc.doc));
  }
  return out;
}

Result<std::string> View::id(DocAddress doc, const os::Deadline& deadline) const {
  CAIRN_CHECK(check_address(*state_, doc));
  return state_->segments[doc.segment].segment->id(doc.doc, deadline);
}

Result<std::string> View::source(DocAddress doc, const os::Deadline& deadline) const {
  CAIRN_CHECK(check_address(*state_, doc));
  return state_->segments[doc.segment].segment->source(doc.doc, deadline);
}

Result<DocumentVersion> View::version(DocAddress doc, const os::Deadline& deadline) const {
  CAIRN_CHECK(check_address(*state_, doc));
  const Segment& segment = *state_->segments[doc.segment].segment;
  DocumentVersion out;
  CAIRN_TRY(out.version, segment.version(doc.doc, deadline));
  CAIRN_TRY(out.seq_no, segment.seq_no(doc.doc, deadline));
  return out;
}

Result<std::optional<DocAddress>> View::find(std::string_view id,
                                             const os::Deadline& deadline) const {
  for (std::size_t i = state_->segments.size(); i-- > 0;) {
    const SegmentView& view = state_->segments[i];
    CAIRN_TRY(const auto docs, view.segment->find(id, deadline));
    for (const std::uint32_t doc : docs)
      if (view.is_live(doc))
        return std::optional(DocAddress{.segment = static_cast<std::uint32_t>(i), .doc = doc});
  }
  return std::optional<DocAddress>();
}

Result<std::vector<SortValue>> View::values(DocAddress doc, std::string_view name,
                                            const os::Deadline& deadline) const {
  CAIRN_CHECK(check_address(*state_, doc));
  std::vector<SortValue> out;
  const Field* field = state_->mapping->find(name);
  if (field == nullptr) return out;
  const Segment& segment = *state_->segments[doc.segment].segment;
  CAIRN_TRY(const auto column, segment.column(name, deadline));
  if (column == nullptr) return out;
  const auto [first, last] = column->reader.range(doc.doc);
  for (std::uint32_t i = first; i < last; ++i) {
    const std::int64_t value = column->reader.value(i);
    if (field->type == FieldType::keyword) {
      const TermsReader* terms = segment.terms(name);
      if (terms == nullptr) return corrupt_object(segment.name(), "a column lacks its terms");
      CAIRN_TRY(auto term, terms->term_at(static_cast<std::uint64_t>(value), deadline));
      out.emplace_back(std::move(term));
    } else if (is_number(field->type) && !is_whole_number(field->type)) {
      out.emplace_back(key_double(value));
    } else {
      out.emplace_back(value);
    }
  }
  return out;
}

Result<TermStatistics> View::term_statistics(std::string_view field, std::string_view term,
                                             const os::Deadline& deadline) const {
  const QueryContext context = context_for(*state_, deadline, 0);
  const FieldTotals totals = field_totals(*state_, field);
  CAIRN_TRY(const auto found, find_term(context, std::string(field), std::string(term)));
  TermStatistics out{.doc_count = totals.doc_count, .sum_total_freq = totals.sum_total_freq};
  for (const TermPlan::Place& place : found->places)
    if (place.reader != nullptr) out.doc_freq += place.entry.doc_freq;
  return out;
}

Result<std::vector<std::string>> View::highlight_terms(const Query& query, std::string_view field,
                                                       const os::Deadline& deadline) const {
  const QueryContext context = context_for(*state_, deadline, 0);
  CAIRN_TRY(const auto plan, make_plan(context, query));
  std::vector<std::string> terms;
  plan->add_terms(field, terms);
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

}  // namespace cairn::index
