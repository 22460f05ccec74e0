// SPDX-License-Identifier: Apache-2.0
// Plans of features: how near a date is, and numbers that were kept to be scored.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "index/dates/dates.h"
#include "index/errors.h"
#include "index/query/column_numbers.h"
#include "index/query/explain.h"
#include "index/query/plan.h"
#include "index/view.h"

namespace cairn::index {
namespace {

/// Distances from a date. The nearest of several dates counts.
class DistanceScorer final : public Scorer {
 public:
  DistanceScorer(ColumnNumbers numbers, std::uint32_t documents, std::int64_t origin,
                 std::int64_t pivot, float boost, os::Steps& steps)
      : numbers_(std::move(numbers)),
        documents_(documents),
        origin_(origin),
        pivot_(static_cast<double>(pivot)),
        boost_(boost),
        steps_(steps) {
    doc_ = 0;
    seek_from(0);
  }
  std::uint32_t next() override { return seek_from(doc_ + 1); }
  std::uint32_t seek(std::uint32_t target) override {
    return doc_ >= target ? doc_ : seek_from(target);
  }
  /// The date that counts.
  std::int64_t nearest() const {
    const auto [first, last] = numbers_.range(doc_);
    std::int64_t best = numbers_.raw(first);
    for (std::uint32_t i = first + 1; i < last; ++i)
      if (distance_of(numbers_.raw(i)) < distance_of(best)) best = numbers_.raw(i);
    return best;
  }
  float score() override {
    return static_cast<float>(static_cast<double>(boost_) *
                              (pivot_ / (pivot_ + distance_of(nearest()))));
  }
  std::uint64_t cost() const override { return documents_; }

 private:
  double distance_of(std::int64_t value) const {
    return std::abs(static_cast<double>(value) - static_cast<double>(origin_));
  }
  std::uint32_t seek_from(std::uint32_t target) {
    for (doc_ = target; doc_ < documents_; ++doc_) {
      if (!steps_.go_on()) break;
      const auto [first, last] = numbers_.range(doc_);
      if (first != last) return doc_;
    }
    return doc_ = no_more;
  }
  ColumnNumbers numbers_;
  std::uint32_t documents_;
  std::int64_t origin_;
  double pivot_;
  float boost_;
  os::Steps& steps_;
};

class DistancePlan final : public Plan {
 public:
  DistancePlan(Field field, std::int64_t origin, std::int64_t pivot, float boost)
      : field_(std::move(field)), origin_(origin), pivot_(pivot), boost_(boost) {}
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    CAIRN_TRY(auto own, scorer_in(context, segment));
    return ScorerPtr(std::move(own));
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    CAIRN_TRY(const auto at, scorer_in(context, doc.segment));
    const bool matches = at != nullptr && at->seek(doc.doc) == doc.doc;
    CAIRN_CHECK(context.steps.status());
    if (!matches)
      return Explanation::none("Document " + std::to_string(doc.doc) +
                               " doesn't have a value for field " + field_.name);
    std::vector<Explanation> parts;
    parts.push_back(Explanation::match(boost_, "weight"));
    parts.push_back(Explanation::match(static_cast<float>(pivot_), "pivotDistance"));
    parts.push_back(Explanation::match(static_cast<float>(origin_), "origin"));
    parts.push_back(Explanation::match(static_cast<float>(at->nearest()), "current value"));
    return Explanation::match(at->score(),
                              "Distance score, computed as weight * pivotDistance / "
                              "(pivotDistance + abs(value - origin)) from:",
                              std::move(parts));
  }

 private:
  Result<std::unique_ptr<DistanceScorer>> scorer_in(const QueryContext& context,
                                                    std::size_t segment) const {
    CAIRN_TRY(auto numbers, ColumnNumbers::open(context, segment, field_));
    if (numbers.none()) return std::unique_ptr<DistanceScorer>();
    auto out = std::make_unique<DistanceScorer>(std::move(numbers),
                                                context.view.segments[segment].segment->doc_count(),
                                                origin_, pivot_, boost_, context.steps);
    if (out->doc() == no_more) out.reset();
    return out;
  }
  Field field_;
  std::int64_t origin_, pivot_;
  float boost_;
};

/// The functions of a feature's value, as the field's engine computes them.
struct FeatureFunction {
  RankFeatureQuery::Shape shape = RankFeatureQuery::Shape::saturation;
  float weight = 1;
  float pivot = 1;    // saturation, sigmoid
  float scaling = 1;  // log
  float exponent = 1;

