// SPDX-License-Identifier: Apache-2.0
#include "index/query/profiling.h"

#include <utility>
#include <variant>

namespace cairn::index {
namespace {

// Descriptions of long lists say how they begin.
constexpr std::size_t description_max = 1'024;

/// A scorer that writes down how long its steps take.
class WatchedScorer final : public Scorer {
 public:
  WatchedScorer(ScorerPtr inner, std::shared_ptr<QueryProfile> profile)
      : inner_(std::move(inner)), profile_(std::move(profile)) {
    doc_ = inner_->doc();
  }
  std::uint32_t next() override {
    const StepWatch watch(profile_.get(), QueryStep::next_doc);
    return doc_ = inner_->next();
  }
  std::uint32_t seek(std::uint32_t target) override {
    const StepWatch watch(profile_.get(), QueryStep::advance);
    return doc_ = inner_->seek(target);
  }
  float score() override {
    const StepWatch watch(profile_.get(), QueryStep::score);
    return inner_->score();
  }
  const BitSet* bits() const override { return inner_->bits(); }
  bool is_all() const override { return inner_->is_all(); }
  float frequency() const override { return inner_->frequency(); }
  std::uint64_t cost() const override { return inner_->cost(); }

 private:
  ScorerPtr inner_;
  std::shared_ptr<QueryProfile> profile_;
};

class WatchedPlan final : public Plan {
 public:
  explicit WatchedPlan(PlanPtr inner) : inner_(std::move(inner)) {}
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    const StepWatch watch(profile(), QueryStep::build_scorer);
    CAIRN_TRY(auto scorer, inner_->scorer(context, segment));
    if (scorer == nullptr) return scorer;
    return ScorerPtr(std::make_unique<WatchedScorer>(std::move(scorer), shared_profile()));
  }
  bool matches_nothing() const override { return inner_->matches_nothing(); }
  bool matches_everything() const override { return inner_->matches_everything(); }
  const TermPlan* as_term() const override { return inner_->as_term(); }
  const BoolPlan* as_bool() const override { return inner_->as_bool(); }
  bool is_check() const override { return inner_->is_check(); }
  Result<std::unique_ptr<DocCheck>> check(const QueryContext& context,
                                          std::size_t segment) const override {
    return inner_->check(context, segment);
  }
  float check_score() const override { return inner_->check_score(); }
  void add_terms(std::string_view field, std::vector<std::string>& out) const override {
    inner_->add_terms(field, out);
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    return inner_->explain(context, doc);
  }
  std::string description() const override { return inner_->description(); }

