// SPDX-License-Identifier: Apache-2.0
// A query made ready for one view: fields resolved, text analysed, statistics looked up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/explanation.h"
#include "index/profile.h"
#include "index/query.h"
#include "index/query/doc_check.h"
#include "index/query/scorer.h"
#include "index/query/view_state.h"
#include "text/analyzer.h"

namespace cairn::index {

class TermPlan;
class BoolPlan;
struct MatchingTerms;

/// Immutable. Gives a scorer for each segment; null where nothing matches there.
class Plan {
 public:
  virtual ~Plan() = default;
  virtual Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const = 0;
  virtual bool matches_nothing() const { return false; }
  virtual bool matches_everything() const { return false; }
  virtual const TermPlan* as_term() const { return nullptr; }
  virtual const BoolPlan* as_bool() const { return nullptr; }
  virtual const MatchingTerms* as_matching_terms() const { return nullptr; }
  /// Whether it looks at documents one by one, and wants to see none that other clauses leave out.
  virtual bool is_check() const { return false; }
  virtual Result<std::unique_ptr<DocCheck>> check(const QueryContext&, std::size_t) const {
    return std::unique_ptr<DocCheck>();
  }
  virtual float check_score() const { return 0; }
  /// Adds the terms of `field` that are looked for, for highlighting.
  virtual void add_terms(std::string_view field, std::vector<std::string>& out) const;
  /// How the score of a document comes about, in the words of the field's engine.
  virtual Result<Explanation> explain(const QueryContext& context, DocAddress doc) const;
  /// What it is called in explanations, where QueryContext::described said so.
  virtual std::string description() const { return description_; }
  void set_description(std::string text) { description_ = std::move(text); }
  /// Where what is done with the plan is measured; null: nowhere.
  QueryProfile* profile() const { return profile_.get(); }
  const std::shared_ptr<QueryProfile>& shared_profile() const { return profile_; }
  void set_profile(std::shared_ptr<QueryProfile> profile) { profile_ = std::move(profile); }

 private:
  std::string description_;
  std::shared_ptr<QueryProfile> profile_;
};
using PlanPtr = std::shared_ptr<const Plan>;

/// A term with a score: BM25, or a weight of a sparse vector.
class TermPlan final : public Plan {
 public:
  struct Place {
    const TermsReader* reader = nullptr;  // null: not in the segment
    TermEntry entry;
    std::string_view norms;
    float bound_scale = 1;  // on the bounds of the blocks
    float floor_scale = 1;  // on what documents are known to reach
  };
  std::string field;
  std::string term;
  float weight = 0;
  std::uint64_t counted_freq = 0;  // documents that it counts to be in; 0: those that have it
  std::shared_ptr<const InverseLengths> inverse;  // null: sparse weights
  std::vector<Place> places;                      // by segment

  TermScoring scoring(std::size_t segment) const {
    return {.weight = weight, .inverse = inverse.get(), .norms = places[segment].norms};
  }
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override;
  const TermPlan* as_term() const override { return this; }
  void add_terms(std::string_view wanted, std::vector<std::string>& out) const override;
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override;
  std::string description() const override { return field + ":" + term; }
};

class BoolPlan final : public Plan {
 public:
  std::vector<PlanPtr> must, should, filter, must_not;
  std::size_t least_should = 0;
  std::string narrowing_key;  // of filter and must_not; empty where their bits are not kept
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override;
  const BoolPlan* as_bool() const override { return this; }
  void add_terms(std::string_view field, std::vector<std::string>& out) const override;
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override;
  std::string description() const override;

