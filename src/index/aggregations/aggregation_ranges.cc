// SPDX-License-Identifier: Apache-2.0
// Buckets by ranges, by queries, and for what is missing.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/strings.h"
#include "index/aggregations/aggregation_parts.h"
#include "index/dates/dates.h"
#include "index/errors.h"
#include "index/mapping/values.h"
#include "index/query/plan.h"

namespace cairn::index {
namespace {

struct OneRange {
  std::optional<double> from, to;
  std::string key;
  Json shown;  // from, to and their texts
  // The values that are in it, as columns have them; none where low > high.
  std::int64_t low = 0, high = 0;
};

constexpr std::int64_t least_value = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t greatest_value = std::numeric_limits<std::int64_t>::max();

/// The least value that is not before `bound`; nothing where all are.
std::optional<std::int64_t> first_at_least(const FieldSource& source, double bound) {
  // A double that is no number is before and behind nothing.
  if (source.number(least_value) >= bound) return least_value;
  std::int64_t below = least_value, at = greatest_value;
  if (!(source.number(at) >= bound)) {
    // The greatest keys of doubles are no numbers.
    if (!source.is_floating()) return std::nullopt;
    at = double_key(std::numeric_limits<double>::infinity());
    if (!(source.number(at) >= bound)) return std::nullopt;
  }
  if (source.is_floating()) below = double_key(-std::numeric_limits<double>::infinity());
  if (source.number(below) >= bound) return below;
  while (static_cast<std::uint64_t>(at) - static_cast<std::uint64_t>(below) > 1) {
    const std::uint64_t half =
        (static_cast<std::uint64_t>(at) - static_cast<std::uint64_t>(below)) / 2;
    const auto middle = static_cast<std::int64_t>(static_cast<std::uint64_t>(below) + half);
    (source.number(middle) >= bound ? at : below) = middle;
  }
  return at;
}

void read_value_bounds(const FieldSource& source, OneRange& range) {
  range.low = least_value;
  range.high = greatest_value;
  const auto nothing = [&] {
    range.low = greatest_value;
    range.high = least_value;
  };
  if (range.from) {
    const auto first = first_at_least(source, *range.from);
    if (!first) return nothing();
    range.low = *first;
  }
  if (!range.to) return;
  if (std::isnan(*range.to)) return nothing();
  const auto first = first_at_least(source, *range.to);
  if (!first) return;
  if (*first == least_value) return nothing();
  range.high = *first - 1;
}

class RangeAggregation final : public Aggregation {
 public:
  RangeAggregation(std::string name, AggregationList subs, FieldSource source, BucketCount& buckets)
      : Aggregation(std::move(name), std::move(subs)),
        source_(std::move(source)),
        buckets_(buckets) {}
  Status begin_segment(const QueryContext& context, std::size_t segment) override {
    CAIRN_CHECK(source_.begin_segment(context, segment));
    return begin_subs(context, segment);
  }
  std::unique_ptr<AggregationState> state() const override;

  FieldSource source_;
  BucketCount& buckets_;
  std::vector<OneRange> ranges_;
  bool keyed_ = false;

 protected:
  std::size_t own_buckets() const override { return ranges_.size(); }
};

class RangeState final : public AggregationState {
 public:
  explicit RangeState(const RangeAggregation& of) : of_(of), buckets_(of.ranges_.size()) {
    for (Bucket& bucket : buckets_) bucket.subs = make_states(of.subs());
  }
  Status add(Docs docs) override {
    const Frames::Scope frame(of_.buckets_.frames);
    return of_.source_.batches(docs, *frame, [&](const ValueBatch& batch) -> Status {
      // Sub-aggregations may use the memory that the values lie in.
      Frame& own = *frame;
      const bool below = !of_.subs().empty();
      if (below && batch.values != own.values.data() && buckets_.size() > 1)
        own.values.assign(batch.values, batch.values + batch.size());
      const std::int64_t* const values =
          below && buckets_.size() > 1 ? own.values.data() : batch.values;
      for (std::size_t i = 0; i < buckets_.size(); ++i) {
        const OneRange& range = of_.ranges_[i];
        CAIRN_CHECK(of_.buckets_.take(steps_of(batch.size())));
        if (batch.single && !below)
          buckets_[i].count += count_within(values, batch.size(), range);
        else
          CAIRN_CHECK(buckets_[i].add(docs_within(batch, values, range, own.grouped)));
      }
      return ok_status();
    });
  }
  Status absorb(AggregationState& other) override {
    return absorb_buckets(buckets_, static_cast<RangeState&>(other).buckets_);
  }
  Result<Json> finish() override {
    CAIRN_CHECK(count_buckets(of_.buckets_, buckets_.size()));
    Json list = of_.keyed_ ? Json::object() : Json::array();
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      const OneRange& range = of_.ranges_[i];
      Json json = Json::object();
      if (!of_.keyed_) json.set("key", range.key);
      for (const auto& [name, value] : range.shown.as_object()) json.set(name, value);
      json.set("doc_count", buckets_[i].count);
      CAIRN_CHECK(render_subs(json, of_.subs(), buckets_[i].subs));
      if (of_.keyed_)
        list.as_object().emplace_back(range.key, std::move(json));
      else
        list.push(std::move(json));
    }
    return Json::object({{"buckets", std::move(list)}});
  }

