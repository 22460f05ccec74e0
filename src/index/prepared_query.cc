// SPDX-License-Identifier: Apache-2.0
#include "index/prepared_query.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "index/aggregations/aggregations.h"
#include "index/data_too_large.h"
#include "index/errors.h"
#include "index/joint_aggregations.h"
#include "index/nearest/doc_chunks.h"
#include "index/query/collector.h"
#include "index/query/computed_columns.h"
#include "index/query/doc_order.h"
#include "index/query/parts.h"
#include "index/query/plan.h"
#include "index/query/profiling.h"
#include "index/query/top_terms.h"
#include "index/query/view_state.h"
#include "index/view.h"
#include "os/threads/compute_pool.h"

namespace cairn::index {
namespace {

// What giving a term its number takes, in documents that are counted.
constexpr std::uint64_t documents_of_term = 2;

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
        top_(keep_) {
    if (plan.profile() == nullptr) return;
    profile_ = std::make_shared<SearchProfile>();
    clock_ = plan.profile()->clock;
  }

  Result<TopDocs> search() {
    if (!params_.sort.empty()) CAIRN_CHECK(sorted_.check());
    if (params_.sort.empty() && !params_.search_after.empty())
      return illegal_argument("Sort must contain at least one field.");
    CAIRN_CHECK(begin_aggregations());
    if (walks_in_order(params_)) {
      const StepWatch watch = collecting();
      CAIRN_TRY(walked_, walk_in_order(context_, params_, plan_, post_filter_));
      count_.value = walked_.count;
      return finish();
    }
    const bool plain = params_.sort.empty() && aggregations_ == nullptr && !params_.min_score &&
                       params_.search_after.empty() && params_.terminate_after == 0;
    const auto shape = plain ? terms_shape(plan_) : std::nullopt;
    const Status ran = shape ? search_terms(*shape) : search_all();
    if (!ran.ok()) CAIRN_CHECK(cut_short(ran));
    return finish();
  }

  /// Whether threads took parts of it. Each held what it had found: one alone holds less.
  bool was_parted() const { return was_parted_; }
  /// From now on one thread does all of it.
  void keep_whole() { is_whole_ = true; }

 private:
  Status begin_aggregations() {
    if (params_.joint != nullptr) {
      aggregations_ = &params_.joint->aggregations();
    } else if (!params_.aggregations.is_null()) {
      CAIRN_TRY(own_aggregations_,
                make_aggregations(context_, params_.aggregations, params_.read_query,
                                  params_.typed_keys, clock_));
      aggregations_ = own_aggregations_.get();
    }
    return ok_status();
  }

  Status search_terms(const TermsShape& shape) {
    // The post_filter narrows the hits as a filter does: nothing else looks at what it takes out.
    TermsShape own = shape;
    own.profile = plan_.profile();
    if (post_filter_ != nullptr) {
      own.filters.push_back(post_filter_);
      own.narrowing_key.clear();
    }
    return top_terms(context_, own, params_.track_total_hits, top_, count_);
  }

  // The time for hits is up, that of the caller is not.
  bool is_cut_short(const Status& ran) const {
    return !ran.ok() && params_.collect_until && ran.error().kind == ErrorKind::timeout &&
           !context_.deadline.passed();
  }
  Status cut_short(const Status& ran) {
    if (!is_cut_short(ran)) return ran;
    timed_out_ = true;
    if (own_aggregations_ != nullptr)
      own_aggregations_->finish_under(rest_.emplace(context_.deadline));
    return sorting_segment_ ? sorted_.end_segment() : ok_status();
  }

  Status search_all() {
    const auto parts = parts_of_all();
    if (parts.size() > 1) return search_apart(parts);
    std::vector<DocRange> whole;
    for (std::size_t i = 0; i < context_.view.segments.size(); ++i)
      whole.push_back({i, 0, context_.view.segments[i].segment->doc_count()});
    return search_ranges(whole);
  }

  bool wants_scores() const {
    return (params_.sort.empty() && keep_ > 0) || sorted_.needs_scores() || params_.track_scores ||
           params_.min_score;
  }

  // Sorted hits alone: chunks whose bounds say that no hit is in them are passed over.
  bool passes_over() const {
    return !params_.sort.empty() && aggregations_ == nullptr && !wants_scores() &&
           post_filter_ == nullptr && params_.terminate_after == 0;
  }

