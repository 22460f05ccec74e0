// SPDX-License-Identifier: Apache-2.0
// Plans whose scores, or whose documents, a script decides.
#include <cmath>

#include "index/errors.h"
#include "index/functions/computed_scorer.h"
#include "index/functions/score_function.h"
#include "index/functions/script_program.h"
#include "index/query/explain.h"
#include "index/query/plan.h"
#include "index/view.h"

namespace cairn::index {
namespace {

using ProgramPtr = std::shared_ptr<const script::Program>;

/// How a float that may be none is shown.
std::string score_text(float score) { return std::isnan(score) ? "NaN" : number_text(score); }

class ScriptScorer final : public ComputedScorer {
 public:
  ScriptScorer(ScorerPtr inner, SegmentScriptPtr script, float boost,
               std::optional<float> min_score, bool asks_score, const SegmentView& view,
               os::Steps& steps)
      : ComputedScorer(std::move(inner), min_score, view, steps),
        script_(std::move(script)),
        boost_(boost),
        asks_score_(asks_score) {
    start();
  }

 private:
  float computed() override {
    const float asked = asks_score_ ? inner().score() : 0;
    const auto out = static_cast<float>(script_->number(doc_, asked));
    if (out >= 0) return out * boost_;
    steps().fail(illegal_argument("script_score script returned an invalid score [" +
                                  score_text(out) + "] for doc [" + std::to_string(doc_) +
                                  "]. Must be a non-negative score!"));
    return 0;
  }
  SegmentScriptPtr script_;
  float boost_;
  bool asks_score_;
};

/// As the field's engine explains what a script made.
Explanation explain_script(const Script& script, bool asks_score, float value,
                           const Explanation& asked) {
  std::vector<Explanation> parts;
  if (asks_score) parts.push_back(Explanation::match(asked.value, "_score: ", {asked}));
  return Explanation::match(value,
                            "script score function, computed with script:\"" + script_text(script) + "\"",
                            std::move(parts));
}

class ScriptScorePlan final : public Plan {
 public:
  ScriptScorePlan(PlanPtr inner, ProgramPtr program, const ScriptScoreQuery& query, float boost)
      : inner_(std::move(inner)),
        program_(std::move(program)),
        script_(query.script),
        min_score_(query.min_score),
        boost_(boost) {}

  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    CAIRN_TRY(auto inner, inner_->scorer(context, segment));
    if (inner == nullptr || inner->doc() == no_more) return ScorerPtr();
    CAIRN_TRY(auto script, open_script(context, *program_, segment));
    auto out = std::make_unique<ScriptScorer>(std::move(inner), std::move(script), boost_,
                                              min_score_, program_->uses_score(),
                                              context.view.segments[segment], context.steps);
    return out->doc() == no_more ? ScorerPtr() : ScorerPtr(std::move(out));
  }
  void add_terms(std::string_view field, std::vector<std::string>& out) const override {
    inner_->add_terms(field, out);
  }
  std::string description() const override {
    return "script_score (" + inner_->description() + ", script: {" + script_text(script_) + "})";
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    CAIRN_TRY(Explanation own, inner_->explain(context, doc));
    if (!own.matches) return own;
    CAIRN_TRY(const auto score, score_of(context, *this, doc));
    if (!score)
      return Explanation::none("Score value is too low, expected at least " +
                                   number_text(min_score_.value_or(0)),
                               {std::move(own)});
    const bool asks = program_->uses_score();
    if (boost_ == 1 || boost_ == 0) return explain_script(script_, asks, *score, own);
    std::vector<Explanation> parts;
    parts.push_back(explain_script(script_, asks, *score / boost_, own));
    parts.push_back(Explanation::match(boost_, "boost"));
    return Explanation::match(*score, "product of:", std::move(parts));
  }

 private:
  PlanPtr inner_;
  ProgramPtr program_;
  Script script_;
  std::optional<float> min_score_;
  float boost_;
};

/// Deleted documents are passed over: no script sees them.
class ScriptCheck final : public DocCheck {
 public:
  ScriptCheck(const SegmentView& view, SegmentScriptPtr script)
      : view_(view), script_(std::move(script)) {}
  bool fits(std::uint32_t doc) override { return view_.is_live(doc) && script_->truth(doc); }

