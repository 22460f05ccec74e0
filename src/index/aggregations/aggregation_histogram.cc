// SPDX-License-Identifier: Apache-2.0
// Buckets by evenly spaced numbers or dates: histogram, date_histogram.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/strings.h"
#include "format/time.h"
#include "index/aggregations/aggregation_parts.h"
#include "index/aggregations/key_slots.h"
#include "index/dates/date_steps.h"
#include "index/dates/date_table.h"
#include "index/dates/dates.h"
#include "index/document/document.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

/// Keys of evenly spaced buckets: whole multiples of an interval, or units of the calendar.
struct Spacing {
  double interval = 0;  // of numbers
  double offset = 0;
  DateSteps steps;  // of dates
  bool dates = false;
};

class HistogramAggregation final : public Aggregation {
 public:
  HistogramAggregation(std::string name, AggregationList subs, FieldSource source,
                       BucketCount& buckets)
      : Aggregation(std::move(name), std::move(subs)),
        source_(std::move(source)),
        buckets_(buckets) {}
  Status begin_segment(const QueryContext& context, std::size_t segment) override {
    CAIRN_CHECK(source_.begin_segment(context, segment));
    table_.reset();
    return begin_subs(context, segment);
  }
  std::unique_ptr<AggregationState> state() const override;
  /// Where there are so many values to look up.
  const DateTable& date_table(std::size_t values) const;

  FieldSource source_;
  BucketCount& buckets_;
  Spacing spacing_;
  KeyText keys_;
  std::uint64_t min_doc_count_ = 0;
  std::optional<double> bound_min_, bound_max_;  // extended_bounds
  bool keyed_ = false;
  bool descending_ = false;
  bool by_count_ = false;

 protected:
  bool answers_all() const override { return min_doc_count_ <= 1; }

 private:
  // Of the segment at hand. It is made where there are many more values than steps.
  mutable std::optional<DateTable> table_;
};

const DateTable& HistogramAggregation::date_table(std::size_t values) const {
  constexpr std::size_t worth_a_table = 256, most = 16'384, documents_of_step = 16;
  static const DateTable none;
  if (table_) return *table_;
  const ColumnReader* column = source_.column();
  if (values < worth_a_table || column == nullptr) return none;
  const std::size_t steps = std::min<std::size_t>(most, column->documents() / documents_of_step);
  table_ = DateTable::make(spacing_.steps, column->least(), column->greatest(), steps);
  return *table_;
}

constexpr std::size_t bytes_of_bucket = 96;

class HistogramState final : public AggregationState {
 public:
  explicit HistogramState(const HistogramAggregation& of) : of_(of) {}

  Status add(Docs docs) override {
    const Frames::Scope frame(of_.buckets_.frames);
    return of_.source_.batches(docs, *frame, [&](ValueBatch batch) -> Status {
      // Its values may lie elsewhere: their keys lie here.
      Frame& own = *frame;
      own.values.resize(std::max(own.values.size(), batch.size()));
      const DateTable* table = table_for(batch);
      keys_of(batch, table, own.values.data());
      batch.values = own.values.data();
      if (!batch.single) remove_doubles(batch, own);
      return group(batch, !of_.subs().empty(), own,
                   [&](std::int64_t key, std::size_t n, Docs of_key) -> Status {
                     if (table != nullptr) key = table->start(static_cast<std::size_t>(key));
                     CAIRN_TRY(const std::size_t slot, slot_of(key));
                     counts_[slot] += n;
                     if (below_.empty()) return ok_status();
                     CAIRN_CHECK(of_.buckets_.take(steps_of(n)));
                     for (const auto& sub : below_[slot]) CAIRN_CHECK(sub->add(of_key));
                     return ok_status();
                   });
    });
  }

  Status absorb(AggregationState& given) override {
    HistogramState& other = static_cast<HistogramState&>(given);
    for (std::size_t i = 0; i < other.counts_.size(); ++i) {
      CAIRN_CHECK(of_.buckets_.take(1));
      CAIRN_TRY(const std::uint32_t slot, slot_of(other.keys_.key(i)));
      counts_[slot] += other.counts_[i];
      if (!below_.empty()) CAIRN_CHECK(absorb_states(below_[slot], other.below_[i]));
    }
    return ok_status();
  }