 private:
  static std::uint64_t count_within(const std::int64_t* values, std::size_t count,
                                    const OneRange& range) {
    const std::int64_t low = range.low, high = range.high;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i)
      sum += static_cast<std::int64_t>(values[i] >= low) &
             static_cast<std::int64_t>(values[i] <= high);
    return static_cast<std::uint64_t>(sum);
  }
  // Each once.
  static Docs docs_within(const ValueBatch& batch, const std::int64_t* values,
                          const OneRange& range, std::vector<std::uint32_t>& out) {
    out.resize(std::max(out.size(), batch.size() + 1));
    std::size_t n = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (values[i] < range.low || values[i] > range.high) continue;
      if (n > 0 && out[n - 1] == batch.docs[i]) continue;
      out[n++] = batch.docs[i];
    }
    return {out.data(), n};
  }
  const RangeAggregation& of_;
  std::vector<Bucket> buckets_;
};

std::unique_ptr<AggregationState> RangeAggregation::state() const {
  return std::make_unique<RangeState>(*this);
}

Result<OneRange> read_range(const AggregationRequest& request, const KeyText& keys,
                            const Json& given) {
  OneRange out{.from = {}, .to = {}, .key = given.string_or("key"), .shown = Json::object()};
  std::string texts[2] = {"*", "*"};
  for (const bool upper : {false, true}) {
    const char* name = upper ? "to" : "from";
    const Json* bound = given.find(name);
    if (bound == nullptr || bound->is_null()) continue;
    double number = 0;
    if (keys.dates) {
      CAIRN_TRY(const auto ms,
                resolve_date(*bound, *keys.dates, request.context.now_ms, keys.zone, false));
      number = static_cast<double>(ms);
      texts[upper ? 1 : 0] = keys.date(ms);
    } else {
      const auto parsed = bound->is_number()   ? std::optional(bound->as_double())
                          : bound->is_string() ? parse_number<double>(bound->as_string())
                                               : std::nullopt;
      if (!parsed) return malformed("[range] bounds must be numbers, got " + bound->dump());
      number = *parsed;
      texts[upper ? 1 : 0] = number == std::trunc(number) && std::abs(number) < 1e15
                                 ? std::to_string(static_cast<std::int64_t>(number)) + ".0"
                                 : Json(number).dump();
      if (keys.numbers) texts[upper ? 1 : 0] = keys.numbers->write(number);
    }
    (upper ? out.to : out.from) = number;
    out.shown.set(name, number);
    if (keys.dates || keys.numbers)
      out.shown.set(std::string(name) + "_as_string", texts[upper ? 1 : 0]);
  }
  if (out.key.empty()) out.key = texts[0] + "-" + texts[1];
  return out;
}

class MissingAggregation final : public Aggregation {
 public:
  MissingAggregation(std::string name, AggregationList subs, FieldSource source, Frames& frames)
      : Aggregation(std::move(name), std::move(subs)),
        source_(std::move(source)),
        frames_(frames) {}
  Status begin_segment(const QueryContext& context, std::size_t segment) override {
    CAIRN_CHECK(source_.begin_segment(context, segment));
    return begin_subs(context, segment);
  }
  std::unique_ptr<AggregationState> state() const override;
  FieldSource source_;
  Frames& frames_;

