// SPDX-License-Identifier: Apache-2.0
// The plans that combine others, and the dispatch over queries.
#include "index/query/plan.h"

#include <algorithm>
#include <map>

#include "index/errors.h"
#include "index/query/bool_check.h"
#include "index/query/explain.h"
#include "index/query/filter_key.h"
#include "index/query/profiling.h"
#include "index/query/term_filter.h"
#include "index/view.h"

namespace cairn::index {
namespace {

class NoPlan final : public Plan {
 public:
  Result<ScorerPtr> scorer(const QueryContext&, std::size_t) const override { return ScorerPtr(); }
  bool matches_nothing() const override { return true; }
  std::string description() const override { return "MatchNoDocsQuery(\"\")"; }
};

class AllPlan final : public Plan {
 public:
  explicit AllPlan(float score) : score_(score) {}
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    return all_scorer(context.view.segments[segment].segment->doc_count(), score_);
  }
  bool matches_everything() const override { return true; }
  std::string description() const override { return "*:*"; }

 private:
  float score_;
};

class BitsPlan final : public Plan {
 public:
  BitsPlan(MakeBits make, float score, std::shared_ptr<const MatchingTerms> terms)
      : make_(std::move(make)), score_(score), terms_(std::move(terms)) {}
  const MatchingTerms* as_matching_terms() const override { return terms_.get(); }
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    if (context.keeps_bits)
      if (auto known = kept(segment)) return bits_scorer(std::move(known), score_);
    CAIRN_TRY(auto bits, make_(context, segment));
    if (bits == nullptr) return ScorerPtr();
    if (context.keeps_bits) keep(segment, bits);
    return bits_scorer(std::move(bits), score_);
  }

 private:
  std::shared_ptr<const BitSet> kept(std::size_t segment) const {
    const MutexLock lock(mutex_);
    const auto found = kept_.find(segment);
    return found == kept_.end() ? nullptr : found->second;
  }
  void keep(std::size_t segment, std::shared_ptr<const BitSet> bits) const {
    const MutexLock lock(mutex_);
    kept_[segment] = std::move(bits);
  }

  MakeBits make_;
  float score_;
  std::shared_ptr<const MatchingTerms> terms_;  // null: of none
  mutable Mutex mutex_;
  mutable std::map<std::size_t, std::shared_ptr<const BitSet>> kept_ CAIRN_GUARDED_BY(mutex_);
};

class ListsPlan final : public Plan {
 public:
  ListsPlan(std::vector<std::shared_ptr<const ScoredList>> lists, float boost)
      : lists_(std::move(lists)), boost_(boost) {}
  Result<ScorerPtr> scorer(const QueryContext&, std::size_t segment) const override {
    if (lists_[segment] == nullptr) return ScorerPtr();
    return list_scorer(lists_[segment], boost_);
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    CAIRN_TRY(const auto score, score_of(context, *this, doc));
    std::size_t count = 0;
    for (const auto& list : lists_) count += list == nullptr ? 0 : list->size();
    const std::string among = "top " + std::to_string(count) + " docs of " + description();
    return score ? Explanation::match(*score, "within " + among)
                 : Explanation::none("not in " + among);
  }

 private:
  std::vector<std::shared_ptr<const ScoredList>> lists_;
  float boost_;
};

/// A range of the documents of one segment.
class WithinPlan final : public Plan {
 public:
  WithinPlan(const WithinQuery& within, float score) : within_(within), score_(score) {}
  Result<ScorerPtr> scorer(const QueryContext&, std::size_t segment) const override {
    if (segment != within_.segment || within_.from >= within_.to) return ScorerPtr();
    return range_scorer(within_.from, within_.to, score_);
  }
  std::string description() const override {
    return "DocRange[" + std::to_string(within_.from) + ", " + std::to_string(within_.to) + ")";
  }

 private:
  WithinQuery within_;
  float score_;
};

class ConstantPlan final : public Plan {
 public:
  ConstantPlan(PlanPtr inner, float score) : inner_(std::move(inner)), score_(score) {}
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    CAIRN_TRY(auto inner, inner_->scorer(context, segment));
    return constant_scorer(std::move(inner), score_);
  }
  bool is_check() const override { return only_checks(*inner_); }
  Result<std::unique_ptr<DocCheck>> check(const QueryContext& context,
                                          std::size_t segment) const override {
    return joint_check(context, *inner_, segment);
  }
  float check_score() const override { return score_; }
  std::string description() const override {
    return "ConstantScore(" + inner_->description() + ")";
  }
  void add_terms(std::string_view field, std::vector<std::string>& out) const override {
    inner_->add_terms(field, out);
  }

 private:
  PlanPtr inner_;
  float score_;
};

