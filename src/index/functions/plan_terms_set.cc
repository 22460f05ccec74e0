// SPDX-License-Identifier: Apache-2.0
// Plans of terms of which each document says itself how many it needs.
#include <algorithm>

#include "index/errors.h"
#include "index/functions/script_program.h"
#include "index/query/column_numbers.h"
#include "index/query/explain.h"
#include "index/query/plan.h"
#include "index/view.h"

namespace cairn::index {
namespace {

using ProgramPtr = std::shared_ptr<const script::Program>;

/// How many terms the documents of one segment need.
struct LeastCount {
  ColumnNumbers numbers;
  SegmentScriptPtr script;  // null: the numbers say it
  const SegmentView* view = nullptr;

  /// Nothing: the document does not match, however many it has.
  std::optional<double> of(std::uint32_t doc) {
    if (script != nullptr) {
      if (!view->is_live(doc)) return std::nullopt;
      return script->number(doc, 0);
    }
    const auto [first, last] = numbers.range(doc);
    if (first == last) return std::nullopt;
    return numbers.number(first);
  }
};

/// The terms stand in a heap, by document.
class CoveringScorer final : public Scorer {
 public:
  CoveringScorer(std::vector<ScorerPtr> terms, LeastCount least, os::Steps& steps)
      : terms_(std::move(terms)), least_(std::move(least)), steps_(steps) {
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      cost_ += terms_[i]->cost();
      if (terms_[i]->doc() != no_more) heap_.push_back(i);
    }
    std::make_heap(heap_.begin(), heap_.end(), later());
    find(0);
  }
  std::uint32_t next() override { return find(doc_ + 1); }
  std::uint32_t seek(std::uint32_t target) override { return doc_ >= target ? doc_ : find(target); }
  float score() override {
    double sum = 0;
    for (const ScorerPtr& term : terms_)
      if (term->doc() == doc_) sum += static_cast<double>(term->score());
    (void)steps_.go_on(terms_.size() / 4);
    return static_cast<float>(sum);
  }
  std::uint64_t cost() const override { return cost_; }

 private:
  struct Later {
    const std::vector<ScorerPtr>& terms;
    bool operator()(std::size_t a, std::size_t b) const {
      return terms[a]->doc() > terms[b]->doc();
    }
  };
  Later later() const { return {terms_}; }

  /// The first document from `target` on that has enough of the terms.
  std::uint32_t find(std::uint32_t target) {
    for (;;) {
      if (!seek_all(target) || heap_.empty()) return doc_ = no_more;
      const std::uint32_t doc = terms_[heap_.front()]->doc();
      if (has_enough(doc)) return doc_ = doc;
      target = doc + 1;
    }
  }
  bool seek_all(std::uint32_t target) {
    while (!heap_.empty() && terms_[heap_.front()]->doc() < target) {
      if (!steps_.go_on()) return false;
      std::pop_heap(heap_.begin(), heap_.end(), later());
      if (terms_[heap_.back()]->seek(target) == no_more)
        heap_.pop_back();
      else
        std::push_heap(heap_.begin(), heap_.end(), later());
    }
    return steps_.status().ok();
  }
  bool has_enough(std::uint32_t doc) {
    const auto least = least_.of(doc);
    if (!least) return false;
    (void)steps_.go_on(1 + terms_.size() / 8);
    const auto count = std::count_if(terms_.begin(), terms_.end(),
                                     [&](const ScorerPtr& term) { return term->doc() == doc; });
    return static_cast<double>(count) >= std::max(1.0, *least);
  }
  std::vector<ScorerPtr> terms_;
  std::vector<std::size_t> heap_;  // of those that have documents left
  LeastCount least_;
  os::Steps& steps_;
  std::uint64_t cost_ = 0;
};

class CoveringPlan final : public Plan {
 public:
  CoveringPlan(std::vector<PlanPtr> terms, Field least, ProgramPtr program)
      : terms_(std::move(terms)), least_(std::move(least)), program_(std::move(program)) {}
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    LeastCount least{.numbers = {}, .script = {}, .view = &context.view.segments[segment]};
    if (program_ != nullptr) {
      CAIRN_TRY(least.script, open_script(context, *program_, segment));
    } else {
      CAIRN_TRY(least.numbers, ColumnNumbers::open(context, segment, least_));
      if (least.numbers.none()) return ScorerPtr();
    }
    std::vector<ScorerPtr> terms;
    for (const PlanPtr& plan : terms_) {
      CAIRN_TRY(auto term, plan->scorer(context, segment));
      if (term != nullptr) terms.push_back(std::move(term));
    }
    if (terms.empty()) return ScorerPtr();
    auto out = std::make_unique<CoveringScorer>(std::move(terms), std::move(least), context.steps);
    return out->doc() == no_more ? ScorerPtr() : ScorerPtr(std::move(out));
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    CAIRN_TRY(const auto score, score_of(context, *this, doc));
    std::vector<Explanation> parts;
    for (const PlanPtr& plan : terms_) {
      CAIRN_TRY(Explanation part, plan->explain(context, doc));
      if (part.matches) parts.push_back(std::move(part));
    }
    if (!score)
      return Explanation::none(
          std::to_string(parts.size()) + " matches, which is too few by " +
              (program_ != nullptr ? "the script" : "[" + least_.name + "]"),
          std::move(parts));
    return Explanation::match(*score, "sum of:", std::move(parts));
  }
  std::string description() const override {
    std::string out;
    for (const PlanPtr& plan : terms_) out += (out.empty() ? "" : ", ") + plan->description();
    return "CoveringQuery(" + out + ")";
  }
  void add_terms(std::string_view field, std::vector<std::string>& out) const override {
    for (const PlanPtr& plan : terms_) plan->add_terms(field, out);
  }

 private:
  std::vector<PlanPtr> terms_;
  Field least_;
  ProgramPtr program_;  // null: the field says it
};

}  // namespace

namespace {

Result<Field> least_field(const QueryContext& context, const TermsSetQuery& query) {
  const Field* least = context.view.mapping->find(query.least_field);
  if (least == nullptr)
    return query_error("failed to find minimum_should_match field [" + query.least_field + "]");
  if (!is_number(least->type) || !least->doc_values)
    return query_error("minimum_should_match field [" + query.least_field + "] of type [" +
                       std::string(name_of(least->declared_type())) +
                       "] has no numbers with doc values");
  return *least;
}

// The script also gets how many terms there are.
Result<ProgramPtr> least_script(const QueryContext& context, const TermsSetQuery& query) {
  Script script = *query.least_script;
  script.params.set("num_terms", query.values.size());
  return compile_script(context, script, script::Use::number);
}

}  // namespace

Result<PlanPtr> plan_terms_set(const QueryContext& context, const TermsSetQuery& query,
                               float boost) {
  Field least;
  ProgramPtr program;
  if (query.least_script) {
    CAIRN_TRY(program, least_script(context, query));
  } else {
    CAIRN_TRY(least, least_field(context, query));
  }
  CAIRN_CHECK(count_clauses(context, std::max<std::size_t>(query.values.size(), 1) - 1));
  std::vector<PlanPtr> terms;
  for (const Json& value : query.values) {
    CAIRN_TRY(auto term, plan_term(context, {.field = query.field, .value = value}, boost));
    if (!term->matches_nothing()) terms.push_back(std::move(term));
  }
  if (terms.empty()) return no_plan();
  return PlanPtr(std::make_shared<CoveringPlan>(std::move(terms), std::move(least),
                                               std::move(program)));
}

}  // namespace cairn::index
