// SPDX-License-Identifier: Apache-2.0
// How long aggregations take, for searches that ask.
#include <utility>

#include "index/aggregations/aggregation_parts.h"

namespace cairn::index {
namespace {

class WatchedState final : public AggregationState {
 public:
  WatchedState(std::unique_ptr<AggregationState> inner, AggregationProfile& profile,
               const os::Clock& clock)
      : inner_(std::move(inner)), profile_(profile), clock_(clock) {}
  Status add(Docs docs) override {
    const StepWatch watch(&profile_.collect, &clock_);
    return inner_->add(docs);
  }
  Status absorb(AggregationState& other) override {
    return inner_->absorb(*static_cast<WatchedState&>(other).inner_);
  }
  Result<Json> finish() override {
    const StepWatch watch(&profile_.build_aggregation, &clock_);
    return inner_->finish();
  }
  Result<std::optional<double>> number(std::string_view name) override {
    const StepWatch watch(&profile_.build_aggregation, &clock_);
    return inner_->number(name);
  }

 private:
  std::unique_ptr<AggregationState> inner_;
  AggregationProfile& profile_;
  const os::Clock& clock_;
};

}  // namespace

std::string measured_type(const std::string& type, const std::string& wire_type) {
  if (wire_type == "sterms") return "GlobalOrdinalsStringTermsAggregator";
  if (wire_type == "umterms") return "Unmapped";
  if (type == "terms") return "NumericTermsAggregator";
  if (type == "range" || type == "date_range") return "RangeAggregator";
  if (type == "histogram") return "NumericHistogramAggregator";
  if (type == "date_histogram") return "DateHistogramAggregator";
  if (type == "filter" || type == "filters") return "FiltersAggregator";
  std::string out;  // value_count: ValueCountAggregator
  bool upper = true;
  for (const char c : type) {
    const bool letter = c >= 'a' && c <= 'z';
    if (c != '_') out += upper && letter ? static_cast<char>(c - 'a' + 'A') : c;
    upper = c == '_';
  }
  return out + "Aggregator";
}

void Aggregation::measure(const os::Clock& clock, std::string type, StepTime initialize) {
  clock_ = &clock;
  measured_ = std::make_unique<AggregationProfile>();
  measured_->name = name_;
  measured_->type = std::move(type);
  measured_->initialize = initialize;
}

Status Aggregation::begin_measured(const QueryContext& context, std::size_t segment) {
  const StepWatch watch(measured_ == nullptr ? nullptr : &measured_->build_leaf_collector, clock_);
  return begin_segment(context, segment);
}

std::unique_ptr<AggregationState> Aggregation::state_measured() const {
  if (measured_ == nullptr) return state();
  return std::make_unique<WatchedState>(state(), *measured_, *clock_);
}

AggregationProfile Aggregation::profile() const {
  AggregationProfile out;
  if (measured_ != nullptr) out = *measured_;
  for (const auto& sub : subs_) out.below.push_back(sub->profile());
  return out;
}

}  // namespace cairn::index