class BestOfPlan final : public Plan {
 public:
  BestOfPlan(std::vector<PlanPtr> plans, float tie_breaker)
      : plans_(std::move(plans)), tie_breaker_(tie_breaker) {}
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    std::vector<ScorerPtr> scorers;
    for (const PlanPtr& plan : plans_) {
      CAIRN_TRY(auto scorer, plan->scorer(context, segment));
      scorers.push_back(std::move(scorer));
    }
    return best_of(std::move(scorers), tie_breaker_);
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    CAIRN_TRY(const auto score, score_of(context, *this, doc));
    if (!score) return Explanation::none("No matching clause");
    std::vector<Explanation> parts;
    for (const PlanPtr& plan : plans_) {
      CAIRN_TRY(Explanation part, plan->explain(context, doc));
      if (part.matches) parts.push_back(std::move(part));
    }
    const std::string how = tie_breaker_ == 0
                                ? "max of:"
                                : "max plus " + number_text(tie_breaker_) + " times others of:";
    return Explanation::match(*score, how, std::move(parts));
  }
  std::string description() const override {
    std::string out = "(";
    for (const PlanPtr& plan : plans_)
      out += (plan == plans_.front() ? "" : " | ") + plan->description();
    return out + ")" + (tie_breaker_ == 0 ? "" : "~" + number_text(tie_breaker_));
  }
  void add_terms(std::string_view field, std::vector<std::string>& out) const override {
    for (const PlanPtr& plan : plans_) plan->add_terms(field, out);
  }

 private:
  std::vector<PlanPtr> plans_;
  float tie_breaker_;
};

class DemotingPlan final : public Plan {
 public:
  DemotingPlan(PlanPtr positive, PlanPtr negative, float factor)
      : positive_(std::move(positive)), negative_(std::move(negative)), factor_(factor) {}
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    CAIRN_TRY(auto positive, positive_->scorer(context, segment));
    CAIRN_TRY(auto negative, negative_->scorer(context, segment));
    return demoting(std::move(positive), std::move(negative), factor_);
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    CAIRN_TRY(Explanation own, positive_->explain(context, doc));
    if (!own.matches) return own;
    CAIRN_TRY(const auto score, score_of(context, *this, doc));
    CAIRN_TRY(const auto demoted, score_of(context, *negative_, doc));
    if (!demoted) return own;
    std::vector<Explanation> product;
    product.push_back(std::move(own));
    product.push_back(
        Explanation::match(factor_, "Matched boosting query " + negative_->description()));
    return Explanation::match(score.value_or(0), "product of:", std::move(product));
  }
  std::string description() const override {
    return "FunctionScoreQuery(" + positive_->description() + ", scored by boost(queryboost(" +
           negative_->description() + ")^" + number_text(factor_) + "))";
  }
  void add_terms(std::string_view field, std::vector<std::string>& out) const override {
    positive_->add_terms(field, out);
  }

 private:
  PlanPtr positive_, negative_;
  float factor_;
};

Result<std::vector<ScorerPtr>> scorers_of(const QueryContext& context,
                                          const std::vector<PlanPtr>& plans, std::size_t segment) {
  std::vector<ScorerPtr> out;
  for (const PlanPtr& plan : plans) {
    CAIRN_TRY(auto scorer, plan->scorer(context, segment));
    out.push_back(std::move(scorer));
  }
  return out;
}

Result<std::vector<PlanPtr>> plans_of(const QueryContext& context,
                                      const std::vector<Query>& queries, float boost) {
  std::vector<PlanPtr> out;
  for (const Query& query : queries) {
    CAIRN_TRY(auto plan, make_plan(context, query, boost));
    out.push_back(std::move(plan));
  }
  return out;
}

Error too_many_clauses(const QueryContext& context) {
  context.clauses = context.view.options.max_clauses + 1;  // no lenient clause hides it
  return illegal_argument("Query contains too many nested clauses; maxClauseCount is set to " +
                          std::to_string(context.view.options.max_clauses));
}

bool is_leaf(const Query& query) {
  return !std::holds_alternative<BoolQuery>(query.node) &&
         !std::holds_alternative<ConstantScoreQuery>(query.node) &&
         !std::holds_alternative<DisMaxQuery>(query.node) &&
         !std::holds_alternative<FunctionScoreQuery>(query.node) &&
         !std::holds_alternative<ScriptScoreQuery>(query.node) &&
         !std::holds_alternative<NestedQuery>(query.node) &&
         !std::holds_alternative<DocumentsQuery>(query.node) &&
         !std::holds_alternative<BoostingQuery>(query.node);
}

