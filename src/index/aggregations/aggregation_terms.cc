// SPDX-License-Identifier: Apache-2.0
// Buckets by value: terms.
#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "base/strings.h"
#include "index/aggregations/aggregation_parts.h"
#include "index/document/document.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

class TermsAggregation final : public Aggregation {
 public:
  TermsAggregation(std::string name, AggregationList subs, FieldSource source, BucketCount& buckets)
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
  KeyText keys_;
  std::size_t size_ = 10;
  std::uint64_t min_doc_count_ = 1;
  bool show_error_ = false;  // of each bucket
  std::vector<TermsOrder> order_;
};

class TermsState final : public AggregationState {
 public:
  explicit TermsState(const TermsAggregation& of) : of_(of) {}

  Status add(std::uint32_t doc) override {
    bool any = false;
    CAIRN_CHECK(of_.source_.values(doc, [&](std::int64_t v) -> Status {
      any = true;
      if (!of_.source_.is_terms()) return add_number(v, doc);
      CAIRN_TRY(Bucket * bucket, term_bucket(v));
      return bucket->add(doc);
    }));
    if (any || of_.source_.missing().is_null() || !of_.source_.is_terms()) return ok_status();
    const Json& missing = of_.source_.missing();
    CAIRN_TRY(Bucket * bucket,
              named_bucket(missing.is_string() ? missing.as_string() : missing.dump()));
    return bucket->add(doc);
  }

  Result<Json> finish() override {
    std::vector<Shown> all;
    for (auto& [term, bucket] : terms_) CAIRN_CHECK(take(all, Json(term), bucket));
    for (auto& [number, bucket] : numbers_) CAIRN_CHECK(take(all, number_key(number), bucket));
    std::sort(all.begin(), all.end(), [&](const Shown& a, const Shown& b) { return before(a, b); });
    std::uint64_t others = 0;
    Json list = Json::array();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i >= of_.size_)
        others += all[i].count;
      else
        list.push(std::move(all[i].json));
    }
    return Json::object({{"doc_count_error_upper_bound", 0},
                         {"sum_other_doc_count", others},
                         {"buckets", std::move(list)}});
  }

 private:
  struct Shown {
    Json key;
    std::uint64_t count = 0;
    Json json;
  };

  Json number_key(std::int64_t v) const {
    return of_.source_.is_floating() ? Json(key_double(v)) : Json(v);
  }
  Result<Bucket*> make(Bucket& bucket) {
    CAIRN_CHECK(count_buckets(of_.buckets_, 1 + of_.buckets_below()));
    bucket.subs = make_states(of_.subs());
    return &bucket;
  }
  Result<Bucket*> named_bucket(const std::string& term) {
    const auto [at, made] = terms_.try_emplace(term);
    return made ? make(at->second) : Result<Bucket*>(&at->second);
  }
  Result<Bucket*> term_bucket(std::int64_t ordinal) {
    if (segment_ != of_.source_.segment_number()) {
      segment_ = of_.source_.segment_number();
      by_ordinal_.clear();
    }
    const auto known = by_ordinal_.find(ordinal);
    if (known != by_ordinal_.end()) return known->second;
    CAIRN_TRY(const std::string term, of_.source_.term(ordinal));
    CAIRN_TRY(Bucket * bucket, named_bucket(term));
    by_ordinal_.emplace(ordinal, bucket);
    return bucket;
  }
  Status add_number(std::int64_t v, std::uint32_t doc) {
    const auto [at, made] = numbers_.try_emplace(v);
    if (made) CAIRN_CHECK(make(at->second));
    return at->second.add(doc);
  }
  Status take(std::vector<Shown>& all, Json key, Bucket& bucket) {
    if (bucket.count < of_.min_doc_count_) return ok_status();
    CAIRN_CHECK(of_.buckets_.take(64));
    Json json = Json::object({{"key", key}});
    if (of_.source_.is_boolean()) json.set("key_as_string", key.as_int() != 0 ? "true" : "false");
    if (of_.keys_.dates) json.set("key_as_string", of_.keys_.date(key.as_int()));
    if (of_.keys_.numbers && key.is_number())
      json.set("key_as_string", key.is_integer() ? of_.keys_.numbers->write(key.as_int())
                                                 : of_.keys_.numbers->write(key.as_double()));
    json.set("doc_count", bucket.count);
    // One shard counts all: nothing is missing from any bucket.
    if (of_.show_error_) json.set("doc_count_error_upper_bound", 0);
    CAIRN_CHECK(render_subs(json, of_.subs(), bucket.subs));
    all.push_back({.key = std::move(key), .count = bucket.count, .json = std::move(json)});
    return ok_status();
  }
  static int compare_keys(const Json& a, const Json& b) {
    if (a.is_string() && b.is_string()) return a.as_string().compare(b.as_string());
    const double x = a.is_number() ? a.as_double() : 0, y = b.is_number() ? b.as_double() : 0;
    return x < y ? -1 : x > y ? 1 : 0;
  }
  static double sub_value(const Shown& shown, const TermsOrder& order) {
    const Json* sub = shown.json.find(order.sub);
    const Json* value = sub == nullptr ? nullptr : sub->find(order.value);
    return value != nullptr && value->is_number() ? value->as_double()
                                                  : -std::numeric_limits<double>::infinity();
  }
  bool before(const Shown& a, const Shown& b) const {
    for (const TermsOrder& order : of_.order_) {
      int c = 0;
      if (order.by == TermsOrder::By::count) {
        c = a.count < b.count ? -1 : a.count > b.count ? 1 : 0;
      } else if (order.by == TermsOrder::By::key) {
        c = compare_keys(a.key, b.key);
      } else {
        const double x = sub_value(a, order), y = sub_value(b, order);
        c = x < y ? -1 : x > y ? 1 : 0;
      }
      if (c != 0) return (c < 0) != order.descending;
    }
    return compare_keys(a.key, b.key) < 0;
  }

  const TermsAggregation& of_;
  std::map<std::string, Bucket> terms_;
  std::map<std::int64_t, Bucket> numbers_;
  std::unordered_map<std::int64_t, Bucket*> by_ordinal_;  // of the segment at hand
  std::size_t segment_ = 0;
};