 protected:
  std::size_t own_buckets() const override { return 1; }
};

class MissingState final : public AggregationState {
 public:
  explicit MissingState(const MissingAggregation& of) : of_(of) {
    bucket_.subs = make_states(of.subs());
  }
  Status add(Docs docs) override {
    const Frames::Scope frame(of_.frames_);
    return bucket_.add(of_.source_.without(docs, *frame));
  }
  Status absorb(AggregationState& other) override {
    return bucket_.absorb(static_cast<MissingState&>(other).bucket_);
  }
  Result<Json> finish() override {
    Json out = Json::object({{"doc_count", bucket_.count}});
    CAIRN_CHECK(render_subs(out, of_.subs(), bucket_.subs));
    return out;
  }

 private:
  const MissingAggregation& of_;
  Bucket bucket_;
};

std::unique_ptr<AggregationState> MissingAggregation::state() const {
  return std::make_unique<MissingState>(*this);
}

/// Buckets by queries: filter (one, not named) and filters.
class FilterAggregation final : public Aggregation {
 public:
  FilterAggregation(std::string name, AggregationList subs, BucketCount& buckets)
      : Aggregation(std::move(name), std::move(subs)), buckets_(buckets) {}
  Status begin_segment(const QueryContext& context, std::size_t segment) override {
    bits_.clear();
    for (const PlanPtr& plan : plans_) {
      CAIRN_TRY(auto bits, matching_bits(context, *plan, segment));
      bits_.push_back(std::move(bits));
    }
    return begin_subs(context, segment);
  }
  std::unique_ptr<AggregationState> state() const override;

  BucketCount& buckets_;
  std::vector<PlanPtr> plans_;
  std::vector<std::string> keys_;  // of named filters
  std::string other_;              // key of the bucket for the rest; empty: none
  bool single_ = false;
  std::vector<std::shared_ptr<const BitSet>> bits_;  // of the segment at hand

 protected:
  std::size_t own_buckets() const override { return plans_.size() + (other_.empty() ? 0 : 1); }
};

class FilterState final : public AggregationState {
 public:
  explicit FilterState(const FilterAggregation& of)
      : of_(of), buckets_(of.plans_.size() + (of.other_.empty() ? 0 : 1)) {
    for (Bucket& bucket : buckets_) bucket.subs = make_states(of.subs());
  }
  Status add(Docs docs) override {
    const Frames::Scope frame(of_.buckets_.frames);
    std::vector<std::uint32_t>& own = (*frame).docs;
    for (std::size_t i = 0; i < of_.plans_.size(); ++i) {
      CAIRN_CHECK(of_.buckets_.take(steps_of(docs.size())));
      keep(docs, own, [&](std::uint32_t doc) { return of_.bits_[i]->test(doc); });
      CAIRN_CHECK(buckets_[i].add(own));
    }
    if (of_.other_.empty()) return ok_status();
    keep(docs, own, [&](std::uint32_t doc) {
      return std::none_of(of_.bits_.begin(), of_.bits_.end(),
                          [&](const auto& bits) { return bits->test(doc); });
    });
    return buckets_.back().add(own);
  }
  Status absorb(AggregationState& other) override {
    return absorb_buckets(buckets_, static_cast<FilterState&>(other).buckets_);
  }
  Result<Json> finish() override {
    CAIRN_CHECK(count_buckets(of_.buckets_, buckets_.size()));
    if (of_.single_) return show(buckets_.front());
    Json list = of_.keys_.empty() ? Json::array() : Json::object();
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      CAIRN_TRY(auto shown, show(buckets_[i]));
      if (of_.keys_.empty())
        list.push(std::move(shown));
      else
        list.as_object().emplace_back(i < of_.keys_.size() ? of_.keys_[i] : of_.other_,
                                      std::move(shown));
    }
    return Json::object({{"buckets", std::move(list)}});
  }

 private:
  template <class Keep>
  static void keep(Docs docs, std::vector<std::uint32_t>& out, Keep keeps) {
    out.resize(docs.size());
    std::size_t n = 0;
    for (const std::uint32_t doc : docs) {
      out[n] = doc;
      n += keeps(doc) ? 1 : 0;
    }
    out.resize(n);
  }
  Result<Json> show(const Bucket& bucket) const {
    Json out = Json::object({{"doc_count", bucket.count}});
    CAIRN_CHECK(render_subs(out, of_.subs(), bucket.subs));
    return out;
  }
  const FilterAggregation& of_;
  std::vector<Bucket> buckets_;
};