Result<PlanPtr> plan_bool(const QueryContext& context, const BoolQuery& query, float boost) {
  if (query.must.empty() && query.should.empty() && query.filter.empty() && query.must_not.empty())
    return all_plan(boost);
  if (query.must.size() + query.should.size() + query.filter.size() + query.must_not.size() >
      context.view.options.max_clauses)
    return too_many_clauses(context);
  auto plan = std::make_shared<BoolPlan>();
  const std::size_t runtime_before = context.runtime_clauses;
  CAIRN_TRY(plan->must, plans_of(context, query.must, boost));
  CAIRN_TRY(plan->should, plans_of(context, query.should, boost));
  CAIRN_TRY(plan->filter, plans_of(context, query.filter, boost));
  CAIRN_TRY(plan->must_not, plans_of(context, query.must_not, boost));
  if (!query.minimum_should_match.empty()) {
    CAIRN_TRY(plan->least_should,
              minimum_should_match(query.minimum_should_match, query.should.size()));
  } else if (query.must.empty() && query.filter.empty() && !query.should.empty()) {
    plan->least_should = 1;
  }
  const bool only_excludes = plan->must.empty() && plan->should.empty() && plan->filter.empty();
  if (only_excludes) plan->filter.push_back(all_plan(1));
  const bool is_kept = context.runtime_clauses == runtime_before;
  if (is_kept && (!query.filter.empty() || !query.must_not.empty()))
    plan->narrowing_key = narrowing_key(query.filter, query.must_not).value_or("");
  const auto nothing = [](const PlanPtr& p) { return p->matches_nothing(); };
  if (std::any_of(plan->must.begin(), plan->must.end(), nothing) ||
      std::any_of(plan->filter.begin(), plan->filter.end(), nothing))
    return no_plan();
  return PlanPtr(std::move(plan));
}

// Without an iterator's steps: whole blocks of documents.
Status set_documents(const QueryContext& context, const TermPlan& term, std::size_t segment,
                     BitSet& bits) {
  const TermPlan::Place& place = term.places[segment];
  if (place.reader == nullptr) return ok_status();
  PostingsCursor cursor;
  CAIRN_CHECK(place.reader->open(place.entry, cursor, context.deadline));
  for (std::uint32_t b = 0; b < cursor.block_count(); ++b) {
    cursor.load(b);
    CAIRN_CHECK(context.steps.take(block_size / 8));
    if (cursor.count() > 0 && cursor.docs()[cursor.count() - 1] >= bits.size())
      return corrupt_object(context.view.segments[segment].segment->name(), "postings are damaged");
    for (std::uint32_t i = 0; i < cursor.count(); ++i) bits.set(cursor.docs()[i]);
  }
  if (cursor.damaged())
    return corrupt_object(context.view.segments[segment].segment->name(), "postings are damaged");
  return ok_status();
}

Result<PlanPtr> plan_best_of(const QueryContext& context, const DisMaxQuery& query, float boost) {
  CAIRN_TRY(auto plans, plans_of(context, query.queries, boost));
  return best_of_plan(std::move(plans), query.tie_breaker);
}

Result<PlanPtr> plan_boosting(const QueryContext& context, const BoostingQuery& query,
                              float boost) {
  CAIRN_TRY(auto positive,
            make_plan(context, Query{.node = BoolQuery{.must = query.positive}}, boost));
  CAIRN_TRY(auto negative, make_filter(context, query.negative));
  if (negative == nullptr) return positive;
  return demoting_plan(std::move(positive), std::move(negative), query.negative_boost);
}

Result<PlanPtr> plan_constant(const QueryContext& context, const ConstantScoreQuery& query,
                              float boost) {
  CAIRN_TRY(auto inner, make_filter(context, query.filter));
  return inner == nullptr ? all_plan(boost) : constant_plan(std::move(inner), boost);
}

struct Dispatch {
  const QueryContext& context;
  float boost;