 private:
  const SegmentView& view_;
  SegmentScriptPtr script_;
};

class ScriptFilterPlan final : public Plan {
 public:
  ScriptFilterPlan(ProgramPtr program, Script script, float score)
      : program_(std::move(program)), script_(std::move(script)), score_(score) {}

  bool is_check() const override { return true; }
  Result<std::unique_ptr<DocCheck>> check(const QueryContext& context,
                                          std::size_t segment) const override {
    CAIRN_TRY(auto script, open_script(context, *program_, segment));
    return std::unique_ptr<DocCheck>(
        std::make_unique<ScriptCheck>(context.view.segments[segment], std::move(script)));
  }
  float check_score() const override { return score_; }
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    std::vector<WantedCheck> one(1);
    CAIRN_TRY(one.front().check, check(context, segment));
    const std::uint32_t count = context.view.segments[segment].segment->doc_count();
    return checked_scorer(all_scorer(count, score_), std::move(one), 0, context.steps);
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    CAIRN_TRY(const auto script, check(context, doc.segment));
    const bool fits = script->fits(doc.doc);
    CAIRN_CHECK(context.steps.status());
    return fits ? explain_constant(description(), score_) : explain_mismatch(description(), doc);
  }
  std::string description() const override { return "ScriptQuery(" + script_text(script_) + ")"; }

 private:
  ProgramPtr program_;
  Script script_;
  float score_;
};

class ScriptFunctionOfView final : public ViewFunction {
 public:
  ScriptFunctionOfView(ProgramPtr program, Script script)
      : program_(std::move(program)), script_(std::move(script)) {}
  Result<DocFunctionPtr> in(const QueryContext& context, std::size_t segment) const override {
    CAIRN_TRY(auto script, open_script(context, *program_, segment));
    return DocFunctionPtr(std::make_unique<InSegment>(std::move(script), context.steps));
  }
  Explanation explain(double value, const Explanation& asked) const override {
    return explain_script(script_, program_->uses_score(), static_cast<float>(value), asked);
  }

 private:
  class InSegment final : public DocFunction {
   public:
    InSegment(SegmentScriptPtr script, os::Steps& steps) : script_(std::move(script)), steps_(steps) {}
    double of(std::uint32_t doc, float score) override {
      const double out = script_->number(doc, score);
      if (out < 0)
        steps_.fail(illegal_argument(
            "script score function must not produce negative scores, but got: [" +
            Json(out).dump() + "]"));
      return out;
    }

   private:
    SegmentScriptPtr script_;
    os::Steps& steps_;
  };
  ProgramPtr program_;
  Script script_;
};

}  // namespace

Result<ViewFunctionPtr> script_function(const QueryContext& context, const Script& script) {
  CAIRN_TRY(auto program, compile_script(context, script, script::Use::score));
  return ViewFunctionPtr(std::make_shared<ScriptFunctionOfView>(std::move(program), script));
}

Result<PlanPtr> plan_script_score(const QueryContext& context, const ScriptScoreQuery& query,
                                  float boost) {
  CAIRN_CHECK(count_clauses(context, 1));
  CAIRN_TRY(auto program, compile_script(context, query.script, script::Use::score));
  PlanPtr inner = all_plan(1);
  if (!query.query.empty()) {
    CAIRN_TRY(inner, make_plan(context, query.query.front()));
  }
  if (inner->matches_nothing()) return inner;
  return PlanPtr(std::make_shared<ScriptScorePlan>(std::move(inner), std::move(program), query, boost));
}

Result<PlanPtr> plan_script(const QueryContext& context, const ScriptQuery& query, float boost) {
  CAIRN_TRY(auto program, compile_script(context, query.script, script::Use::filter));
  return PlanPtr(std::make_shared<ScriptFilterPlan>(std::move(program), query.script, boost));
}

}  // namespace cairn::index