std::unique_ptr<AggregationState> FilterAggregation::state() const {
  return std::make_unique<FilterState>(*this);
}

Status add_filter(const AggregationRequest& request, FilterAggregation& out, const Json& query) {
  if (!request.read_query)
    return illegal_argument("[" + request.type + "] aggregations need a reader of queries");
  const auto parsed = request.read_query(query);
  if (!parsed && parsed.error().kind != ErrorKind::invalid_argument) return parsed.error();
  if (!parsed) return of_request(parsed.error(), true);
  CAIRN_TRY(auto plan, make_plan(request.context, *parsed));
  out.plans_.push_back(std::move(plan));
  return ok_status();
}

}  // namespace

Result<std::unique_ptr<Aggregation>> make_range(const AggregationRequest& request,
                                                AggregationList subs) {
  CAIRN_CHECK(
      check_parameters(request, {"field", "missing", "ranges", "keyed", "format", "time_zone"}));
  CAIRN_TRY(auto source, FieldSource::open(request));
  CAIRN_TRY(const auto keys, KeyText::open(request, source));
  const Json* ranges = request.parameters.find("ranges");
  if (ranges == nullptr || !ranges->is_array() || ranges->as_array().empty())
    return of_request(
        illegal_argument("No [ranges] specified for the [" + request.name + "] aggregation"));
  auto out = std::make_unique<RangeAggregation>(request.name, std::move(subs), std::move(source),
                                                request.buckets);
  out->keyed_ = request.parameters.bool_or("keyed");
  for (const Json& given : ranges->as_array()) {
    CAIRN_CHECK(request.context.steps.take(256));
    CAIRN_TRY(auto range, read_range(request, keys, given));
    read_value_bounds(out->source_, range);
    out->ranges_.push_back(std::move(range));
  }
  const double lowest = -std::numeric_limits<double>::infinity();
  const double highest = std::numeric_limits<double>::infinity();
  std::stable_sort(out->ranges_.begin(), out->ranges_.end(),
                   [&](const OneRange& a, const OneRange& b) {
                     const double x = a.from.value_or(lowest), y = b.from.value_or(lowest);
                     return x != y ? x < y : a.to.value_or(highest) < b.to.value_or(highest);
                   });
  return std::unique_ptr<Aggregation>(std::move(out));
}

Result<std::unique_ptr<Aggregation>> make_missing(const AggregationRequest& request,
                                                  AggregationList subs) {
  CAIRN_CHECK(check_parameters(request, {"field"}));
  CAIRN_TRY(auto source, FieldSource::open(request));
  return std::unique_ptr<Aggregation>(std::make_unique<MissingAggregation>(
      request.name, std::move(subs), std::move(source), request.buckets.frames));
}

Result<std::unique_ptr<Aggregation>> make_filters(const AggregationRequest& request,
                                                  AggregationList subs) {
  auto out = std::make_unique<FilterAggregation>(request.name, std::move(subs), request.buckets);
  out->single_ = request.type == "filter";
  if (out->single_) {
    CAIRN_CHECK(add_filter(request, *out, request.parameters));
    return std::unique_ptr<Aggregation>(std::move(out));
  }
  CAIRN_CHECK(check_parameters(request, {"filters", "other_bucket", "other_bucket_key", "keyed"}));
  const Json* filters = request.parameters.find("filters");
  if (filters == nullptr || (!filters->is_object() && !filters->is_array()))
    return malformed("[filters] must be an object or a list");
  if (filters->is_array()) {
    for (const Json& query : filters->as_array()) CAIRN_CHECK(add_filter(request, *out, query));
  } else {
    for (const auto& [key, query] : filters->as_object()) {
      CAIRN_CHECK(add_filter(request, *out, query));
      out->keys_.push_back(key);
    }
  }
  const std::string other = request.parameters.string_or("other_bucket_key");
  if (!other.empty() || request.parameters.bool_or("other_bucket"))
    out->other_ = other.empty() ? "_other_" : other;
  return std::unique_ptr<Aggregation>(std::move(out));
}

}  // namespace cairn::index