  float of(float value) const {
    using enum RankFeatureQuery::Shape;
    const auto s = static_cast<double>(value), w = static_cast<double>(weight);
    switch (shape) {
      case saturation:
        return weight * (1 - pivot / (value + pivot));
      case log:
        return static_cast<float>(w * std::log(static_cast<double>(scaling) + s));
      case sigmoid: {
        const double a = static_cast<double>(exponent);
        const double k = std::pow(static_cast<double>(pivot), a);
        return static_cast<float>(w * (1 - k / (std::pow(s, a) + k)));
      }
      case linear:
        return weight * value;
    }
    return 0;
  }
  std::string text(const std::string& field) const {
    static constexpr std::array<std::pair<const char*, const char*>, 4> names = {
        {{"Saturation", "w * S / (S + k)"},
         {"Log", "w * log(a + S)"},
         {"Sigmoid", "w * S^a / (S^a + k^a)"},
         {"Linear", "w * S"}}};
    const auto& [name, formula] = names[static_cast<std::size_t>(shape)];
    return std::string(name) + " function on the _feature field for the " + field +
           " feature, computed as " + formula + " from:";
  }
};

class FeatureScorer final : public Scorer {
 public:
  FeatureScorer(PostingsCursor cursor, const FeatureFunction& function)
      : function_(function), at_(std::move(cursor)) {
    doc_ = at_.doc();
  }
  std::uint32_t next() override { return doc_ = at_.next(); }
  std::uint32_t seek(std::uint32_t target) override { return doc_ = at_.seek(target); }
  float value() { return decode_weight(at_.freq()); }
  float score() override { return function_.of(value()); }
  std::uint64_t cost() const override { return at_.cursor().doc_freq(); }

 private:
  const FeatureFunction& function_;
  PostingsIterator at_;
};

class FeaturePlan final : public Plan {
 public:
  FeaturePlan(std::string field, std::shared_ptr<const TermPlan> term, FeatureFunction function)
      : field_(std::move(field)), term_(std::move(term)), function_(function) {}
  Result<ScorerPtr> scorer(const QueryContext& context, std::size_t segment) const override {
    CAIRN_TRY(auto own, scorer_in(context, segment));
    return ScorerPtr(std::move(own));
  }
  Result<Explanation> explain(const QueryContext& context, DocAddress doc) const override {
    using enum RankFeatureQuery::Shape;
    CAIRN_TRY(const auto at, scorer_in(context, doc.segment));
    if (at == nullptr || at->doc() == no_more || at->seek(doc.doc) != doc.doc)
      return Explanation::none(field_ + " has no value in this document");
    std::vector<Explanation> parts;
    parts.push_back(Explanation::match(function_.weight, "w, weight of this function"));
    if (function_.shape == saturation || function_.shape == sigmoid)
      parts.push_back(Explanation::match(
          function_.pivot,
          "k, pivot feature value that would give a score contribution equal to w/2"));
    if (function_.shape == log)
      parts.push_back(Explanation::match(function_.scaling, "a, scaling factor"));
    if (function_.shape == sigmoid)
      parts.push_back(Explanation::match(
          function_.exponent,
          "a, exponent, higher values make the function grow slower before k and faster after k"));
    parts.push_back(Explanation::match(at->value(), "S, feature value"));
    return Explanation::match(at->score(), function_.text(field_), std::move(parts));
  }
  std::string description() const override {
    return "FeatureQuery(field=_feature, feature=" + field_ + ")";
  }