  Result<PlanPtr> operator()(const MatchAllQuery&) const { return all_plan(boost); }
  Result<PlanPtr> operator()(const MatchNoneQuery&) const { return no_plan(); }
  Result<PlanPtr> operator()(const TermQuery& q) const { return plan_term(context, q, boost); }
  Result<PlanPtr> operator()(const TermsQuery& q) const { return plan_terms(context, q, boost); }
  Result<PlanPtr> operator()(const RangeQuery& q) const { return plan_range(context, q, boost); }
  Result<PlanPtr> operator()(const ExistsQuery& q) const { return plan_exists(context, q, boost); }
  Result<PlanPtr> operator()(const IdsQuery& q) const { return plan_ids(context, q, boost); }
  Result<PlanPtr> operator()(const PrefixQuery& q) const { return plan_prefix(context, q, boost); }
  Result<PlanPtr> operator()(const WildcardQuery& q) const {
    return plan_wildcard(context, q, boost);
  }
  Result<PlanPtr> operator()(const RegexpQuery& q) const { return plan_regexp(context, q, boost); }
  Result<PlanPtr> operator()(const FuzzyQuery& q) const { return plan_fuzzy(context, q, boost); }
  Result<PlanPtr> operator()(const MatchQuery& q) const { return plan_text(context, q, boost); }
  Result<PlanPtr> operator()(const MatchPhraseQuery& q) const {
    return plan_phrase(context, q, boost);
  }
  Result<PlanPtr> operator()(const BoolQuery& q) const { return plan_bool(context, q, boost); }
  Result<PlanPtr> operator()(const ConstantScoreQuery& q) const {
    return plan_constant(context, q, boost);
  }
  Result<PlanPtr> operator()(const DisMaxQuery& q) const { return plan_best_of(context, q, boost); }
  Result<PlanPtr> operator()(const BoostingQuery& q) const {
    return plan_boosting(context, q, boost);
  }
  Result<PlanPtr> operator()(const KnnQuery& q) const { return plan_knn(context, q, boost); }
  Result<PlanPtr> operator()(const SparseQuery& q) const { return plan_sparse(context, q, boost); }
  Result<PlanPtr> operator()(const DenseScoreQuery& q) const {
    return plan_dense(context, q, boost);
  }
  Result<PlanPtr> operator()(const SliceQuery& q) const { return plan_slice(context, q, boost); }
  Result<PlanPtr> operator()(const SpanQuery& q) const { return plan_spans(context, q, boost); }
  Result<PlanPtr> operator()(const IntervalsQuery& q) const {
    return plan_intervals(context, q, boost);
  }
  Result<PlanPtr> operator()(const TermsSetQuery& q) const {
    return plan_terms_set(context, q, boost);
  }
  Result<PlanPtr> operator()(const WithinQuery& q) const {
    return PlanPtr(std::make_shared<WithinPlan>(q, boost));
  }
  Result<PlanPtr> operator()(const NestedQuery& q) const { return plan_nested(context, q, boost); }
  Result<PlanPtr> operator()(const DocumentsQuery& q) const {
    return plan_documents(context, q, boost);
  }
  Result<PlanPtr> operator()(const MoreLikeThisQuery& q) const {
    return plan_more_like_this(context, q, boost);
  }
  Result<PlanPtr> operator()(const FunctionScoreQuery& q) const {
    return plan_functions(context, q, boost);
  }
  Result<PlanPtr> operator()(const ScriptScoreQuery& q) const {
    return plan_script_score(context, q, boost);
  }
  Result<PlanPtr> operator()(const ScriptQuery& q) const { return plan_script(context, q, boost); }
  Result<PlanPtr> operator()(const DistanceFeatureQuery& q) const {
    return plan_distance(context, q, boost);
  }
  Result<PlanPtr> operator()(const RankFeatureQuery& q) const {
    return plan_rank_feature(context, q, boost);
  }
  Result<PlanPtr> operator()(const BlendedQuery& q) const {
    return plan_blended(context, q, boost);
  }
  Result<PlanPtr> operator()(const CombinedFieldsQuery& q) const {
    return plan_combined(context, q, boost);
  }
};

}  // namespace

void Plan::add_terms(std::string_view, std::vector<std::string>&) const {}

Result<ScorerPtr> TermPlan::scorer(const QueryContext& context, std::size_t segment) const {
  const Place& place = places[segment];
  if (place.reader == nullptr) return ScorerPtr();
  CAIRN_TRY(auto cursor, place.reader->postings(place.entry, context.deadline));
  return term_scorer(std::move(cursor), scoring(segment));
}

void TermPlan::add_terms(std::string_view wanted, std::vector<std::string>& out) const {
  if (field == wanted) out.push_back(term);
}

