// SPDX-License-Identifier: Apache-2.0
// Plans of documents some of whose objects match: a query of the objects, joined to the documents.
#include <algorithm>

#include "index/errors.h"
#include "index/query/explain.h"
#include "index/query/nested_view.h"
#include "index/query/plan.h"
#include "index/view.h"

namespace cairn::index {
namespace {

using Mode = NestedQuery::ScoreMode;

/// Scores of objects, put together.
class JoinedScore {
 public:
  explicit JoinedScore(Mode mode) : mode_(mode) {}
  void add(float score) {
    if (count_++ == 0) {
      sum_ = static_cast<double>(score);
      return;
    }
    const auto more = static_cast<double>(score);
    if (mode_ == Mode::max)
      sum_ = std::max(sum_, more);
    else if (mode_ == Mode::min)
      sum_ = std::min(sum_, more);
    else
      sum_ += more;
  }
  float value() const {
    if (mode_ == Mode::none || count_ == 0) return 0;
    return static_cast<float>(mode_ == Mode::avg ? sum_ / count_ : sum_);
  }
  int count() const { return count_; }

 private:
  Mode mode_;
  double sum_ = 0;
  int count_ = 0;
};

const char* name_of(Mode mode) {
  switch (mode) {
    case Mode::avg:
      return "Avg";
    case Mode::max:
      return "Max";
    case Mode::min:
      return "Min";
    case Mode::sum:
      return "Total";
    case Mode::none:
      break;
  }
  return "None";
}

/// Documents by their objects. The inner scorer stands on the first object of doc(), or, once its
/// score was asked for, on the first one after it.
class JoinScorer final : public Scorer {
 public:
  JoinScorer(const NestedView& view, std::size_t segment, std::unique_ptr<QueryContext> within,
             ScorerPtr objects, Mode mode, os::Steps& steps)
      : view_(view),
        segment_(segment),
        within_(std::move(within)),
        objects_(std::move(objects)),
        mode_(mode),
        steps_(steps) {
    stand();
  }

  std::uint32_t next() override {
    if (!scored_) pass(nullptr);
    return stand();
  }
  std::uint32_t seek(std::uint32_t target) override {
    if (doc_ >= target) return doc_;
    const std::uint32_t at = objects_->doc();
    if (at != no_more) {
      const std::uint32_t first = view_.first_from(segment_, target, at);
      if (first > at) objects_->seek(first);
    }
    return stand();
  }
  float score() override {
    if (mode_ == Mode::none) return 0;
    if (!scored_) {
      JoinedScore joined(mode_);
      pass(&joined);
      score_ = joined.value();
      scored_ = true;
    }
    return score_;
  }
  std::uint64_t cost() const override { return objects_->cost(); }

 private:
  std::uint32_t stand() {
    scored_ = false;
    const std::uint32_t object = objects_->doc();
    if (object != no_more) return doc_ = view_.parent(segment_, object);
    if (!within_->steps.status().ok()) steps_.fail(within_->steps.status().error());
    return doc_ = no_more;
  }
  // To the first object that is not in doc().
  void pass(JoinedScore* joined) {
    std::uint32_t object = objects_->doc();
    while (object != no_more && view_.parent(segment_, object) == doc_) {
      if (joined != nullptr) joined->add(objects_->score());
      (void)steps_.go_on();
      object = objects_->next();
    }
  }