  // One for each core that is free; none where one thread does it as soon.
  std::vector<std::vector<DocRange>> parts_of_all() const {
    const bool one_after_other =
        is_whole_ || params_.joint != nullptr || profile_ != nullptr ||
        params_.terminate_after > 0 ||
        std::any_of(params_.sort.begin(), params_.sort.end(),
                    [](const SortKey& key) { return !key.nested.empty(); });
    // The best of all documents are found in a few chunks.
    if (one_after_other || (passes_over() && plan_.matches_everything())) return {};
    const std::uint64_t work = documents_of(plan_);
    if (!is_worth_sharing(context_, work)) return {};
    // Numbering takes each thread as long as counting several times as many documents does.
    const std::uint64_t terms = aggregations_ == nullptr ? 0 : aggregations_->terms_to_number();
    if (terms * documents_of_term > work) return {};
    const std::size_t cores = free_cores(context_);
    if (cores < 2) return {};
    const std::uint64_t most = std::max<std::uint64_t>(1, work / work_of_part(context_, work));
    return equal_parts(context_.view, std::min<std::uint64_t>(cores, most));
  }

  // No more documents than these match.
  std::uint64_t documents_of(const Plan& plan) const {
    std::uint64_t least = 0;
    for (const SegmentView& view : context_.view.segments) least += view.live;
    if (const TermPlan* term = plan.as_term()) return std::min(least, doc_freq_of(*term));
    const BoolPlan* bools = plan.as_bool();
    if (bools == nullptr) return least;
    for (const auto* list : {&bools->must, &bools->filter})
      for (const PlanPtr& clause : *list) least = std::min(least, documents_of(*clause));
    if (!bools->must.empty() || !bools->filter.empty() || bools->should.empty()) return least;
    std::uint64_t sum = 0;
    for (const PlanPtr& clause : bools->should) sum += documents_of(*clause);
    return std::min(least, sum);
  }

  /// A part that another thread may take, beside this one.
  struct Other {
    std::unique_ptr<QueryContext> context;
    std::unique_ptr<Run> run;
  };

  Result<Other> other_part() const {
    Other out;
    out.context.reset(new QueryContext{.view = context_.view,
                                       .deadline = context_.deadline,
                                       .now_ms = context_.now_ms,
                                       .keeps_bits = context_.keeps_bits,
                                       .steps = os::Steps(context_.steps.deadline())});
    out.run = std::make_unique<Run>(*out.context, params_, plan_, post_filter_);
    CAIRN_CHECK(out.run->begin_aggregations());
    return out;
  }

  // Each part is a run of its own. What one has found counts although another was cut short.
  Status search_apart(const std::vector<std::vector<DocRange>>& parts) {
    was_parted_ = true;
    std::vector<Other> others;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      CAIRN_TRY(auto other, other_part());
      others.push_back(std::move(other));
    }
    std::vector<Status> how(parts.size(), ok_status());
    context_.view.options.compute->for_each(parts.size(), [&](std::size_t i) {
      how[i] = (i == 0 ? *this : *others[i - 1].run).search_ranges(parts[i]);
    });
    Status ran = ok_status();
    for (const Status& status : how) {
      if (!status.ok() && !is_cut_short(status)) return status;
      if (!status.ok()) ran = status;
    }
    if (!ran.ok() && aggregations_ != nullptr) {
      aggregations_->finish_under(rest_.emplace(context_.deadline));
      for (const Other& other : others) other.run->aggregations_->finish_under(*rest_);
    }
    for (const Other& other : others) CAIRN_CHECK(absorb(*other.run));
    return ran;
  }