  Result<Json> finish() override {
    if (of_.min_doc_count_ == 0) CAIRN_CHECK(fill_gaps());
    std::vector<std::pair<std::int64_t, std::uint32_t>> order;
    for (const std::uint32_t slot : keys_.ascending())
      if (counts_[slot] >= of_.min_doc_count_) order.emplace_back(keys_.key(slot), slot);
    CAIRN_CHECK(count_buckets(of_.buckets_, order.size()));
    if (of_.by_count_)
      std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
        const std::uint64_t x = counts_[a.second], y = counts_[b.second];
        return of_.descending_ ? x > y : x < y;
      });
    else if (of_.descending_)
      std::reverse(order.begin(), order.end());
    Json list = of_.keyed_ ? Json::object() : Json::array();
    for (const auto& [key, slot] : order) {
      CAIRN_CHECK(of_.buckets_.take(64));
      Json json = Json::object();
      const Json shown = key_json(key);
      std::string text = shown.dump();
      if (of_.keys_.dates) text = of_.keys_.date(key);
      if (of_.keys_.numbers) text = of_.keys_.numbers->write(shown.as_double());
      if (of_.keys_.dates || of_.keys_.numbers) json.set("key_as_string", text);
      json.set("key", shown);
      json.set("doc_count", counts_[slot]);
      if (!below_.empty()) CAIRN_CHECK(render_subs(json, of_.subs(), below_[slot]));
      if (of_.keyed_)
        list.as_object().emplace_back(std::move(text), std::move(json));
      else
        list.push(std::move(json));
    }
    return Json::object({{"buckets", std::move(list)}});
  }

 private:
  // Numbers are counted by the ordinal of their bucket, dates by its first millisecond.
  std::int64_t key_of(double number, std::int64_t value) const {
    if (of_.spacing_.dates) return of_.spacing_.steps.key(value);
    const double ordinal = std::floor((number - of_.spacing_.offset) / of_.spacing_.interval);
    return static_cast<std::int64_t>(std::clamp(ordinal, -9e18, 9e18));
  }
  Json key_json(std::int64_t key) const {
    if (of_.spacing_.dates) return key;
    return static_cast<double>(key) * of_.spacing_.interval + of_.spacing_.offset;
  }
  // A table that covers all of the values; null where there is none.
  const DateTable* table_for(const ValueBatch& batch) const {
    if (!of_.spacing_.dates || batch.size() == 0) return nullptr;
    const DateTable& table = of_.date_table(batch.size());
    const auto [least, greatest] = std::minmax_element(batch.values, batch.values + batch.size());
    return table.covers(*least, *greatest) ? &table : nullptr;
  }
  // The arithmetic of key_of, many at a time; with a table, the numbers of the steps.
  void keys_of(const ValueBatch& batch, const DateTable* table, std::int64_t* keys) const {
    const std::int64_t* const values = batch.values;
    if (table != nullptr) {
      for (std::size_t i = 0; i < batch.size(); ++i)
        keys[i] = static_cast<std::int64_t>(table->step(values[i]));
    } else if (of_.spacing_.dates) {
      for (std::size_t i = 0; i < batch.size(); ++i) keys[i] = of_.spacing_.steps.key(values[i]);
    } else if (of_.source_.is_floating()) {
      for (std::size_t i = 0; i < batch.size(); ++i) keys[i] = key_of(key_double(values[i]), 0);
    } else {
      for (std::size_t i = 0; i < batch.size(); ++i)
        keys[i] = key_of(static_cast<double>(values[i]), 0);
    }
  }
  Result<std::uint32_t> slot_of(std::int64_t key) {
    const std::uint32_t slot = keys_.add(key);
    if (slot < counts_.size()) return slot;
    counts_.push_back(0);
    if (of_.is_answered() && of_.min_doc_count_ <= 1)
      CAIRN_CHECK(check_buckets(of_.buckets_, counts_.size() * (1 + of_.buckets_below())));
    CAIRN_CHECK(of_.buckets_.hold(bytes_of_bucket + of_.bytes_below()));
    if (!of_.subs().empty()) below_.push_back(make_states(of_.subs()));
    return slot;
  }
  Status fill_gaps() {
    std::optional<std::int64_t> first, last;
    for (std::size_t slot = 0; slot < keys_.size(); ++slot) {
      const std::int64_t key = keys_.key(slot);
      first = std::min(first.value_or(key), key);
      last = std::max(last.value_or(key), key);
    }
    const auto widen = [&](double bound, bool upper) {
      const std::int64_t key = key_of(bound, static_cast<std::int64_t>(bound));
      if (!first || key < *first) first = first && upper ? first : key;
      if (!last || key > *last) last = last && !upper ? last : key;
    };
    if (of_.bound_min_) widen(*of_.bound_min_, false);
    if (of_.bound_max_) widen(*of_.bound_max_, true);
    if (!first || !last) return ok_status();
    // All of them are answered with: there may not be more than that at any moment.
    const std::size_t before = of_.buckets_.made;
    for (std::int64_t key = *first; key < *last;
         key = of_.spacing_.dates ? of_.spacing_.steps.next(key) : key + 1) {
      CAIRN_CHECK(count_buckets(of_.buckets_, 1));
      CAIRN_CHECK(slot_of(key));
    }
    CAIRN_CHECK(slot_of(*last));
    of_.buckets_.made = before;
    return ok_status();
  }

  const HistogramAggregation& of_;
  KeySlots keys_;
  std::vector<std::uint64_t> counts_;  // by slot
  std::vector<StateList> below_;       // by slot; empty where nothing is counted below
};