 private:
  Status find_terms(const QueryContext& context, std::size_t segment) const;
  Result<ScorerPtr> checked(const QueryContext& context, std::size_t segment) const;
};

PlanPtr no_plan();
PlanPtr all_plan(float score);
/// Documents as bits, made when a segment is asked for; each scores `score`.
using MakeBits = std::function<Result<std::shared_ptr<const BitSet>>(const QueryContext& context,
                                                                     std::size_t segment)>;
/// `terms`: where they are those that have such terms.
PlanPtr bits_plan(MakeBits make, float score, std::shared_ptr<const MatchingTerms> terms = nullptr);
/// Documents with scores, found already; by segment.
PlanPtr lists_plan(std::vector<std::shared_ptr<const ScoredList>> lists, float boost);
/// A part of the documents of one segment; each scores 1.
PlanPtr within_plan(const WithinQuery& part);
PlanPtr constant_plan(PlanPtr inner, float score);
PlanPtr best_of_plan(std::vector<PlanPtr> plans, float tie_breaker);
PlanPtr demoting_plan(PlanPtr positive, PlanPtr negative, float factor);

struct PhrasePlanPart {
  std::vector<std::string> terms;
  std::uint32_t offset = 0;
};

/// Statistics of a field over all segments of the view.
struct FieldTotals {
  std::uint64_t doc_count = 0;
  std::uint64_t sum_total_freq = 0;
  float average_length() const {
    return doc_count == 0 ? 1.0f
                          : static_cast<float>(static_cast<double>(sum_total_freq) /
                                               static_cast<double>(doc_count));
  }
};
FieldTotals field_totals(const ViewState& view, std::string_view field);

/// Makes a plan. Runs what must be known before scoring: knn searches, expansions of fuzzy terms.
/// Errors: query_shard_exception, parsing_exception, illegal_argument_exception; reading's.
Result<PlanPtr> make_plan(const QueryContext& context, const Query& query, float boost = 1);
/// All of them must match; for filters. Null for an empty list.
Result<PlanPtr> make_filter(const QueryContext& context, const std::vector<Query>& queries);

/// Counts clauses of the query that is planned. Errors: illegal_argument_exception where it has
/// more than index::Options::max_clauses.
Status count_clauses(const QueryContext& context, std::size_t count);

/// The documents of a segment that a plan matches, deleted ones too, as bits.
Result<std::shared_ptr<const BitSet>> all_matching_bits(const QueryContext& context,
                                                        const Plan& plan, std::size_t segment);
/// The live documents of a segment that a plan matches, as bits.
Result<std::shared_ptr<const BitSet>> matching_bits(const QueryContext& context, const Plan& plan,
                                                    std::size_t segment);

// Parts of make_plan, one file each.
Result<PlanPtr> plan_text(const QueryContext& context, const MatchQuery& query, float boost);
Result<PlanPtr> plan_phrase(const QueryContext& context, const MatchPhraseQuery& query,
                            float boost);
Result<PlanPtr> plan_combined(const QueryContext& context, const CombinedFieldsQuery& query,
                              float boost);
Result<PlanPtr> plan_term(const QueryContext& context, const TermQuery& query, float boost);
Result<PlanPtr> plan_terms(const QueryContext& context, const TermsQuery& query, float boost);
Result<PlanPtr> plan_terms_set(const QueryContext& context, const TermsSetQuery& query,
                               float boost);
PlanPtr plan_term_range(const QueryContext& context, const Field& field, const RangeQuery& query,
                        float boost);
Result<PlanPtr> plan_range(const QueryContext& context, const RangeQuery& query, float boost);
/// Documents with any of these values in a field of numbers or dates.
Result<PlanPtr> plan_numbers(const QueryContext& context, const Field& field,
                             const std::vector<Json>& values, float boost);
Result<PlanPtr> plan_exists(const QueryContext& context, const ExistsQuery& query, float boost);
Result<PlanPtr> plan_ids(const QueryContext& context, const IdsQuery& query, float boost);
Result<PlanPtr> plan_prefix(const QueryContext& context, const PrefixQuery& query, float boost);
Result<PlanPtr> plan_wildcard(const QueryContext& context, const WildcardQuery& query, float boost);
Result<PlanPtr> plan_regexp(const QueryContext& context, const RegexpQuery& query, float boost);
Result<PlanPtr> plan_fuzzy(const QueryContext& context, const FuzzyQuery& query, float boost);
/// A query on `_index`: all documents where its name fits, or none.
PlanPtr plan_index_name(const QueryContext& context,
                        const std::function<bool(const std::string& name)>& fits, float boost);
Result<PlanPtr> plan_knn(const QueryContext& context, const KnnQuery& query, float boost);
Result<PlanPtr> plan_sparse(const QueryContext& context, const SparseQuery& query, float boost);
Result<PlanPtr> plan_functions(const QueryContext& context, const FunctionScoreQuery& query,
                               float boost);
Result<PlanPtr> plan_distance(const QueryContext& context, const DistanceFeatureQuery& query,
                              float boost);
Result<PlanPtr> plan_rank_feature(const QueryContext& context, const RankFeatureQuery& query,
                                  float boost);
Result<PlanPtr> plan_nested(const QueryContext& context, const NestedQuery& query, float boost);
Result<PlanPtr> plan_documents(const QueryContext& context, const DocumentsQuery& query,
                               float boost);
Result<PlanPtr> plan_more_like_this(const QueryContext& context, const MoreLikeThisQuery& query,
                                    float boost);
Result<PlanPtr> plan_blended(const QueryContext& context, const BlendedQuery& query, float boost);
Result<PlanPtr> plan_spans(const QueryContext& context, const SpanQuery& query, float boost);
Result<PlanPtr> plan_intervals(const QueryContext& context, const IntervalsQuery& query,
                               float boost);
Result<PlanPtr> plan_script_score(const QueryContext& context, const ScriptScoreQuery& query,
                                  float boost);
Result<PlanPtr> plan_script(const QueryContext& context, const ScriptQuery& query, float boost);
Result<PlanPtr> plan_slice(const QueryContext& context, const SliceQuery& query, float boost);
Result<PlanPtr> plan_dense(const QueryContext& context, const DenseScoreQuery& query, float boost);

/// A scored term; null where no segment has it.
Result<PlanPtr> scored_term(const QueryContext& context, const std::string& field,
                            const std::string& term, float boost);
/// The same with another document frequency, for terms that stand for one another.
Result<std::shared_ptr<TermPlan>> find_term(const QueryContext& context, const std::string& field,
                                            const std::string& term);

/// What find_term gives with BM25 scores, as if so many documents had it.
PlanPtr counted_as(const QueryContext& context, std::shared_ptr<TermPlan> plan, float boost,
                   std::uint64_t doc_freq);

std::uint64_t doc_freq_of(const TermPlan& plan);
/// What BM25 needs of the lengths of a field.
std::shared_ptr<const InverseLengths> lengths_of(const QueryContext& context,
                                                 std::string_view field);
/// Whether a field can be searched by value at all. Errors: illegal_argument_exception,
/// query_shard_exception.
Status check_searchable(const Field& field);
/// The words of a text that a query brings: as many as clauses are allowed, and no more work than
/// that takes. Errors: query_shard_exception for an analyzer that is not there,
/// illegal_argument_exception for too many words; timeout, cancelled.
Result<text::Tokens> query_words(const QueryContext& context, const Field& field,
                                 const std::string& analyzer, std::string_view text);

/// Resolves minimum_should_match ("2", "-1", "75%", "-25%", "2<-25% 9<-3") for `optional` clauses.
/// Errors: illegal_argument_exception.
Result<std::size_t> minimum_should_match(std::string_view spec, std::size_t optional);

}  // namespace cairn::index