  Status absorb(Run& run) {
    count_.value += run.count_.value;
    max_score_ = std::max(max_score_, run.max_score_);
    if (run.sorting_segment_) CAIRN_CHECK(run.sorted_.end_segment());
    sorted_.absorb(run.sorted_);
    auto found = run.top_.take();
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.doc < b.doc; });
    for (const TopScores::Entry& entry : found) add_scored(entry.score, entry.doc);
    return aggregations_ == nullptr ? ok_status() : aggregations_->absorb(*run.aggregations_);
  }

  Status search_ranges(const std::vector<DocRange>& ranges) {
    for (const DocRange& range : ranges) {
      if (terminated_) break;
      CAIRN_CHECK(search_range(range));
    }
    return context_.steps.status();  // a scorer without documents may have been cut short
  }

  Status search_range(const DocRange& range) {
    const std::size_t i = range.segment;
    CAIRN_TRY(const ScorerPtr scorer, plan_.scorer(context_, i));
    if (params_.joint != nullptr) {
      CAIRN_CHECK(params_.joint->begin_segment(i));
    } else if (aggregations_ != nullptr) {
      CAIRN_CHECK(aggregations_->begin_segment(context_, i));
    }
    if (scorer == nullptr) return ok_status();
    if (scorer->doc() < range.from) scorer->seek(range.from);
    std::shared_ptr<const BitSet> shown;
    if (post_filter_ != nullptr) {
      CAIRN_TRY(shown, matching_bits(context_, *post_filter_, i));
    }
    if (!params_.sort.empty()) CAIRN_CHECK(sorted_.begin_segment(i));
    sorting_segment_ = !params_.sort.empty();
    CAIRN_CHECK(search_segment(range, *scorer, shown.get()));
    if (sorting_segment_) CAIRN_CHECK(sorted_.end_segment());
    sorting_segment_ = false;
    return ok_status();
  }

  Status search_segment(const DocRange& range, Scorer& scorer, const BitSet* shown) {
    const bool scores = wants_scores();
    DocChunks chunks(context_.view.segments[range.segment], scorer, scores, context_.steps,
                     range.to);
    const bool may_skip = passes_over();
    while (!terminated_) {
      if (may_skip) pass_over(chunks);
      if (!next_of(chunks)) break;
      const StepWatch watch = collecting();
      CAIRN_CHECK(take(range.segment, chunks, shown, scores));
    }
    return context_.steps.status();
  }

  // What is known as a set is walked past the scorer, which cannot measure it.
  bool next_of(DocChunks& chunks) {
    StepWatch watch(chunks.counts() ? plan_.profile() : nullptr, QueryStep::next_doc);
    const bool found = chunks.next();
    watch.end(found ? chunks.docs().size() : 0);
    return found;
  }

  StepWatch collecting() { return {profile_ == nullptr ? nullptr : &collect_, clock_}; }
  StepWatch keeping() { return {profile_ == nullptr ? nullptr : &hits_, clock_}; }

  // Chunks that no hit can come from. Their documents are counted as far as the caller wants.
  void pass_over(DocChunks& chunks) {
    while (chunks.find() && (chunks.counts() || count_.value > params_.track_total_hits) &&
           !sorted_.may_enter(chunks.first(), chunks.last()) && context_.steps.status().ok())
      count_.value += chunks.skip();
  }

  Status take(std::size_t segment, DocChunks& chunks, const BitSet* shown, bool scores) {
    if (params_.min_score)
      chunks.keep([&](std::size_t i) { return !(chunks.scores()[i] < *params_.min_score); });
    if (params_.terminate_after > 0) end_after(chunks, shown);
    if (aggregations_ != nullptr) {
      const StepWatch watch(profile_ == nullptr ? nullptr : &aggregating_, clock_);
      CAIRN_CHECK(aggregations_->add(chunks.docs()));
    }
    if (shown != nullptr) chunks.keep([&](std::size_t i) { return shown->test(chunks.docs()[i]); });
    const auto docs = chunks.docs();
    count_.value += docs.size();
    if (scores)
      for (const float score : chunks.scores()) max_score_ = std::max(max_score_, score);
    const StepWatch watch = keeping();
    if (!params_.sort.empty()) return sorted_.add(docs, chunks.scores());
    for (std::size_t i = 0; i < docs.size() && keep_ > 0; ++i)
      add_scored(chunks.scores()[i],
                 {.segment = static_cast<std::uint32_t>(segment), .doc = docs[i]});
    return ok_status();
  }

  // Leaves the documents up to the last that counts. That there would be another ends the search.
  void end_after(DocChunks& chunks, const BitSet* shown) {
    std::uint64_t left = params_.terminate_after - count_.value;
    chunks.keep([&](std::size_t i) {
      const bool counts = shown == nullptr || shown->test(chunks.docs()[i]);
      terminated_ = terminated_ || (counts && left == 0);
      if (counts && left > 0) --left;
      return !terminated_;
    });
  }

  void add_scored(float score, DocAddress doc) {
    if (score > top_.threshold()) top_.add(score, doc);
  }

  Result<TopDocs> finish() {
    TopDocs out;
    out.timed_out = timed_out_;
    out.terminated_early = terminated_;
    StepWatch whole = collecting(), watch = keeping();
    out.total = count_.value;
    if (out.total > params_.track_total_hits) {
      out.total = params_.track_total_hits;
      out.total_is_lower_bound = true;
    }
    if (walks_in_order(params_)) {
      out.hits = std::move(walked_.hits);
    } else if (!params_.sort.empty()) {
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
    watch.end();
    whole.end();
    if (own_aggregations_ != nullptr) {
      CAIRN_TRY(out.aggregations, own_aggregations_->finish());
    }
    if (profile_ != nullptr) out.profile = profile();
    return out;
  }

  std::shared_ptr<SearchProfile> profile() {
    profile_->queries.push_back(plan_.profile()->take());
    if (post_filter_ != nullptr && post_filter_->profile() != nullptr)
      profile_->queries.push_back(post_filter_->profile()->take());
    profile_->only_counts = keep_ == 0;
    profile_->collector = profile_->only_counts   ? "TotalHitCountCollector"
                          : !params_.sort.empty() ? "SimpleFieldCollector"
                                                  : "SimpleTopScoreDocCollector";
    profile_->collect_ns = collect_.ns;
    profile_->hits_ns = hits_.ns;
    profile_->aggregations_ns = aggregating_.ns;
    if (own_aggregations_ != nullptr) profile_->aggregations = own_aggregations_->profiles();
    return std::move(profile_);
  }

  const QueryContext& context_;
  const SearchParams& params_;
  std::size_t keep_;
  const Plan& plan_;
  const Plan* post_filter_;
  std::unique_ptr<Aggregations> own_aggregations_;  // null: none, or those of several searches
  Aggregations* aggregations_ = nullptr;            // whichever count; null: none
  SortedHits sorted_;
  TopScores top_;
  HitCount count_;
  OrderedHits walked_;
  float max_score_ = -1;
  bool sorting_segment_ = false;  // one has begun and not ended
  bool timed_out_ = false;
  bool terminated_ = false;  // by SearchParams::terminate_after
  bool is_whole_ = false;
  bool was_parted_ = false;
  std::optional<os::Steps> rest_;           // what is left to do then
  std::shared_ptr<SearchProfile> profile_;  // null: nothing is measured
  const os::Clock* clock_ = nullptr;        // the same
  StepTime collect_, hits_, aggregating_;
};

