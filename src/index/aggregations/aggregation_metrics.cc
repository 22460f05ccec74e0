// SPDX-License-Identifier: Apache-2.0
// Aggregations that give numbers: min, max, avg, sum, stats, value_count, cardinality.
#include <algorithm>
#include <cmath>
#include <limits>

#include "index/aggregations/aggregation_parts.h"
#include "index/aggregations/exact_sum.h"
#include "index/aggregations/segment_terms.h"
#include "index/dates/dates.h"
#include "index/document/document.h"
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
  ExactSum sum;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();  // as the column has them
  std::int64_t greatest = std::numeric_limits<std::int64_t>::min();

  void add_bounds(const ValueBatch& batch) {
    std::int64_t low = least, high = greatest;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      low = std::min(low, batch.values[i]);
      high = std::max(high, batch.values[i]);
    }
    least = low;
    greatest = high;
  }
  // Batches are the same whoever counts what is beside them, and so are their sums (Kahan's).
  template <class Number>
  void add_sum(const ValueBatch& batch, Number number) {
    double s = 0, lost = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const double corrected = number(batch.values[i]) - lost;
      const double next = s + corrected;
      lost = (next - s) - corrected;
      s = next;
    }
    if (!std::isfinite(s)) {
      s = lost = 0;
      for (std::size_t i = 0; i < batch.size(); ++i) s += number(batch.values[i]);
    }
    sum.add(s);
    if (lost != 0) sum.add(-lost);
  }
  void add(const Sums& other) {
    count += other.count;
    sum.add(other.sum);
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
  }
};

class NumberAggregation final : public Aggregation {
 public:
  NumberAggregation(std::string name, Metric metric, FieldSource source, Frames& frames)
      : Aggregation(std::move(name), {}),
        metric_(metric),
        source_(std::move(source)),
        frames_(frames) {}
  Status begin_segment(const QueryContext& context, std::size_t segment) override {
    return source_.begin_segment(context, segment);
  }
  std::unique_ptr<AggregationState> state() const override;

 private:
  class State;
  Metric metric_;
  FieldSource source_;
  Frames& frames_;
};

class NumberAggregation::State final : public AggregationState {
 public:
  explicit State(const NumberAggregation& of) : of_(of) {}
  Status add(Docs docs) override {
    const Frames::Scope frame(of_.frames_);
    return of_.source_.batches(docs, *frame, [&](const ValueBatch& batch) {
      sums_.count += batch.size();
      if (of_.metric_ != Metric::sum && of_.metric_ != Metric::avg) sums_.add_bounds(batch);
      if (of_.metric_ == Metric::min || of_.metric_ == Metric::max) return ok_status();
      if (of_.source_.is_floating())
        sums_.add_sum(batch, [](std::int64_t v) { return key_double(v); });
      else
        sums_.add_sum(batch, [](std::int64_t v) { return static_cast<double>(v); });
      return ok_status();
    });
  }
  Status absorb(AggregationState& other) override {
    sums_.add(static_cast<State&>(other).sums_);
    return ok_status();
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
    if (metric == Metric::sum) return sums_.sum.value();
    if (sums_.count == 0) return std::nullopt;
    if (metric == Metric::avg) return sums_.sum.value() / static_cast<double>(sums_.count);
    return of_.source_.number(metric == Metric::min ? sums_.least : sums_.greatest);
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
  Status add(Docs docs) override {
    const Frames::Scope frame(of_.held_.frames);
    if (of_.ordinals_ != nullptr && of_.ordinals_->has_missing()) {
      const std::size_t missing = of_.source_.without(docs, *frame).size();
      count_ += missing;
      if (of_.distinct_ && missing > 0) CAIRN_CHECK(see(values_.add_missing()));
    }
    if (!of_.distinct_) {
      if (const auto count = of_.source_.count(docs)) {
        count_ += *count;
        return ok_status();
      }
    }
    if (own_ != nullptr && own_->is_over()) CAIRN_CHECK(gather());
    return of_.source_.batches(docs, *frame, [&](const ValueBatch& batch) -> Status {
      count_ += batch.size();
      if (!of_.distinct_) return ok_status();
      return group(batch, false, *frame, [&](std::int64_t v, std::size_t count, Docs) -> Status {
        if (own_ != nullptr) return own_->add(v, static_cast<std::uint32_t>(count));
        CAIRN_TRY(const std::uint32_t slot, values_.add(v));
        return see(slot);
      });
    });
  }
  Status absorb(AggregationState& given) override {
    State& other = static_cast<State&>(given);
    count_ += other.count_;
    if (!of_.distinct_) return ok_status();
    if (own_ != nullptr) CAIRN_CHECK(gather());
    if (other.own_ != nullptr) CAIRN_CHECK(other.gather());
    CAIRN_CHECK(values_.agree(other.values_));
    for (std::size_t i = 0; i < other.values_.size(); ++i) {
      CAIRN_CHECK(of_.held_.take(1));
      CAIRN_TRY(const std::uint32_t slot, values_.add_like(other.values_, i));
      CAIRN_CHECK(see(slot));
    }
    return ok_status();
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
    return Made(std::make_unique<NumberAggregation>(request.name, metric, std::move(source),
                                                    request.buckets.frames));
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