  const NestedView& view_;
  std::size_t segment_;
  std::unique_ptr<QueryContext> within_;  // the inner scorer refers to it
  ScorerPtr objects_;
  Mode mode_;
  os::Steps& steps_;
  float score_ = 0;
  bool scored_ = false;
};

class NestedPlan final : public Plan {
 public:
  NestedPlan(std::shared_ptr<const NestedView> view, PlanPtr inner, Mode mode)
      : view_(std::move(view)), inner_(std::move(inner)), mode_(mode) {}

  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    if (view_->state.segments[segment].live == 0) return ScorerPtr();
    auto within = context_within(context, view_->state);
    CAIRN_TRY(auto objects, inner_->scorer(*within, segment));
    if (objects == nullptr || objects->doc() == no_more) {
      CAIRN_CHECK(within->steps.status());
      return ScorerPtr();
    }
    return ScorerPtr(std::make_unique<JoinScorer>(*view_, segment, std::move(within),
                                                  std::move(objects), mode_, context.steps));
  }
  bool matches_nothing() const override { return inner_->matches_nothing(); }
  void add_terms(std::string_view field, std::vector<std::string>& out) const override {
    inner_->add_terms(field, out);
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    const auto within = context_within(context, view_->state);
    const auto [first, last] = view_->objects_of(doc.segment, doc.doc);
    JoinedScore joined(mode_);
    std::vector<Explanation> best;
    for (std::uint32_t object = first; object < last; ++object) {
      CAIRN_TRY(Explanation one,
                inner_->explain(*within, {.segment = doc.segment, .doc = object}));
      if (!one.matches) continue;
      joined.add(one.value);
      if (best.empty() || one.value > best.front().value) best.assign(1, std::move(one));
    }
    if (joined.count() == 0) return Explanation::none("Not a match");
    return Explanation::match(joined.value(),
                              "Score based on " + std::to_string(joined.count()) +
                                  " child docs in range from " + std::to_string(first) + " to " +
                                  std::to_string(last - 1) + ", using score mode " +
                                  name_of(mode_),
                              std::move(best));
  }
  std::string description() const override {
    return "ToParentBlockJoinQuery (" + inner_->description() + ")";
  }

 private:
  std::shared_ptr<const NestedView> view_;
  PlanPtr inner_;
  Mode mode_;
};

// The objects in documents that pass.
Result<std::shared_ptr<const BitSet>> objects_in(const QueryContext& context,
                                                 const NestedView& objects, const Plan& documents,
                                                 std::size_t segment) {
  const auto above = context_within(context, *objects.above);
  CAIRN_TRY(const auto passing, all_matching_bits(*above, documents, segment));
  const std::uint32_t count = objects.state.segments[segment].segment->doc_count();
  CAIRN_CHECK(context.steps.take(count / 8));
  auto out = std::make_shared<BitSet>(count);
  for (std::uint32_t object = 0; object < count; ++object)
    if (passing->test(objects.parent(segment, object))) out->set(object);
  return std::shared_ptr<const BitSet>(std::move(out));
}

}  // namespace

Result<PlanPtr> plan_nested(const QueryContext& context, const NestedQuery& query, float boost) {
  CAIRN_TRY(auto view, nested_view(context.view, query.path));
  if (view == nullptr) {
    if (query.ignore_unmapped) return no_plan();
    return query_error(context.view.mapping->find(query.path) == nullptr
                           ? "[nested] failed to find nested object under path [" + query.path + "]"
                           : "[nested] nested object under path [" + query.path +
                                 "] is not of nested type");
  }
  const auto within = context_within(context, view->state);
  auto inner = make_plan(*within, query.query.front(), boost);
  take_counts(context, *within);  // no lenient clause hides that there are too many
  if (!inner) return inner;
  CAIRN_CHECK(context.steps.take(view->state.segments.size()));
  if ((*inner)->matches_nothing()) return no_plan();
  return PlanPtr(
      std::make_shared<NestedPlan>(std::move(view), std::move(*inner), query.score_mode));
}

Result<PlanPtr> plan_documents(const QueryContext& context, const DocumentsQuery& query,
                               float boost) {
  const ViewState* whole = &context.view;
  while (whole->objects != nullptr) whole = whole->objects->above;
  if (whole == &context.view) return make_plan(context, query.query.front(), boost);
  CAIRN_TRY(auto objects, nested_view(*whole, context.view.nested_path));
  const auto above = context_within(context, *whole);
  auto documents = make_plan(*above, query.query.front());
  context.clauses = above->clauses;
  if (!documents || (*documents)->matches_nothing()) return documents;
  return bits_plan(
      [objects = std::move(objects), documents = std::move(*documents)](
          const QueryContext& own, std::size_t segment) {
        return objects_in(own, *objects, *documents, segment);
      },
      boost);
}

}  // namespace cairn::index
