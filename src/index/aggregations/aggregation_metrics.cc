// SPDX-License-Identifier: Apache-2.0
// Aggregations that give numbers: min, max, avg, sum, stats, value_count, cardinality.
#include <algorithm>
#include <limits>

#include "index/aggregations/aggregation_parts.h"
#include "index/aggregations/segment_terms.h"
#include "index/dates/dates.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

enum class Metric { min, max, avg, sum, stats };

// In the order in which stats shows them.
constexpr std::pair<std::string_view, Metric> metric_names[] = {{"min", Metric::min},
                                                                {"max", Metric::max},
                                                                {"avg", Metric::avg},
                                                                {"sum", Metric::sum},
                                                                {"stats", Metric::stats}};

struct Sums {
  std::uint64_t count = 0;
  double sum = 0, lost = 0;  // what rounding has taken so far (Kahan)
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();
  void add(double v) {
    ++count;
    const double corrected = v - lost;
    const double next = sum + corrected;
    lost = (next - sum) - corrected;
    sum = next;
    least = std::min(least, v);
    greatest = std::max(greatest, v);
  }
};

class NumberAggregation final : public Aggregation {
 public:
  NumberAggregation(std::string name, Metric metric, FieldSource source)
      : Aggregation(std::move(name), {}), metric_(metric), source_(std::move(source)) {}
  Status begin_segment(const QueryContext& context, std::size_t segment) override {
    return source_.begin_segment(context, segment);
  }
  std::unique_ptr<AggregationState> state() const override;

 private:
  class State;
  Metric metric_;
  FieldSource source_;
};

class NumberAggregation::State final : public AggregationState {
 public:
  explicit State(const NumberAggregation& of) : of_(of) {}
  Status add(std::uint32_t doc) override {
    return of_.source_.values(doc, [&](std::int64_t v) {
      sums_.add(of_.source_.number(v));
      return ok_status();
    });
  }
  Result<std::optional<double>> number(std::string_view name) override {
    if (of_.metric_ != Metric::stats) return name == "value" ? value(of_.metric_) : std::nullopt;
    if (name == "count") return std::optional(static_cast<double>(sums_.count));
    for (const auto& [known, metric] : metric_names)
      if (name == known && metric != Metric::stats) return value(metric);
    return std::optional<double>();
  }
  Result<Json> finish() override {
    Json out = Json::object();
    if (of_.metric_ != Metric::stats) {
      put(out, "value", of_.metric_);
      return out;
    }
    out.set("count", sums_.count);
    for (const auto& [name, metric] : metric_names)
      if (metric != Metric::stats) put(out, std::string(name), metric);
    return out;
  }

 private:
  // Nothing where there are no values: only a sum is 0.
  std::optional<double> value(Metric metric) const {
    if (metric == Metric::sum) return sums_.sum;
    if (sums_.count == 0) return std::nullopt;
    if (metric == Metric::avg) return sums_.sum / static_cast<double>(sums_.count);
    return metric == Metric::min ? sums_.least : sums_.greatest;
  }
  void put(Json& out, const std::string& name, Metric metric) const {
    const auto number = value(metric);
    out.set(name, number ? Json(*number) : Json());
    if (!of_.source_.is_date() || !number) return;
    const Field& field = *of_.source_.field();
    const auto format =
        DateFormat::parse(field.format.empty() ? default_date_format : field.format);
    if (format) out.set(name + "_as_string", format->write(static_cast<std::int64_t>(*number)));
  }
  const NumberAggregation& of_;
  Sums sums_;
};

std::unique_ptr<AggregationState> NumberAggregation::state() const {
  return std::make_unique<State>(*this);
}