// Clauses that stand for many terms each: those of one field share one walk over its terms.
Status BoolPlan::find_terms(const QueryContext& context, std::size_t segment) const {
  if (context.keeps_bits) return ok_status();  // each has them already, but for the first time
  std::map<std::string_view, std::vector<const MatchingTerms*>> by_field;
  for (const auto* list : {&must, &filter, &should, &must_not})
    for (const PlanPtr& plan : *list)
      if (const MatchingTerms* terms = plan->as_matching_terms())
        by_field[terms->field].push_back(terms);
  for (const auto& [field, all] : by_field)
    if (all.size() > 1) CAIRN_CHECK(find_together(context, segment, std::string(field), all));
  return ok_status();
}

Result<ScorerPtr> BoolPlan::scorer(const QueryContext& context, std::size_t segment) const {
  const auto checks = [](const std::vector<PlanPtr>& plans, auto is_one) {
    return std::any_of(plans.begin(), plans.end(), [&](const PlanPtr& p) { return is_one(*p); });
  };
  if (checks(must, [](const Plan& plan) { return plan.is_check(); }) ||
      checks(filter, only_checks) || checks(must_not, only_checks))
    return checked(context, segment);
  CAIRN_CHECK(find_terms(context, segment));
  CAIRN_TRY(auto required, scorers_of(context, must, segment));
  CAIRN_TRY(auto filters, scorers_of(context, filter, segment));
  const auto missing = [](const ScorerPtr& s) { return s == nullptr; };
  if (std::any_of(required.begin(), required.end(), missing) ||
      std::any_of(filters.begin(), filters.end(), missing))
    return ScorerPtr();
  CAIRN_TRY(auto optional, scorers_of(context, should, segment));
  CAIRN_TRY(auto excluded, scorers_of(context, must_not, segment));
  const bool any_required = !required.empty() || !filters.empty();
  ScorerPtr wanted;
  if (least_should > 0 || !any_required) {
    ScorerPtr any =
        disjunction(std::move(optional), std::max<std::size_t>(least_should, 1), context.steps);
    if (any_required) {
      required.push_back(std::move(any));
      wanted = conjunction(std::move(required), std::move(filters), context.steps);
    } else {
      wanted = std::move(any);
    }
  } else {
    wanted = conjunction(std::move(required), std::move(filters), context.steps);
    wanted = with_optional(std::move(wanted), disjunction(std::move(optional), 1, context.steps));
  }
  return exclusion(std::move(wanted), disjunction(std::move(excluded), 1, context.steps),
                   context.steps);
}

// What looks at documents one by one sees those alone that all other clauses leave.
Result<ScorerPtr> BoolPlan::checked(const QueryContext& context, std::size_t segment) const {
  BoolPlan others;
  std::vector<WantedCheck> wanted;
  float more = 0;
  const auto part = [&](const std::vector<PlanPtr>& plans, std::vector<PlanPtr>& out,
                        bool is_wanted, bool scores) -> Status {
    for (const PlanPtr& plan : plans) {
      // Where nothing is scored, several of them may be one clause.
      if (scores ? !plan->is_check() : !only_checks(*plan)) {
        out.push_back(plan);
        continue;
      }
      CAIRN_TRY(auto check, joint_check(context, *plan, segment));
      wanted.push_back({.check = std::move(check), .wanted = is_wanted});
      if (scores) more += plan->check_score();
    }
    return ok_status();
  };
  CAIRN_CHECK(part(must, others.must, true, true));
  CAIRN_CHECK(part(filter, others.filter, true, false));
  CAIRN_CHECK(part(must_not, others.must_not, false, false));
  others.should = should;
  others.least_should = least_should;
  // Clauses that are required are there, though none is among the others.
  if (others.must.empty() && others.filter.empty()) others.filter.push_back(all_plan(1));
  CAIRN_TRY(auto inner, others.scorer(context, segment));
  return checked_scorer(std::move(inner), std::move(wanted), more, context.steps);
}

void BoolPlan::add_terms(std::string_view field, std::vector<std::string>& out) const {
  for (const auto* list : {&must, &should, &filter})
    for (const PlanPtr& plan : *list) plan->add_terms(field, out);
}