std::unique_ptr<AggregationState> HistogramAggregation::state() const {
  return std::make_unique<HistogramState>(*this);
}

Status read_date_spacing(const AggregationRequest& request, Spacing& spacing) {
  const std::string calendar = request.parameters.string_or("calendar_interval");
  const std::string fixed = request.parameters.string_or("fixed_interval");
  if (calendar.empty() == fixed.empty())
    return of_request(
        illegal_argument("Invalid interval specified, must be one of [calendar_interval] or "
                         "[fixed_interval]"));
  spacing.dates = true;
  if (!calendar.empty()) {
    const auto unit = calendar_unit(calendar);
    if (!unit)
      return unfit_parameter(request, "calendar_interval",
                             illegal_argument("The supplied interval [" + calendar +
                                              "] could not be parsed as a calendar interval."));
    spacing.steps.unit = *unit;
  } else {
    auto ms = parse_time_value(fixed, "fixed_interval");
    if (ms.ok() && *ms <= 0)
      ms = illegal_argument("[fixed_interval] must be 1 or greater: [" + fixed + "]");
    if (!ms.ok()) return unfit_parameter(request, "fixed_interval", std::move(ms).error());
    spacing.steps.fixed_ms = *ms;
  }
  std::string offset = request.parameters.string_or("offset");
  if (!offset.empty()) {
    const bool negative = offset.front() == '-';
    if (negative || offset.front() == '+') offset.erase(0, 1);
    CAIRN_TRY(spacing.steps.shift_ms, parse_time_value(offset, "offset"));
    if (negative) spacing.steps.shift_ms = -spacing.steps.shift_ms;
  }
  return ok_status();
}

Status read_histogram_bounds(const AggregationRequest& request, HistogramAggregation& out) {
  const Json* bounds = request.parameters.find("extended_bounds");
  if (bounds == nullptr) return ok_status();
  for (const bool upper : {false, true}) {
    const Json* bound = bounds->find(upper ? "max" : "min");
    if (bound == nullptr || bound->is_null()) continue;
    auto& to = upper ? out.bound_max_ : out.bound_min_;
    if (out.keys_.dates) {
      CAIRN_TRY(const auto ms, resolve_date(*bound, *out.keys_.dates, request.context.now_ms,
                                            out.keys_.zone, false));
      to = static_cast<double>(ms);
    } else if (bound->is_number()) {
      to = bound->as_double();
    } else {
      return malformed("[extended_bounds] must be numbers");
    }
  }
  return ok_status();
}

}  // namespace

Result<std::unique_ptr<Aggregation>> make_histogram(const AggregationRequest& request,
                                                    AggregationList subs) {
  const bool dates = request.type == "date_histogram";
  CAIRN_CHECK(check_parameters(
      request, {"field", "missing", "interval", "calendar_interval", "fixed_interval", "offset",
                "time_zone", "format", "min_doc_count", "keyed", "order", "extended_bounds"}));
  CAIRN_TRY(auto order, read_order(request.parameters.find("order"), subs));
  CAIRN_TRY(auto source, FieldSource::open(request));
  if (source.is_terms())
    return illegal_argument("Field [" + source.field()->name +
                            "] of type [keyword] is not supported for aggregation [" +
                            request.type + "]");
  CAIRN_TRY(auto keys, KeyText::open(request, source));
  Spacing spacing;
  if (dates) {
    CAIRN_CHECK(read_date_spacing(request, spacing));
    spacing.steps.zone = keys.zone;
  } else {
    spacing.interval = request.parameters.double_or("interval", 0);
    spacing.offset = request.parameters.double_or("offset", 0);
    if (!(spacing.interval > 0))
      return unfit_parameter(request, "interval",
                             illegal_argument("[interval] must be >0 for histogram aggregation [" +
                                              request.name + "]"));
    keys.dates.reset();
  }
  auto out = std::make_unique<HistogramAggregation>(request.name, std::move(subs),
                                                    std::move(source), request.buckets);
  out->spacing_ = spacing;
  out->keys_ = std::move(keys);
  out->min_doc_count_ = static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, request.parameters.int_or("min_doc_count", 0)));
  out->keyed_ = request.parameters.bool_or("keyed");
  if (request.parameters.find("order") != nullptr) {
    out->descending_ = order.front().descending;
    out->by_count_ = order.front().by == TermsOrder::By::count;
  }
  CAIRN_CHECK(read_histogram_bounds(request, *out));
  return std::unique_ptr<Aggregation>(std::move(out));
}

}  // namespace cairn::index
