// SPDX-License-Identifier: Apache-2.0
// Buckets by value: terms.
#include <algorithm>
#include <limits>
#include <type_traits>
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

 protected:
  bool answers_all() const override { return false; }
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
    std::vector<Entry> all;
    std::uint64_t total = 0;
    const auto gather = [&](auto& buckets) -> Status {
      for (auto& [key, bucket] : buckets) {
        if (bucket.count < of_.min_doc_count_) continue;
        CAIRN_CHECK(of_.buckets_.take(16));
        total += bucket.count;
        Entry entry{.bucket = &bucket};
        if constexpr (std::is_same_v<std::decay_t<decltype(key)>, std::string>)
          entry.term = &key;
        else
          entry.number = key;
        CAIRN_CHECK(read_orders(entry));
        all.push_back(std::move(entry));
      }
      return ok_status();
    };
    all.reserve(terms_.size() + numbers_.size());
    CAIRN_CHECK(gather(terms_));
    CAIRN_CHECK(gather(numbers_));
    const std::size_t shown = std::min(of_.size_, all.size());
    // Only these are answered with, and counted.
    CAIRN_CHECK(count_buckets(of_.buckets_, shown));
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown), all.end(),
                      [&](const Entry& a, const Entry& b) { return before(a, b); });
    Json list = Json::array();
    for (std::size_t i = 0; i < shown; ++i) {
      CAIRN_CHECK(of_.buckets_.take(64));
      total -= all[i].bucket->count;
      CAIRN_TRY(Json json, show(all[i]));
      list.push(std::move(json));
    }
    return Json::object({{"doc_count_error_upper_bound", 0},
                         {"sum_other_doc_count", total},
                         {"buckets", std::move(list)}});
  }

 private:
  // One value, before it is known whether it is answered with.
  struct Entry {
    const std::string* term = nullptr;  // null: a number
    std::int64_t number = 0;
    Bucket* bucket = nullptr;
    std::vector<double> orders = {};  // of each order by what is below
  };

  Json number_key(std::int64_t v) const {
    return of_.source_.is_floating() ? Json(key_double(v)) : Json(v);
  }
  Result<Bucket*> make(Bucket& bucket, std::size_t bytes) {
    CAIRN_CHECK(of_.buckets_.hold(bytes + of_.bytes_below()));
    bucket.subs = make_states(of_.subs());
    return &bucket;
  }
  Result<Bucket*> named_bucket(const std::string& term) {
    constexpr std::size_t bytes_of_bucket = 176;  // here, among the ordinals, and when it is shown
    const auto [at, made] = terms_.try_emplace(term);
    const std::size_t own = term.size() > 15 ? term.size() + 32 : 0;
    return made ? make(at->second, bytes_of_bucket + own) : Result<Bucket*>(&at->second);
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
    constexpr std::size_t bytes_of_bucket = 104;
    const auto [at, made] = numbers_.try_emplace(v);
    if (made) CAIRN_CHECK(make(at->second, bytes_of_bucket));
    return at->second.add(doc);
  }
  // What is below is answered with only where its bucket is, so it counts only then.
  Status read_orders(Entry& entry) const {
    const std::size_t counted = of_.buckets_.made;
    for (const TermsOrder& order : of_.order_) {
      if (order.by != TermsOrder::By::sub) continue;
      double number = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < of_.subs().size(); ++i) {
        if (of_.subs()[i]->name() != order.sub) continue;
        CAIRN_TRY(const Json sub, entry.bucket->subs[i]->finish());
        const Json* value = sub.find(order.value);
        if (value != nullptr && value->is_number()) number = value->as_double();
      }
      entry.orders.push_back(number);
    }
    of_.buckets_.made = counted;
    return ok_status();
  }
  Result<Json> show(const Entry& entry) const {
    const Json key = entry.term != nullptr ? Json(*entry.term) : number_key(entry.number);
    Json json = Json::object({{"key", key}});
    if (of_.source_.is_boolean()) json.set("key_as_string", key.as_int() != 0 ? "true" : "false");
    if (of_.keys_.dates) json.set("key_as_string", of_.keys_.date(key.as_int()));
    if (of_.keys_.numbers && key.is_number())
      json.set("key_as_string", key.is_integer() ? of_.keys_.numbers->write(key.as_int())
                                                 : of_.keys_.numbers->write(key.as_double()));
    json.set("doc_count", entry.bucket->count);
    // One shard counts all: nothing is missing from any bucket.
    if (of_.show_error_) json.set("doc_count_error_upper_bound", 0);
    CAIRN_CHECK(render_subs(json, of_.subs(), entry.bucket->subs));
    return json;
  }
  int compare_keys(const Entry& a, const Entry& b) const {
    if (a.term != nullptr && b.term != nullptr) return a.term->compare(*b.term);
    if (a.term != nullptr || b.term != nullptr) return a.term != nullptr ? 1 : -1;
    if (!of_.source_.is_floating()) return a.number < b.number ? -1 : a.number > b.number ? 1 : 0;
    const double x = key_double(a.number), y = key_double(b.number);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  bool before(const Entry& a, const Entry& b) const {
    std::size_t sub = 0;
    for (const TermsOrder& order : of_.order_) {
      int c = 0;
      if (order.by == TermsOrder::By::count) {
        c = a.bucket->count < b.bucket->count ? -1 : a.bucket->count > b.bucket->count ? 1 : 0;
      } else if (order.by == TermsOrder::By::key) {
        c = compare_keys(a, b);
      } else {
        const double x = a.orders[sub], y = b.orders[sub];
        ++sub;
        c = x < y ? -1 : x > y ? 1 : 0;
      }
      if (c != 0) return (c < 0) != order.descending;
    }
    return compare_keys(a, b) < 0;
  }

  const TermsAggregation& of_;
  std::unordered_map<std::string, Bucket> terms_;
  std::unordered_map<std::int64_t, Bucket> numbers_;
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
