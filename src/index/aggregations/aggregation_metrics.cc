// SPDX-License-Identifier: Apache-2.0
// Aggregations that give numbers: min, max, avg, sum, stats, value_count, cardinality.
#include <algorithm>
#include <limits>
#include <unordered_set>

#include "base/hash.h"
#include "index/aggregations/aggregation_parts.h"
#include "index/dates/dates.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

enum class Metric { min, max, avg, sum, stats };

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
  Result<Json> finish() override {
    const bool any = sums_.count > 0;
    const Json average = any ? Json(sums_.sum / static_cast<double>(sums_.count)) : Json();
    const Json least = any ? Json(sums_.least) : Json();
    const Json greatest = any ? Json(sums_.greatest) : Json();
    Json out = Json::object();
    switch (of_.metric_) {
      case Metric::min:
        put(out, "value", least);
        break;
      case Metric::max:
        put(out, "value", greatest);
        break;
      case Metric::avg:
        put(out, "value", average);
        break;
      case Metric::sum:
        put(out, "value", sums_.sum);
        break;
      case Metric::stats:
        out.set("count", sums_.count);
        put(out, "min", least);
        put(out, "max", greatest);
        put(out, "avg", average);
        put(out, "sum", sums_.sum);
        break;
    }
    return out;
  }

 private:
  void put(Json& out, const std::string& name, const Json& value) const {
    out.set(name, value);
    if (!of_.source_.is_date() || value.is_null()) return;
    const Field& field = *of_.source_.field();
    const auto format =
        DateFormat::parse(field.format.empty() ? default_date_format : field.format);
    if (format)
      out.set(name + "_as_string", format->write(static_cast<std::int64_t>(value.as_double())));
  }
  const NumberAggregation& of_;
  Sums sums_;
};

std::unique_ptr<AggregationState> NumberAggregation::state() const {
  return std::make_unique<State>(*this);
}

/// value_count, and cardinality (exact: by the hashes of the values).
class CountAggregation final : public Aggregation {
 public:
  CountAggregation(std::string name, bool distinct, FieldSource source, BucketCount& held)
      : Aggregation(std::move(name), {}),
        distinct_(distinct),
        source_(std::move(source)),
        held_(held) {}
  Status begin_segment(const QueryContext& context, std::size_t segment) override {
    return source_.begin_segment(context, segment);
  }
  std::unique_ptr<AggregationState> state() const override;

 private:
  class State;
  bool distinct_;
  FieldSource source_;
  BucketCount& held_;
};

class CountAggregation::State final : public AggregationState {
 public:
  explicit State(const CountAggregation& of) : of_(of) {}
  Status add(std::uint32_t doc) override {
    return of_.source_.values(doc, [&](std::int64_t v) -> Status {
      ++count_;
      if (!of_.distinct_) return ok_status();
      if (!of_.source_.is_terms()) {
        return see(static_cast<std::uint64_t>(v));
      }
      if (segment_ != of_.source_.segment_number()) {
        segment_ = of_.source_.segment_number();
        ordinals_.clear();
      }
      if (!ordinals_.insert(v).second) return ok_status();
      CAIRN_TRY(const std::string term, of_.source_.term(v));
      return see(fast_hash(term));
    });
  }
  Result<Json> finish() override {
    const std::uint64_t value = of_.distinct_ ? seen_.size() : count_;
    return Json::object({{"value", value}});
  }

 private:
  Status see(std::uint64_t hash) {
    constexpr std::size_t bytes_of_value = 72;  // here, and among the ordinals
    return seen_.insert(hash).second ? of_.held_.hold(bytes_of_value) : ok_status();
  }
  const CountAggregation& of_;
  std::uint64_t count_ = 0;
  std::unordered_set<std::uint64_t> seen_;
  std::unordered_set<std::int64_t> ordinals_;  // of the segment at hand, seen already
  std::size_t segment_ = 0;
};

std::unique_ptr<AggregationState> CountAggregation::state() const {
  return std::make_unique<State>(*this);
}

}  // namespace

Result<std::unique_ptr<Aggregation>> make_metric(const AggregationRequest& request) {
  using Made = Result<std::unique_ptr<Aggregation>>;
  static constexpr std::pair<std::string_view, Metric> numbers[] = {{"min", Metric::min},
                                                                    {"max", Metric::max},
                                                                    {"avg", Metric::avg},
                                                                    {"sum", Metric::sum},
                                                                    {"stats", Metric::stats}};
  for (const auto& [type, metric] : numbers) {
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
  return Made(std::make_unique<CountAggregation>(request.name, request.type == "cardinality",
                                                 std::move(source), request.buckets));
}

}  // namespace cairn::index
