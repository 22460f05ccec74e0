// SPDX-License-Identifier: Apache-2.0
// Plans that look at the values of runtime fields.
#include <algorithm>
#include <utility>

#include "index/query/explain.h"
#include "index/query/runtime_reader.h"
#include "index/view.h"

namespace cairn::index {
namespace {

/// Deleted documents are passed over: no script sees them.
class RuntimeCheck final : public DocCheck {
 public:
  RuntimeCheck(const QueryContext& context, std::size_t segment,
               std::shared_ptr<RuntimeReader> values, const RuntimeTest& test)
      : view_(context.view.segments[segment]), values_(std::move(values)), test_(test) {
    if (test.takes_text) takes_text_ = test.takes_text(context.steps);
  }
  bool fits(std::uint32_t doc) override {
    if (!view_.is_live(doc) || !values_->go_to(doc)) return false;
    if (test_.takes_number)
      return std::any_of(values_->numbers().begin(), values_->numbers().end(), test_.takes_number);
    if (takes_text_)
      return std::any_of(values_->texts().begin(), values_->texts().end(), takes_text_);
    return values_->count() > 0;
  }

 private:
  const SegmentView& view_;
  std::shared_ptr<RuntimeReader> values_;
  const RuntimeTest& test_;
  RuntimeTest::Asks takes_text_;
};

class RuntimePlan final : public Plan {
 public:
  RuntimePlan(const Field& field, std::shared_ptr<const Mapping> mapping, RuntimeTest test,
              float score, std::string description)
      : field_(field),
        mapping_(std::move(mapping)),
        test_(std::move(test)),
        score_(score),
        text_(std::move(description)) {}

  bool is_check() const override { return true; }
  Result<std::unique_ptr<DocCheck>> check(const QueryContext& context,
                                          std::size_t segment) const override {
    CAIRN_TRY(auto values, open_runtime(context, segment, field_));
    return std::unique_ptr<DocCheck>(
        std::make_unique<RuntimeCheck>(context, segment, std::move(values), test_));
  }
  float check_score() const override { return score_; }
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    std::vector<WantedCheck> one(1);
    CAIRN_TRY(one.front().check, check(context, segment));
    const std::uint32_t count = context.view.segments[segment].segment->doc_count();
    return checked_scorer(all_scorer(count, score_), std::move(one), 0, context.steps);
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    CAIRN_TRY(const auto own, check(context, doc.segment));
    const bool fits = own->fits(doc.doc);
    CAIRN_CHECK(context.steps.status());
    return fits ? explain_constant(description(), score_) : explain_mismatch(description(), doc);
  }
  std::string description() const override { return text_; }

 private:
  const Field& field_;
  std::shared_ptr<const Mapping> mapping_;  // that has it
  RuntimeTest test_;
  float score_;
  std::string text_;
};

}  // namespace

PlanPtr plan_runtime(const QueryContext& context, const Field& field, RuntimeTest test, float boost,
                     std::string description) {
  ++context.runtime_clauses;
  return std::make_shared<RuntimePlan>(field, context.view.mapping, std::move(test), boost,
                                       std::move(description));
}

}  // namespace cairn::index