std::unique_ptr<AggregationState> TermsAggregation::state() const {
  return std::make_unique<TermsState>(*this);
}

}  // namespace

Result<std::vector<TermsOrder>> read_order(const Json* given, const AggregationList& subs) {
  std::vector<TermsOrder> out;
  if (given == nullptr) return std::vector<TermsOrder>{TermsOrder{}};
  const auto one = [&](const Json& object) -> Status {
    if (!object.is_object() || object.as_object().size() != 1)
      return parsing_error("Must specify a single key in [order]");
    const auto& [name, direction] = object.as_object().front();
    const std::string way = direction.is_string() ? lower_ascii(direction.as_string()) : "";
    if (way != "asc" && way != "desc")
      return parsing_error("Unknown order direction [" + direction.dump() + "]");
    TermsOrder order{.descending = way == "desc"};
    if (name == "_key" || name == "_term") {
      order.by = TermsOrder::By::key;
    } else if (name != "_count") {
      const auto dot = name.find('.');
      order.by = TermsOrder::By::sub;
      order.sub = name.substr(0, dot);
      order.value = dot == std::string::npos ? "value" : name.substr(dot + 1);
      const bool known = std::any_of(subs.begin(), subs.end(),
                                     [&](const auto& sub) { return sub->name() == order.sub; });
      if (!known)
        return illegal_argument("Invalid aggregation order path [" + name +
                                "]. The provided aggregation [" + order.sub +
                                "] either does not exist, or is a pipeline aggregation and cannot "
                                "be used to sort the buckets.");
    }
    out.push_back(std::move(order));
    return ok_status();
  };
  if (given->is_array()) {
    for (const Json& element : given->as_array()) CAIRN_CHECK(one(element));
  } else {
    CAIRN_CHECK(one(*given));
  }
  return out;
}

Result<std::unique_ptr<Aggregation>> make_terms(const AggregationRequest& request,
                                                AggregationList subs) {
  CAIRN_CHECK(check_parameters(
      request,
      {"field", "missing", "size", "shard_size", "order", "min_doc_count", "shard_min_doc_count",
       "format", "show_term_doc_count_error", "execution_hint", "collect_mode", "value_type"}));
  CAIRN_TRY(auto order, read_order(request.parameters.find("order"), subs));
  CAIRN_TRY(auto source, FieldSource::open(request));
  CAIRN_TRY(auto keys, KeyText::open(request, source));
  const std::int64_t size = request.parameters.int_or("size", 10);
  if (size < 1)
    return illegal_argument("[size] must be greater than 0. Found [" + std::to_string(size) +
                            "] in [" + request.name + "]");
  auto out = std::make_unique<TermsAggregation>(request.name, std::move(subs), std::move(source),
                                                request.buckets);
  out->size_ = static_cast<std::size_t>(size);
  out->min_doc_count_ = static_cast<std::uint64_t>(
      std::max<std::int64_t>(1, request.parameters.int_or("min_doc_count", 1)));
  out->show_error_ = request.parameters.bool_or("show_term_doc_count_error");
  out->order_ = std::move(order);
  out->keys_ = std::move(keys);
  return std::unique_ptr<Aggregation>(std::move(out));
}

}  // namespace cairn::index