PlanPtr no_plan() {
  static const PlanPtr plan = std::make_shared<NoPlan>();
  return plan;
}
PlanPtr all_plan(float score) { return std::make_shared<AllPlan>(score); }
PlanPtr bits_plan(MakeBits make, float score, std::shared_ptr<const MatchingTerms> terms) {
  return std::make_shared<BitsPlan>(std::move(make), score, std::move(terms));
}
PlanPtr lists_plan(std::vector<std::shared_ptr<const ScoredList>> lists, float boost) {
  return std::make_shared<ListsPlan>(std::move(lists), boost);
}
PlanPtr within_plan(const WithinQuery& part) { return std::make_shared<WithinPlan>(part, 1.0f); }
PlanPtr constant_plan(PlanPtr inner, float score) {
  if (inner->matches_nothing()) return inner;
  return std::make_shared<ConstantPlan>(std::move(inner), score);
}
PlanPtr best_of_plan(std::vector<PlanPtr> plans, float tie_breaker) {
  std::erase_if(plans, [](const PlanPtr& p) { return p->matches_nothing(); });
  if (plans.empty()) return no_plan();
  if (plans.size() == 1) return plans.front();
  return std::make_shared<BestOfPlan>(std::move(plans), tie_breaker);
}
PlanPtr demoting_plan(PlanPtr positive, PlanPtr negative, float factor) {
  return std::make_shared<DemotingPlan>(std::move(positive), std::move(negative), factor);
}

FieldTotals field_totals(const ViewState& view, std::string_view field) {
  FieldTotals out;
  for (const SegmentView& s : view.segments) {
    const FieldStatistics* statistics = s.segment->footer().field(field);
    if (statistics == nullptr) continue;
    out.doc_count += statistics->doc_count;
    out.sum_total_freq += statistics->sum_total_freq;
  }
  return out;
}

Status count_clauses(const QueryContext& context, std::size_t count) {
  context.clauses += count;
  if (context.clauses > context.view.options.max_clauses) return too_many_clauses(context);
  return context.steps.take(64 * count);
}

Result<PlanPtr> make_plan(const QueryContext& context, const Query& query, float boost) {
  if (is_leaf(query)) CAIRN_CHECK(count_clauses(context, 1));
  PlanningWatch watch(context.profiler, query);
  auto plan = std::visit(Dispatch{.context = context, .boost = boost * query.boost}, query.node);
  const bool misfit = !plan && plan.error().kind == ErrorKind::invalid_argument &&
                      context.clauses <= context.view.options.max_clauses;
  if (misfit && query.lenient) plan = no_plan();
  if (plan && query.label != 0 && context.labelled != nullptr)
    context.labelled->emplace_back(query.label, *plan);
  // Nobody else has it yet.
  if (plan && context.described && (*plan)->description().empty())
    std::const_pointer_cast<Plan>(*plan)->set_description(query_text(query));
  if (!plan) return plan;
  return watch.watched(std::move(*plan));
}

Result<PlanPtr> make_filter(const QueryContext& context, const std::vector<Query>& queries) {
  if (queries.empty()) return PlanPtr();
  if (queries.size() == 1) return make_plan(context, queries.front());
  return make_plan(context, Query{.node = BoolQuery{.filter = queries}});
}

Result<std::shared_ptr<const BitSet>> all_matching_bits(const QueryContext& context,
                                                        const Plan& plan, std::size_t segment) {
  const std::uint32_t size = context.view.segments[segment].segment->doc_count();
  auto bits = std::make_shared<BitSet>(size);
  if (const TermPlan* term = plan.as_term()) {
    const StepWatch watch(plan.profile(), QueryStep::next_doc);  // all of them at once
    CAIRN_CHECK(set_documents(context, *term, segment, *bits));
    return std::shared_ptr<const BitSet>(std::move(bits));
  }
  CAIRN_TRY(const ScorerPtr scorer, plan.scorer(context, segment));
  CAIRN_CHECK(context.steps.status());
  if (scorer == nullptr) return std::shared_ptr<const BitSet>(std::move(bits));
  for (std::uint32_t doc = scorer->doc(); doc != no_more; doc = scorer->next()) {
    if (!context.steps.go_on()) break;
    bits->set(doc);
  }
  CAIRN_CHECK(context.steps.status());
  return std::shared_ptr<const BitSet>(std::move(bits));
}

Result<std::shared_ptr<const BitSet>> matching_bits(const QueryContext& context, const Plan& plan,
                                                    std::size_t segment) {
  CAIRN_TRY(auto bits, all_matching_bits(context, plan, segment));
  const SegmentView& view = context.view.segments[segment];
  if (view.deleted == nullptr) return bits;
  auto live = std::make_shared<BitSet>(*bits);
  live->subtract(*view.deleted);
  return std::shared_ptr<const BitSet>(std::move(live));
}

}  // namespace cairn::index