 private:
  Result<std::unique_ptr<FeatureScorer>> scorer_in(const QueryContext& context,
                                                   std::size_t segment) const {
    const TermPlan::Place& place = term_->places[segment];
    if (place.reader == nullptr) return std::unique_ptr<FeatureScorer>();
    CAIRN_TRY(auto cursor, place.reader->postings(place.entry, context.deadline));
    return std::make_unique<FeatureScorer>(std::move(cursor), function_);
  }
  std::string field_;
  std::shared_ptr<const TermPlan> term_;
  FeatureFunction function_;
};

/// The value that documents have on average, as the engine takes it: of the numbers that values are
/// kept as, so that it lies near their geometric mean.
float usual_pivot(const TermPlan& term) {
  std::uint64_t documents = 0, sum = 0;
  for (const TermPlan::Place& place : term.places) {
    if (place.reader == nullptr) continue;
    documents += place.entry.doc_freq;
    sum += place.entry.total_freq;
  }
  if (documents == 0) return 1;
  return decode_weight(
      static_cast<std::uint32_t>(static_cast<float>(sum) / static_cast<float>(documents)));
}

/// A feature by its name: of a field of one, or of a field of many that its name begins with.
struct NamedFeature {
  const Field* field = nullptr;
  std::string term;
};
NamedFeature feature_of(const Mapping& mapping, const std::string& name) {
  if (const Field* field = mapping.find(name)) return {field, std::string(one_feature_term)};
  for (auto dot = name.rfind('.'); dot != std::string::npos && dot > 0;
       dot = name.rfind('.', dot - 1)) {
    const Field* field = mapping.find(std::string_view(name).substr(0, dot));
    if (field != nullptr && field->features == Features::many) return {field, name.substr(dot + 1)};
  }
  return {};
}

Status check_impact(const Field& field, const RankFeatureQuery& query) {
  using enum RankFeatureQuery::Shape;
  if (field.positive_score_impact || (query.shape != log && query.shape != linear))
    return ok_status();
  return illegal_argument("Cannot use the [" + std::string(query.shape == log ? "log" : "linear") +
                          "] function with a field that has a negative score impact as it would "
                          "trigger negative scores");
}

}  // namespace

Result<PlanPtr> plan_distance(const QueryContext& context, const DistanceFeatureQuery& query,
                              float boost) {
  const Field* field = context.view.mapping->find(query.field);
  if (field == nullptr) return no_plan();
  if (field->type != FieldType::date)
    return illegal_argument("Illegal data type of [" +
                            std::string(name_of(field->declared_type())) + "]!" +
                            "[distance_feature] query can only be run on a date, date_nanos or "
                            "geo_point field type!");
  if (!field->doc_values)
    return illegal_argument("[distance_feature] needs the doc values of field [" + field->name +
                            "]");
  CAIRN_TRY(const auto format,
            DateFormat::parse(field->format.empty() ? default_date_format
                                                    : std::string_view(field->format)));
  CAIRN_TRY(const std::int64_t origin,
            resolve_date(query.origin, format, context.now_ms, {}, false));
  return PlanPtr(std::make_shared<DistancePlan>(*field, origin, query.pivot_ms, boost));
}

Result<PlanPtr> plan_rank_feature(const QueryContext& context, const RankFeatureQuery& query,
                                  float boost) {
  const NamedFeature feature = feature_of(*context.view.mapping, query.field);
  if (feature.field == nullptr) return no_plan();
  const bool whole = feature.term == one_feature_term;
  if (feature.field->features != (whole ? Features::one : Features::many))
    return illegal_argument(
        "[rank_feature] query only works on [rank_feature] fields and features "
        "of [rank_features] fields, not [" +
        std::string(name_of(feature.field->declared_type())) + "]");
  CAIRN_CHECK(check_impact(*feature.field, query));
  CAIRN_TRY(auto term, find_term(context, feature.field->name, feature.term));
  if (doc_freq_of(*term) == 0) return no_plan();
  FeatureFunction function{.shape = query.shape,
                           .weight = boost,
                           .pivot = query.pivot ? *query.pivot : usual_pivot(*term),
                           .scaling = query.scaling_factor,
                           .exponent = query.exponent};
  return PlanPtr(std::make_shared<FeaturePlan>(query.field, std::move(term), function));
}

}  // namespace cairn::index
