// SPDX-License-Identifier: Apache-2.0
// Plans whose scores functions change, as the field's engine puts them together.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "index/errors.h"
#include "index/functions/computed_scorer.h"
#include "index/functions/score_function.h"
#include "index/query/explain.h"
#include "index/query/plan.h"

namespace cairn::index {
namespace {

using ScoreMode = FunctionScoreQuery::ScoreMode;
using BoostMode = FunctionScoreQuery::BoostMode;

struct PlannedFunction {
  PlanPtr filter;      // null: every document
  ViewFunctionPtr of;  // null: the weight alone
  float weight = 1;
  bool weighted = false;  // a weight was given
};

/// How scores are put together.
struct FunctionRules {
  ScoreMode score_mode = ScoreMode::multiply;
  BoostMode boost_mode = BoostMode::multiply;
  float max_boost = std::numeric_limits<float>::max();
  std::optional<float> min_score = {};
};

/// What several functions come to together.
class FactorSum {
 public:
  explicit FactorSum(ScoreMode mode) : mode_(mode) {}
  /// False where no more of them count.
  bool add(double value, double weight) {
    sum_ += value;
    product_ *= value;
    weights_ += weight;
    most_ = any_ ? std::max(most_, value) : value;
    least_ = any_ ? std::min(least_, value) : value;
    any_ = true;
    return mode_ != ScoreMode::first;
  }
  /// 1 where none was for the document.
  double factor() const {
    if (!any_) return 1;
    switch (mode_) {
      case ScoreMode::multiply:
        return product_;
      case ScoreMode::first:
      case ScoreMode::max:
        return most_;
      case ScoreMode::min:
        return least_;
      case ScoreMode::sum:
        return weights_ != 0 ? sum_ : 1;
      case ScoreMode::avg:
        return weights_ != 0 ? sum_ / weights_ : 1;
    }
    return 1;
  }

 private:
  ScoreMode mode_;
  bool any_ = false;
  double sum_ = 0, product_ = 1, weights_ = 0, most_ = 0, least_ = 0;
};

float combined_score(const FunctionRules& rules, float score, double factor) {
  const double own = std::min(factor, static_cast<double>(rules.max_boost));
  const auto asked = static_cast<double>(score);
  switch (rules.boost_mode) {
    case BoostMode::multiply:
      return static_cast<float>(asked * own);
    case BoostMode::replace:
      return static_cast<float>(own);
    case BoostMode::sum:
      return static_cast<float>(asked + own);
    case BoostMode::avg:
      return static_cast<float>((asked + own) / 2);
    case BoostMode::max:
      return static_cast<float>(std::max(asked, own));
    case BoostMode::min:
      return static_cast<float>(std::min(asked, own));
  }
  return score;
}

struct SegmentFunction {
  bool filtered = false;
  ScorerPtr filter;  // null where it matches nothing here
  DocFunctionPtr of;
  const PlannedFunction* planned = nullptr;

  bool is_for(std::uint32_t doc) {
    if (!filtered) return true;
    return filter != nullptr && filter->doc() != no_more && filter->seek(doc) == doc;
  }
  double value(std::uint32_t doc, float score) {
    return (of == nullptr ? 1.0 : of->of(doc, score)) * static_cast<double>(planned->weight);
  }
};

class FunctionScorer final : public ComputedScorer {
 public:
  FunctionScorer(ScorerPtr inner, std::vector<SegmentFunction> functions, FunctionRules rules,
                 const SegmentView& view, os::Steps& steps)
      : ComputedScorer(std::move(inner), rules.min_score, view, steps),
        functions_(std::move(functions)),
        rules_(rules) {
    start();
  }

 private:
  float computed() override {
    const float asked = inner().score();
    if (functions_.empty()) return asked;
    FactorSum sum(rules_.score_mode);
    (void)steps().go_on(functions_.size() / 2);
    for (SegmentFunction& one : functions_) {
      if (!one.is_for(doc_)) continue;
      if (!sum.add(one.value(doc_, asked), static_cast<double>(one.planned->weight))) break;
    }
    const float out = combined_score(rules_, asked, sum.factor());
    if (out >= 0 && std::isfinite(out)) return out;
    steps().fail(illegal_argument("function score query returned an invalid score: " +
                                  std::string(std::isnan(out) ? "NaN" : number_text(out)) +
                                  " for doc: " + std::to_string(doc_)));
    return 0;
  }
  std::vector<SegmentFunction> functions_;
  FunctionRules rules_;
};

class FunctionPlan final : public Plan {
 public:
  FunctionPlan(PlanPtr inner, std::vector<PlannedFunction> functions, FunctionRules rules)
      : inner_(std::move(inner)), functions_(std::move(functions)), rules_(rules) {}

  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    CAIRN_TRY(auto inner, inner_->scorer(context, segment));
    if (inner == nullptr || inner->doc() == no_more) return ScorerPtr();
    std::vector<SegmentFunction> functions;
    for (const PlannedFunction& one : functions_) {
      SegmentFunction own{
          .filtered = one.filter != nullptr, .filter = {}, .of = {}, .planned = &one};
      if (own.filtered) {
        CAIRN_TRY(own.filter, one.filter->scorer(context, segment));
        if (own.filter == nullptr) continue;
      }
      if (one.of != nullptr) {
        CAIRN_TRY(own.of, one.of->in(context, segment));
      }
      functions.push_back(std::move(own));
    }
    // Where none is for a document here, the factor is 1 nevertheless.
    if (functions.empty() && !functions_.empty())
      functions.push_back(
          {.filtered = true, .filter = {}, .of = {}, .planned = &functions_.front()});
    auto out = std::make_unique<FunctionScorer>(std::move(inner), std::move(functions), rules_,
                                                context.view.segments[segment], context.steps);
    return out->doc() == no_more ? ScorerPtr() : ScorerPtr(std::move(out));
  }