/// value_count, and cardinality, which is exact.
class CountAggregation final : public Aggregation {
 public:
  CountAggregation(std::string name, bool distinct, FieldSource source,
                   std::unique_ptr<GlobalOrdinals> ordinals, BucketCount& held)
      : Aggregation(std::move(name), {}),
        distinct_(distinct),
        source_(std::move(source)),
        ordinals_(std::move(ordinals)),
        held_(held) {}
  Status begin_segment(const QueryContext& context, std::size_t segment) override {
    if (ordinals_ != nullptr) ordinals_->begin_segment(segment);
    return source_.begin_segment(context, segment);
  }
  std::unique_ptr<AggregationState> state() const override;

 private:
  class State;
  bool distinct_;
  FieldSource source_;
  std::unique_ptr<GlobalOrdinals> ordinals_;  // of a keyword field
  BucketCount& held_;
};

class CountAggregation::State final : public AggregationState {
 public:
  explicit State(const CountAggregation& of) : of_(of), values_(of.ordinals_.get()) {
    if (of.ordinals_ != nullptr && of.distinct_)
      own_ = std::make_unique<SegmentTerms>(*of.ordinals_, of.held_);
  }
  Status add(std::uint32_t doc) override {
    bool any = false;
    if (own_ != nullptr && own_->is_over()) CAIRN_CHECK(gather());
    CAIRN_CHECK(of_.source_.values(doc, [&](std::int64_t v) -> Status {
      any = true;
      ++count_;
      if (!of_.distinct_) return ok_status();
      if (own_ != nullptr) return own_->add(v);
      CAIRN_TRY(const std::uint32_t slot, values_.add(v));
      return see(slot);
    }));
    if (any || of_.ordinals_ == nullptr || !of_.ordinals_->has_missing()) return ok_status();
    ++count_;
    return of_.distinct_ ? see(values_.add_missing()) : ok_status();
  }
  Result<Json> finish() override {
    CAIRN_TRY(const std::uint64_t count, value());
    return Json::object({{"value", count}});
  }
  Result<std::optional<double>> number(std::string_view name) override {
    CAIRN_TRY(const std::uint64_t count, value());
    return name == "value" ? std::optional(static_cast<double>(count)) : std::nullopt;
  }

 private:
  Result<std::uint64_t> value() {
    if (own_ != nullptr) CAIRN_CHECK(gather());
    return of_.distinct_ ? values_.size() : count_;
  }
  Status gather() {
    return own_->empty_into(values_, [&](std::uint32_t slot, std::uint32_t) { return see(slot); });
  }
  Status see(std::uint32_t slot) {
    if (slot < seen_) return ok_status();
    ++seen_;
    return of_.held_.hold(ValueSlots::bytes_of_value);
  }
  const CountAggregation& of_;
  std::uint64_t count_ = 0;
  std::unique_ptr<SegmentTerms> own_;
  ValueSlots values_;
  std::uint32_t seen_ = 0;
};

std::unique_ptr<AggregationState> CountAggregation::state() const {
  return std::make_unique<State>(*this);
}

}  // namespace

Result<std::unique_ptr<Aggregation>> make_metric(const AggregationRequest& request) {
  using Made = Result<std::unique_ptr<Aggregation>>;
  for (const auto& [type, metric] : metric_names) {
    if (request.type != type) continue;
    CAIRN_CHECK(check_parameters(request, {"field", "missing"}));
    CAIRN_TRY(auto source, FieldSource::open(request));
    if (source.is_terms())
      return illegal_argument("Field [" + source.field()->name +
                              "] of type [keyword] is not supported for aggregation [" +
                              request.type + "]");
    return Made(std::make_unique<NumberAggregation>(request.name, metric, std::move(source)));
  }
  if (request.type != "value_count" && request.type != "cardinality")
    return std::unique_ptr<Aggregation>();
  CAIRN_CHECK(check_parameters(request, {"field", "missing", "precision_threshold"}));
  CAIRN_TRY(auto source, FieldSource::open(request));
  CAIRN_TRY(auto ordinals, source.open_ordinals(request));
  return Made(std::make_unique<CountAggregation>(request.name, request.type == "cardinality",
                                                 std::move(source), std::move(ordinals),
                                                 request.buckets));
}

}  // namespace cairn::index