 private:
  PlanPtr inner_;
};

/// The classes of the field's engine.
struct TypeName {
  const char* operator()(const MatchAllQuery&) const { return "MatchAllDocsQuery"; }
  const char* operator()(const MatchNoneQuery&) const { return "MatchNoDocsQuery"; }
  const char* operator()(const TermQuery&) const { return "TermQuery"; }
  const char* operator()(const TermsQuery&) const { return "TermInSetQuery"; }
  const char* operator()(const RangeQuery&) const { return "IndexOrDocValuesQuery"; }
  const char* operator()(const ExistsQuery&) const { return "FieldExistsQuery"; }
  const char* operator()(const IdsQuery&) const { return "TermInSetQuery"; }
  const char* operator()(const PrefixQuery&) const { return "PrefixQuery"; }
  const char* operator()(const WildcardQuery&) const { return "WildcardQuery"; }
  const char* operator()(const RegexpQuery&) const { return "RegexpQuery"; }
  const char* operator()(const FuzzyQuery&) const { return "FuzzyQuery"; }
  const char* operator()(const MatchQuery&) const { return "TermQuery"; }
  const char* operator()(const MatchPhraseQuery& q) const {
    return q.prefix ? "MultiPhrasePrefixQuery" : "PhraseQuery";
  }
  const char* operator()(const BoolQuery&) const { return "BooleanQuery"; }
  const char* operator()(const ConstantScoreQuery&) const { return "ConstantScoreQuery"; }
  const char* operator()(const DisMaxQuery&) const { return "DisjunctionMaxQuery"; }
  const char* operator()(const BoostingQuery&) const { return "FunctionScoreQuery"; }
  const char* operator()(const KnnQuery&) const { return "KnnFloatVectorQuery"; }
  const char* operator()(const SparseQuery&) const { return "BooleanQuery"; }
  const char* operator()(const DenseScoreQuery&) const { return "VectorSimilarityQuery"; }
  const char* operator()(const SliceQuery&) const { return "TermsSliceQuery"; }
  const char* operator()(const TermsSetQuery&) const { return "CoveringQuery"; }
  const char* operator()(const SpanQuery& q) const {
    switch (q.kind) {
      case SpanQuery::Kind::term:
        return "SpanTermQuery";
      case SpanQuery::Kind::multi:
        return "SpanMultiTermQueryWrapper";
      case SpanQuery::Kind::near:
      case SpanQuery::Kind::gap:
        return "SpanNearQuery";
      case SpanQuery::Kind::any:
        return "SpanOrQuery";
      case SpanQuery::Kind::without:
        return "SpanNotQuery";
      case SpanQuery::Kind::first:
        return "SpanFirstQuery";
      case SpanQuery::Kind::containing:
        return "SpanContainingQuery";
      case SpanQuery::Kind::within:
        return "SpanWithinQuery";
      case SpanQuery::Kind::masked:
        return "FieldMaskingSpanQuery";
    }
    return "SpanQuery";
  }
  const char* operator()(const IntervalsQuery&) const { return "IntervalQuery"; }
  const char* operator()(const WithinQuery&) const { return "DocRangeQuery"; }
  const char* operator()(const NestedQuery&) const { return "ToParentBlockJoinQuery"; }
  const char* operator()(const DocumentsQuery&) const { return "ToChildBlockJoinQuery"; }
  const char* operator()(const MoreLikeThisQuery&) const { return "BooleanQuery"; }
  const char* operator()(const FunctionScoreQuery&) const { return "FunctionScoreQuery"; }
  const char* operator()(const ScriptScoreQuery&) const { return "ScriptScoreQuery"; }
  const char* operator()(const ScriptQuery&) const { return "ScriptQuery"; }
  const char* operator()(const DistanceFeatureQuery&) const { return "LongDistanceFeatureQuery"; }
  const char* operator()(const RankFeatureQuery&) const { return "FeatureQuery"; }
  const char* operator()(const CombinedFieldsQuery&) const { return "CombinedFieldQuery"; }
  const char* operator()(const BlendedQuery&) const { return "DisjunctionMaxQuery"; }
};

// What a query became may be simpler than what was asked.
std::string type_of(const Query& query, const Plan& plan) {
  const bool asks_vectors = std::holds_alternative<KnnQuery>(query.node);
  if (plan.matches_nothing() && !asks_vectors) return "MatchNoDocsQuery";
  if (plan.matches_everything()) return "MatchAllDocsQuery";
  if (plan.as_term() != nullptr) return "TermQuery";
  if (plan.as_bool() != nullptr) return "BooleanQuery";
  return std::visit(TypeName{}, query.node);
}

std::string cut(std::string text) {
  if (text.size() <= description_max) return text;
  std::size_t end = description_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

/// The terms that a text became are parts of it, though they are no queries of their own.
void watch_parts(const PlanPtr& plan, QueryProfile& profile) {
  const BoolPlan* known = plan->as_bool();
  if (known == nullptr) return;
  auto& whole = const_cast<BoolPlan&>(*known);
  for (auto* list : {&whole.must, &whole.filter, &whole.should, &whole.must_not})
    for (PlanPtr& part : *list) {
      if (part->profile() != nullptr) continue;
      auto own = std::make_shared<QueryProfile>();
      own->clock = profile.clock;
      own->type = part->as_term() != nullptr   ? "TermQuery"
                  : part->as_bool() != nullptr ? "BooleanQuery"
                  : part->matches_everything() ? "MatchAllDocsQuery"
                  : part->matches_nothing()    ? "MatchNoDocsQuery"
                                               : "Query";
      own->description = cut(part->description());
      profile.parts.push_back(own);
      if (part->as_bool() != nullptr) watch_parts(part, *own);
      part = watched_plan(std::move(part), std::move(own));
    }
}

}  // namespace

QueryProfile QueryProfile::take() {
  QueryProfile out{.type = type, .description = description, .clock = clock};
  out.steps = std::exchange(steps, {});
  out.vectors = std::exchange(vectors, std::nullopt);
  for (const auto& part : parts) out.parts.push_back(std::make_shared<QueryProfile>(part->take()));
  return out;
}

PlanPtr watched_plan(PlanPtr plan, std::shared_ptr<QueryProfile> profile) {
  // Its postings are opened past its scorers where many terms are looked through together.
  if (const TermPlan* term = plan->as_term(); term != nullptr && term->profile() == nullptr)
    const_cast<TermPlan*>(term)->set_profile(profile);
  auto out = std::make_shared<WatchedPlan>(std::move(plan));
  out->set_profile(std::move(profile));
  return out;
}

void QueryProfiler::found_vectors(const VectorSearchProfile& found) {
  if (at_ == nullptr) return;
  at_->vectors = found;
  if (found.is_own_search) apart_ns_ += found.search_ns;
}

PlanningWatch::PlanningWatch(QueryProfiler* profiler, const Query& query)
    : profiler_(profiler), query_(query) {
  if (profiler_ == nullptr) return;
  own_ = std::make_shared<QueryProfile>();
  own_->clock = &profiler_->clock_;
  above_ = std::exchange(profiler_->at_, own_.get());
  apart_before_ = profiler_->apart_ns_;
  begin_ = profiler_->clock_.steady_ns();
}

PlanningWatch::~PlanningWatch() {
  if (profiler_ != nullptr) profiler_->at_ = above_;
}

void PlanningWatch::end() {
  const std::int64_t apart = profiler_->apart_ns_ - apart_before_;
  StepTime& time = (*own_)[QueryStep::create_weight];
  time.ns += profiler_->clock_.steady_ns() - begin_ - apart;
  ++time.count;
}

PlanPtr PlanningWatch::watched(PlanPtr plan) {
  if (profiler_ == nullptr) return plan;
  end();
  own_->type = type_of(query_, *plan);
  own_->description = cut(plan->description());
  watch_parts(plan, *own_);
  if (above_ != nullptr) above_->parts.push_back(own_);
  return watched_plan(std::move(plan), own_);
}

}  // namespace cairn::index