  void add_terms(std::string_view field, std::vector<std::string>& out) const override {
    inner_->add_terms(field, out);
  }
  std::string description() const override {
    return "function score (" + inner_->description() + ", functions: [" +
           std::to_string(functions_.size()) + "])";
  }

  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    CAIRN_TRY(Explanation own, inner_->explain(context, doc));
    if (!own.matches) return own;
    CAIRN_TRY(const auto score, score_of(context, *this, doc));
    if (!score)
      return Explanation::none(
          "Score value is too low, expected at least " + number_text(rules_.min_score.value_or(0)),
          {std::move(own)});
    if (functions_.empty()) return own;
    CAIRN_TRY(Explanation factor, explain_factor(context, doc, own));
    std::vector<Explanation> capped;
    const float value = std::min(factor.value, rules_.max_boost);
    capped.push_back(std::move(factor));
    capped.push_back(Explanation::match(rules_.max_boost, "maxBoost"));
    Explanation least = Explanation::match(value, "min of:", std::move(capped));
    if (rules_.boost_mode == BoostMode::replace) {
      least.value = *score;
      return least;
    }
    static constexpr std::array<const char*, 6> names = {
        "function score, product of:", "",
        "function score, sum of:",     "function score, avg of:",
        "function score, max of:",     "function score, min of:"};
    std::vector<Explanation> parts;
    parts.push_back(std::move(own));
    parts.push_back(std::move(least));
    return Explanation::match(*score, names[static_cast<std::size_t>(rules_.boost_mode)],
                              std::move(parts));
  }

 private:
  Result<Explanation> explain_factor(const QueryContext& context, DocAddress doc,
                                     const Explanation& asked) const {
    FactorSum sum(rules_.score_mode);
    std::vector<Explanation> parts;
    for (const PlannedFunction& one : functions_) {
      if (one.filter != nullptr) {
        CAIRN_TRY(const auto matches, score_of(context, *one.filter, doc));
        if (!matches) continue;
      }
      CAIRN_TRY(Explanation part, explain_function(context, one, doc, asked));
      std::vector<Explanation> filtered;
      const float value = part.value;
      filtered.push_back(Explanation::match(
          1, "match filter: " + (one.filter == nullptr ? "*:*" : one.filter->description())));
      filtered.push_back(std::move(part));
      parts.push_back(
          Explanation::match(value, "function score, product of:", std::move(filtered)));
      if (!sum.add(static_cast<double>(value), static_cast<double>(one.weight))) break;
    }
    if (parts.empty()) return Explanation::match(1, "No function matched");
    static constexpr std::array<const char*, 6> names = {"multiply", "sum", "avg",
                                                         "first",    "max", "min"};
    return Explanation::match(static_cast<float>(sum.factor()),
                              std::string("function score, score mode [") +
                                  names[static_cast<std::size_t>(rules_.score_mode)] + "]",
                              std::move(parts));
  }
  static Result<Explanation> explain_function(const QueryContext& context,
                                              const PlannedFunction& one, DocAddress doc,
                                              const Explanation& asked) {
    Explanation value = Explanation::match(1, "constant score 1.0 - no function provided");
    if (one.of != nullptr) {
      CAIRN_TRY(const DocFunctionPtr of, one.of->in(context, doc.segment));
      value = one.of->explain(of->of(doc.doc, asked.value), asked);
      CAIRN_CHECK(context.steps.status());
    }
    if (!one.weighted) return value;
    const float product = value.value * one.weight;
    std::vector<Explanation> parts;
    parts.push_back(std::move(value));
    parts.push_back(Explanation::match(one.weight, "weight"));
    return Explanation::match(product, "product of:", std::move(parts));
  }
  PlanPtr inner_;
  std::vector<PlannedFunction> functions_;
  FunctionRules rules_;
};

}  // namespace

Result<PlanPtr> plan_functions(const QueryContext& context, const FunctionScoreQuery& query,
                               float boost) {
  PlanPtr inner = all_plan(boost);
  if (!query.query.empty()) {
    CAIRN_TRY(inner, make_plan(context, query.query.front(), boost));
  }
  CAIRN_CHECK(count_clauses(context, query.functions.size()));
  std::vector<PlannedFunction> functions;
  for (const ScoreFunction& one : query.functions) {
    PlannedFunction planned;
    CAIRN_TRY(planned.filter, make_filter(context, one.filter));
    CAIRN_TRY(planned.of, view_function(context, one));
    planned.weighted = one.weight.has_value();
    planned.weight = one.weight.value_or(1);
    functions.push_back(std::move(planned));
  }
  if (inner->matches_nothing()) return inner;
  return PlanPtr(std::make_shared<FunctionPlan>(std::move(inner), std::move(functions),
                                                FunctionRules{.score_mode = query.score_mode,
                                                              .boost_mode = query.boost_mode,
                                                              .max_boost = query.max_boost,
                                                              .min_score = query.min_score}));
}

}  // namespace cairn::index