Status check_of_view(const ViewState& view, DocAddress doc) {
  if (doc.segment < view.segments.size() &&
      doc.doc < view.segments[doc.segment].segment->doc_count())
    return ok_status();
  return illegal_argument("the document is not of this view");
}

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
  if (!params.collapse.empty() && params.sort.empty()) {
    SearchParams by_score = params;
    by_score.sort = {{.by = SortKey::By::score, .descending = true}};
    CAIRN_TRY(TopDocs out, search(by_score, post_filter, deadline));
    for (Hit& hit : out.hits) hit.sort.clear();
    return out;
  }
  const QueryContext context{
      .view = *view_,
      .deadline = deadline,
      .now_ms = now_ms_,
      .keeps_bits = keeps_bits_,
      .steps = os::Steps(params.collect_until ? *params.collect_until : deadline)};
  const Plan* shown = post_filter == nullptr ? nullptr : post_filter->plan_.get();
  Run run(context, params, *plan_, shown);
  auto out = run.search();
  if (out.ok() || !run.was_parted() || out.error().code != data_too_large_code) return out;
  // Together the parts held more than a search may.
  Run whole(context, params, *plan_, shown);
  whole.keep_whole();
  return whole.search();
}

Result<std::uint64_t> PreparedQuery::count(const os::Deadline& deadline) const {
  const QueryContext context{.view = *view_, .deadline = deadline, .now_ms = now_ms_};
  if (const auto shape = terms_shape(*plan_)) {
    TopScores none(0);
    HitCount found;
    CAIRN_CHECK(top_terms(context, *shape, UINT64_MAX, none, found));
    return found.value;
  }
  std::vector<std::uint64_t> counts(view_->segments.size(), 0);
  const auto count_one = [&](std::size_t i, const QueryContext& own) -> Status {
    counts[i] = view_->segments[i].live;
    if (plan_->matches_everything()) return ok_status();
    CAIRN_TRY(const auto bits, matching_bits(own, *plan_, i));
    counts[i] = bits->count();
    return ok_status();
  };
  std::uint64_t documents = 0;
  for (const SegmentView& segment : view_->segments) documents += segment.live;
  if (counts.size() > 1 && !plan_->matches_everything() && plan_->profile() == nullptr &&
      is_worth_sharing(context, documents)) {
    CAIRN_CHECK(for_each_part(context, counts.size(), count_one));
  } else {
    for (std::size_t i = 0; i < counts.size(); ++i) CAIRN_CHECK(count_one(i, context));
  }
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

namespace {

// What looks at documents one by one sees those that are asked about, and no others.
Result<ScorerPtr> scorer_for(const QueryContext& context, const Plan& plan, std::uint32_t segment,
                             const std::vector<DocAddress>& docs,
                             const std::vector<std::size_t>& order) {
  if (!plan.is_check()) return plan.scorer(context, segment);
  auto asked = std::make_shared<ScoredList>();
  for (const std::size_t i : order) {
    const bool known = !asked->empty() && asked->back().first == docs[i].doc;
    if (docs[i].segment == segment && !known) asked->emplace_back(docs[i].doc, plan.check_score());
  }
  CAIRN_CHECK(context.steps.take(order.size()));
  std::vector<WantedCheck> one(1);
  CAIRN_TRY(one.front().check, plan.check(context, segment));
  return checked_scorer(list_scorer(std::move(asked), 1), std::move(one), 0, context.steps);
}

}  // namespace

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
    CAIRN_CHECK(check_of_view(*view_, doc));
    if (segment != doc.segment) {
      segment = doc.segment;
      CAIRN_TRY(scorer, scorer_for(context, *plan_, doc.segment, docs, order));
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

Result<Explanation> PreparedQuery::explain(DocAddress doc, const os::Deadline& deadline) const {
  const QueryContext context{.view = *view_, .deadline = deadline, .now_ms = now_ms_};
  CAIRN_CHECK(check_of_view(*view_, doc));
  if (!view_->segments[doc.segment].is_live(doc.doc))
    return Explanation::none("the document is deleted");
  return plan_->explain(context, doc);
}

std::string PreparedQuery::text() const { return plan_->description(); }

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

Result<PreparedQueryPtr> PreparedQuery::with_values(const PreparedQueryPtr& query,
                                                    const SearchParams& params,
                                                    const os::Deadline& deadline) {
  const auto fields =
      computed_fields(*query->view_->mapping, params.sort, params.collapse, params.aggregations);
  if (fields.empty()) return query;
  const QueryContext context{.view = *query->view_, .deadline = deadline, .now_ms = query->now_ms_};
  CAIRN_TRY(auto view, with_columns(context, query->view_, *query->plan_, fields));
  auto out = std::make_shared<PreparedQuery>(std::move(view), query->plan_, query->labelled_,
                                             query->now_ms_);
  out->keeps_bits_ = query->keeps_bits_;
  return PreparedQueryPtr(std::move(out));
}

std::shared_ptr<const View> PreparedQuery::view() const {
  return std::make_shared<const View>(view_);
}

PreparedQueryPtr PreparedQuery::within(const PreparedQueryPtr& query, const WithinQuery& part) {
  auto plan = std::make_shared<BoolPlan>();
  plan->must.push_back(query->plan_);
  plan->filter.push_back(within_plan(part));
  auto out = std::make_shared<PreparedQuery>(query->view_, std::move(plan), query->labelled_,
                                             query->now_ms_);
  out->keeps_bits_ = true;
  return out;
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
  PlanPtr plan = any;
  if (const QueryProfile* first = any->should.front()->profile()) {
    auto whole = std::make_shared<QueryProfile>();
    whole->type = "BooleanQuery";
    whole->clock = first->clock;
    for (const PlanPtr& part : any->should) {
      whole->description += (whole->description.empty() ? "" : " ") + part->profile()->description;
      whole->parts.push_back(part->shared_profile());
    }
    plan = watched_plan(std::move(any), std::move(whole));
  }
  return std::make_shared<const PreparedQuery>(queries.front()->view_, std::move(plan),
                                               std::move(labelled), queries.front()->now_ms_);
}

}  // namespace cairn::index
