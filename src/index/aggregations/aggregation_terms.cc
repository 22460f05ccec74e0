// SPDX-License-Identifier: Apache-2.0
// Buckets by value: terms.
#include <algorithm>
#include <limits>
#include <optional>

#include "base/strings.h"
#include "index/aggregations/aggregation_parts.h"
#include "index/aggregations/segment_terms.h"
#include "index/aggregations/value_choice.h"
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
    if (ordinals_ != nullptr) ordinals_->begin_segment(segment);
    if (choice_ != nullptr) choice_->begin_segment(segment);
    return begin_subs(context, segment);
  }
  std::unique_ptr<AggregationState> state() const override;

  FieldSource source_;
  std::unique_ptr<GlobalOrdinals> ordinals_;  // of a keyword field
  std::unique_ptr<ValueChoice> choice_;       // null: all are counted
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
  explicit TermsState(const TermsAggregation& of) : of_(of), values_(of.ordinals_.get()) {
    // Where nothing is counted below, a segment's terms are counted by themselves first.
    if (of.ordinals_ != nullptr && of.subs().empty())
      own_ = std::make_unique<SegmentTerms>(*of.ordinals_, of.buckets_);
  }

  Status add(Docs docs) override {
    const Frames::Scope frame(of_.buckets_.frames);
    if (own_ != nullptr && own_->is_over()) CAIRN_CHECK(gather());
    if (counts_missing()) {
      const Docs missing = of_.source_.without(docs, *frame);
      if (!missing.empty()) CAIRN_CHECK(count(values_.add_missing(), missing.size(), missing));
    }
    return of_.source_.batches(docs, *frame, [&](ValueBatch batch) -> Status {
      if (!batch.single) remove_doubles(batch, *frame);
      const bool below = !of_.subs().empty();
      return group(batch, below, *frame, [&](std::int64_t v, std::size_t n, Docs own) -> Status {
        if (of_.choice_ != nullptr) {
          CAIRN_TRY(const bool chosen, of_.choice_->takes(v));
          if (!chosen) return ok_status();
        }
        if (own_ != nullptr) return own_->add(v, static_cast<std::uint32_t>(n));
        CAIRN_TRY(const std::uint32_t slot, values_.add(v));
        return count(slot, n, own);
      });
    });
  }

  Status absorb(AggregationState& given) override {
    TermsState& other = static_cast<TermsState&>(given);
    if (own_ != nullptr) CAIRN_CHECK(gather());
    if (other.own_ != nullptr) CAIRN_CHECK(other.gather());
    CAIRN_CHECK(values_.agree(other.values_));
    for (std::size_t i = 0; i < other.counts_.size(); ++i) {
      CAIRN_CHECK(of_.buckets_.take(1));
      CAIRN_TRY(const std::uint32_t slot, values_.add_like(other.values_, i));
      if (slot == counts_.size()) CAIRN_CHECK(make());
      counts_[slot] += other.counts_[i];
      if (!below_.empty()) CAIRN_CHECK(absorb_states(below_[slot], other.below_[i]));
    }
    return ok_status();
  }

  Result<Json> finish() override {
    if (own_ != nullptr) CAIRN_CHECK(gather());
    values_.follow();
    std::uint64_t total = 0;
    std::size_t found = 0;
    for (const std::uint64_t count : counts_) {
      if (count < of_.min_doc_count_) continue;
      total += count;
      ++found;
    }
    const std::size_t shown = std::min(of_.size_, found);
    CAIRN_CHECK(check_buckets(of_.buckets_, of_.buckets_.made + shown));
    CAIRN_TRY(const auto best, take_best(shown));
    // Only these are answered with, and counted.
    CAIRN_CHECK(count_buckets(of_.buckets_, shown));
    CAIRN_TRY(const auto keys, keys_of(best));
    Json list = Json::array();
    for (std::size_t i = 0; i < best.size(); ++i) {
      CAIRN_CHECK(of_.buckets_.take(64));
      total -= counts_[best[i].slot];
      CAIRN_TRY(Json json, show(best[i].slot, keys[i]));
      list.push(std::move(json));
    }
    return Json::object({{"doc_count_error_upper_bound", 0},
                         {"sum_other_doc_count", total},
                         {"buckets", std::move(list)}});
  }

 private:
  // One value, before it is known whether it is answered with.
  struct Entry {
    std::uint32_t slot = 0;
    std::vector<double> orders = {};  // of each order by what is below
  };

  // Of a keyword field. Others have what stands in for a missing value in their batches.
  bool counts_missing() const {
    return of_.ordinals_ != nullptr && of_.ordinals_->has_missing() &&
           (of_.choice_ == nullptr || of_.choice_->takes_missing());
  }
  Status count(std::uint32_t slot, std::size_t n, Docs docs) {
    if (slot == counts_.size()) CAIRN_CHECK(make());
    counts_[slot] += n;
    if (below_.empty()) return ok_status();
    CAIRN_CHECK(of_.buckets_.take(steps_of(docs.size())));
    for (const auto& sub : below_[slot]) CAIRN_CHECK(sub->add(docs));
    return ok_status();
  }
  Status gather() {
    return own_->empty_into(values_, [&](std::uint32_t slot, std::uint32_t docs) -> Status {
      if (slot == counts_.size()) CAIRN_CHECK(make());
      counts_[slot] += docs;
      return ok_status();
    });
  }
  Status make() {
    constexpr std::size_t bytes_of_count = 16, bytes_of_list = 48;  // in arrays that grow
    const std::size_t below = of_.subs().empty() ? 0 : bytes_of_list + of_.bytes_below();
    CAIRN_CHECK(of_.buckets_.hold(ValueSlots::bytes_of_value + bytes_of_count + below));
    counts_.push_back(0);
    if (!of_.subs().empty()) below_.push_back(make_states(of_.subs()));
    return ok_status();
  }
  // The first `count` by the order that was asked for, best first.
  Result<std::vector<Entry>> take_best(std::size_t count) const {
    const auto first = [&](const Entry& a, const Entry& b) { return before(a, b); };
    std::vector<Entry> best;  // a heap: the last of them is in front
    for (std::uint32_t slot = 0; slot < counts_.size() && count > 0; ++slot) {
      if (counts_[slot] < of_.min_doc_count_) continue;
      CAIRN_CHECK(of_.buckets_.take(4));
      Entry entry{.slot = slot};
      CAIRN_CHECK(read_orders(entry));
      if (best.size() == count) {
        if (!before(entry, best.front())) continue;
        std::pop_heap(best.begin(), best.end(), first);
        best.pop_back();
      }
      best.push_back(std::move(entry));
      std::push_heap(best.begin(), best.end(), first);
    }
    std::sort_heap(best.begin(), best.end(), first);
    return best;
  }
  // What is below is answered with only where its bucket is, so it counts only then.
  Status read_orders(Entry& entry) const {
    const std::size_t counted = of_.buckets_.made;
    for (const TermsOrder& order : of_.order_) {
      if (order.by != TermsOrder::By::sub) continue;
      double number = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < of_.subs().size(); ++i) {
        if (of_.subs()[i]->name() != order.sub) continue;
        CAIRN_TRY(const auto value, below_[entry.slot][i]->number(order.value));
        number = value.value_or(number);
      }
      entry.orders.push_back(number);
    }
    of_.buckets_.made = counted;
    return ok_status();
  }
  Result<std::vector<Json>> keys_of(const std::vector<Entry>& entries) const {
    std::vector<std::int64_t> values;
    for (const Entry& entry : entries) values.push_back(values_.key(entry.slot));
    std::vector<Json> out;
    if (of_.ordinals_ != nullptr) {
      CAIRN_TRY(auto terms, of_.ordinals_->terms(values));
      for (std::string& term : terms) out.emplace_back(std::move(term));
      return out;
    }
    for (const std::int64_t v : values)
      out.push_back(of_.source_.is_floating() ? Json(key_double(v)) : Json(v));
    return out;
  }
  Result<Json> show(std::uint32_t slot, const Json& key) const {
    Json json = Json::object({{"key", key}});
    if (of_.source_.is_boolean()) json.set("key_as_string", key.as_int() != 0 ? "true" : "false");
    if (of_.keys_.dates) json.set("key_as_string", of_.keys_.date(key.as_int()));
    if (of_.keys_.numbers && key.is_number())
      json.set("key_as_string", key.is_integer() ? of_.keys_.numbers->write(key.as_int())
                                                 : of_.keys_.numbers->write(key.as_double()));
    json.set("doc_count", counts_[slot]);
    // One shard counts all: nothing is missing from any bucket.
    if (of_.show_error_) json.set("doc_count_error_upper_bound", 0);
    if (!below_.empty()) CAIRN_CHECK(render_subs(json, of_.subs(), below_[slot]));
    return json;
  }
  int compare_keys(const Entry& a, const Entry& b) const {
    const std::int64_t x = values_.key(a.slot), y = values_.key(b.slot);
    if (of_.ordinals_ != nullptr) return of_.ordinals_->compare(x, y);
    if (!of_.source_.is_floating()) return x < y ? -1 : x > y ? 1 : 0;
    const double p = key_double(x), q = key_double(y);
    return p < q ? -1 : p > q ? 1 : 0;
  }
  bool before(const Entry& a, const Entry& b) const {
    std::size_t sub = 0;
    for (const TermsOrder& order : of_.order_) {
      int c = 0;
      if (order.by == TermsOrder::By::count) {
        const std::uint64_t x = counts_[a.slot], y = counts_[b.slot];
        c = x < y ? -1 : x > y ? 1 : 0;
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
  std::unique_ptr<SegmentTerms> own_;
  ValueSlots values_;
  std::vector<std::uint64_t> counts_;  // by slot
  std::vector<StateList> below_;       // by slot; empty where nothing is counted below
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
      return malformed("Must specify a single key in [order]");
    const auto& [name, direction] = object.as_object().front();
    const std::string way = direction.is_string() ? lower_ascii(direction.as_string()) : "";
    if (way != "asc" && way != "desc")
      return malformed("Unknown order direction [" + direction.dump() + "]");
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
      request, {"field", "missing", "size", "shard_size", "order", "min_doc_count",
                "shard_min_doc_count", "format", "show_term_doc_count_error", "execution_hint",
                "collect_mode", "value_type", "include", "exclude"}));
  CAIRN_TRY(auto order, read_order(request.parameters.find("order"), subs));
  CAIRN_TRY(auto source, FieldSource::open(request));
  CAIRN_TRY(auto keys, KeyText::open(request, source));
  CAIRN_TRY(auto ordinals, source.open_ordinals(request));
  CAIRN_TRY(auto choice, ValueChoice::open(request, source));
  const std::int64_t size = request.parameters.int_or("size", 10);
  if (size < 1)
    return unfit_parameter(request, "size",
                           illegal_argument("[size] must be greater than 0. Found [" +
                                            std::to_string(size) + "] in [" + request.name + "]"));
  const std::int64_t least = request.parameters.int_or("min_doc_count", 1);
  if (least < 1)
    return unfit_parameter(
        request, "min_doc_count",
        illegal_argument("[min_doc_count] of [terms] must be at least 1. Found [" +
                         std::to_string(least) + "] in [" + request.name +
                         "]; values of no document that was found are not listed"));
  auto out = std::make_unique<TermsAggregation>(request.name, std::move(subs), std::move(source),
                                                request.buckets);
  out->ordinals_ = std::move(ordinals);
  out->choice_ = std::move(choice);
  out->size_ = static_cast<std::size_t>(size);
  out->min_doc_count_ = static_cast<std::uint64_t>(least);
  out->show_error_ = request.parameters.bool_or("show_term_doc_count_error");
  out->order_ = std::move(order);
  out->keys_ = std::move(keys);
  return std::unique_ptr<Aggregation>(std::move(out));
}

}  // namespace cairn::index
