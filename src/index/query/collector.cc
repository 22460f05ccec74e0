// SPDX-License-Identifier: Apache-2.0
#include "index/query/collector.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "index/document/document.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

KeyValue missing_key(const SortKey& key) {
  return {.rank = static_cast<std::int8_t>(key.missing_first ? -1 : 1), .value = 0};
}

// The value of documents without one, where numbers are sorted: the platform shows the greatest or
// the least there is, which is a cursor as any other.
KeyValue extreme_key(const SortKey& key, bool floating) {
  const bool least = key.missing_first != key.descending;
  if (floating) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {.rank = 0, .value = double_key(least ? -infinity : infinity)};
  }
  return {.rank = 0, .value = least ? INT64_MIN : INT64_MAX};
}

SortKey::Mode mode_of(const SortKey& key) {
  if (key.mode != SortKey::Mode::automatic) return key.mode;
  return key.descending ? SortKey::Mode::max : SortKey::Mode::min;
}

/// What bounds of a column say of a key by its values.
std::optional<KeyColumn> key_column(const SortKey& key, const Column* column, KeyColumn rest) {
  const auto mode = mode_of(key);
  // The sum or the mean even of one value is made by way of a double.
  if (mode != SortKey::Mode::min && mode != SortKey::Mode::max) return std::nullopt;
  if (column != nullptr) rest.column = &column->reader;
  return rest;
}

bool is_floating(FieldType type) { return is_number(type) && !is_whole_number(type); }

class ScoreReader final : public KeyReader {
 public:
  KeyValue read(std::uint32_t, float score) const override {
    return {.rank = 0, .value = double_key(static_cast<double>(score))};
  }
  Result<SortValue> show(const KeyValue& value, const os::Deadline&) const override {
    return SortValue(key_double(value.value));
  }
  Result<KeyValue> place(const SortValue& value, const os::Deadline&) const override {
    if (const auto* whole = std::get_if<std::int64_t>(&value))
      return KeyValue{.rank = 0, .value = double_key(static_cast<double>(*whole))};
    if (const auto* number = std::get_if<double>(&value))
      return KeyValue{.rank = 0,
                      .value = double_key(static_cast<double>(static_cast<float>(*number)))};
    return illegal_argument("Failed to parse search_after value for field [_score]");
  }
};

class DocReader final : public KeyReader {
 public:
  explicit DocReader(std::int64_t base) : base_(base) {}
  KeyValue read(std::uint32_t doc, float) const override {
    return {.rank = 0, .value = base_ + doc};
  }
  Result<SortValue> show(const KeyValue& value, const os::Deadline&) const override {
    return SortValue(value.value);
  }
  Result<KeyValue> place(const SortValue& value, const os::Deadline&) const override {
    if (const auto* whole = std::get_if<std::int64_t>(&value))
      return KeyValue{.rank = 0, .value = *whole};
    return illegal_argument("Failed to parse search_after value for field [_doc]");
  }

 private:
  std::int64_t base_;
};

// Reduces the values of a document to one.
std::optional<std::int64_t> one_value(const ColumnReader& column, std::uint32_t doc,
                                      const SortKey& key, bool floating) {
  const auto [first, last] = column.range(doc);
  if (first == last) return std::nullopt;
  const auto mode = mode_of(key);
  if (mode == SortKey::Mode::min) return column.value(first);
  if (mode == SortKey::Mode::max) return column.value(last - 1);
  double sum = 0;
  for (std::uint32_t i = first; i < last; ++i)
    sum += floating ? key_double(column.value(i)) : static_cast<double>(column.value(i));
  if (mode == SortKey::Mode::avg) sum /= static_cast<double>(last - first);
  return floating ? double_key(sum) : static_cast<std::int64_t>(std::floor(sum + 0.5));
}

// The same of the objects in a document.
std::optional<std::int64_t> one_value_of(const ObjectsOfSegment& objects,
                                         const ColumnReader& column, std::uint32_t doc,
                                         const SortKey& key, bool floating) {
  const auto mode = mode_of(key);
  std::optional<std::int64_t> best;
  double sum = 0;
  std::size_t count = 0, with_value = 0;
  objects.of(doc, [&](std::uint32_t object) {
    const auto [first, last] = column.range(object);
    if (first == last) return true;
    if (++with_value > objects.most) return false;
    const std::int64_t least = column.value(first), most = column.value(last - 1);
    if (mode == SortKey::Mode::min)
      best = std::min(best.value_or(least), least);
    else
      best = std::max(best.value_or(most), most);
    if (mode != SortKey::Mode::min && mode != SortKey::Mode::max)
      for (std::uint32_t i = first; i < last; ++i)
        sum += floating ? key_double(column.value(i)) : static_cast<double>(column.value(i));
    count += last - first;
    return true;
  });
  if (!best || mode == SortKey::Mode::min || mode == SortKey::Mode::max) return best;
  if (mode == SortKey::Mode::avg) sum /= static_cast<double>(count);
  return floating ? double_key(sum) : static_cast<std::int64_t>(std::floor(sum + 0.5));
}

/// The values of one sort key in one segment.
struct KeyValues {
  std::shared_ptr<const Column> column;  // null: there are none
  ObjectsOfSegment objects = {};         // that have the values; without a view: the documents do

  std::optional<std::int64_t> of(std::uint32_t doc, const SortKey& key, bool floating) const {
    if (column == nullptr) return std::nullopt;
    if (objects.view == nullptr) return one_value(column->reader, doc, key, floating);
    return one_value_of(objects, column->reader, doc, key, floating);
  }
  // What bounds of the column say of keys.
  std::optional<KeyColumn> key(const SortKey& key, KeyColumn rest) const {
    if (objects.view != nullptr) return std::nullopt;
    return key_column(key, column.get(), rest);
  }
};

class NumberReader final : public KeyReader {
 public:
  NumberReader(const SortKey& key, const Field* field, bool floating, KeyValues values)
      : key_(key),
        field_(field),
        floating_(floating),
        values_(std::move(values)),
        missing_(extreme_key(key, floating)) {}

  Status read_missing() {
    if (key_.missing.is_null() || field_ == nullptr) return ok_status();
    if (field_->type == FieldType::date && key_.missing.is_integer()) {
      missing_ = {.rank = 0, .value = key_.missing.as_int()};  // milliseconds in any format
      return ok_status();
    }
    CAIRN_TRY(const auto value, column_value(*field_, key_.missing));
    missing_ = {.rank = 0, .value = value};
    return ok_status();
  }
  KeyValue read(std::uint32_t doc, float) const override {
    const auto value = values_.of(doc, key_, floating_);
    return value ? KeyValue{.rank = 0, .value = *value} : missing_;
  }
  std::optional<KeyColumn> column() const override {
    return values_.key(key_, {.missing = missing_, .same_in_all = true});
  }
  Result<SortValue> show(const KeyValue& value, const os::Deadline&) const override {
    if (value.rank != 0) return SortValue();
    return floating_ ? SortValue(key_double(value.value)) : SortValue(value.value);
  }
  Result<KeyValue> place(const SortValue& value, const os::Deadline&) const override {
    if (std::holds_alternative<std::monostate>(value)) return missing_;
    // Numbers are what show() gave: of a date milliseconds, whatever its format.
    if (const auto* whole = std::get_if<std::int64_t>(&value))
      return KeyValue{.rank = 0,
                      .value = floating_ ? double_key(static_cast<double>(*whole)) : *whole};
    Json json;
    if (const auto* number = std::get_if<double>(&value)) {
      if (floating_)
        return KeyValue{
            .rank = 0,
            .value = double_key(field_ == nullptr ? *number : rounded(*field_, *number))};
      json = *number;
    }
    if (const auto* text = std::get_if<std::string>(&value)) json = *text;
    const auto wrong = [&](const std::string& why) {
      return illegal_argument("Failed to parse search_after value for field [" + key_.field + "]" +
                              why);
    };
    if (field_ == nullptr) return wrong("");
    auto number = column_value(*field_, json);
    if (!number) return wrong(": " + number.error().message);
    return KeyValue{.rank = 0, .value = *number};
  }

 private:
  const SortKey& key_;
  const Field* field_;  // null for _seq_no, and for one that the mapping lacks
  bool floating_;
  KeyValues values_;
  KeyValue missing_;
};

// Terms by their order in the segment, doubled so that others fit between them.
class TermReader final : public KeyReader {
 public:
  TermReader(const SortKey& key, const TermsReader* terms, KeyValues values)
      : key_(key), terms_(terms), values_(std::move(values)), missing_(missing_key(key)) {}

  Status read_missing(const os::Deadline& deadline) {
    if (key_.missing.is_null()) return ok_status();
    own_missing_ = key_.missing.is_string() ? key_.missing.as_string() : key_.missing.dump();
    CAIRN_TRY(missing_, place(SortValue(own_missing_), deadline));
    return ok_status();
  }
  KeyValue read(std::uint32_t doc, float) const override {
    const auto ordinal = values_.of(doc, key_, false);
    return ordinal ? KeyValue{.rank = 0, .value = 2 * *ordinal + 1} : missing_;
  }
  std::optional<KeyColumn> column() const override {
    return values_.key(key_, {.shifted = true, .missing = missing_});
  }
  Result<SortValue> show(const KeyValue& value, const os::Deadline& deadline) const override {
    if (value.rank != 0) return SortValue();
    if (!own_missing_.empty() && value == missing_) return SortValue(own_missing_);
    if (terms_ == nullptr || value.value % 2 == 0) return SortValue();
    CAIRN_TRY(auto term, terms_->term_at(static_cast<std::uint64_t>(value.value / 2), deadline));
    return SortValue(std::move(term));
  }
  Result<KeyValue> place(const SortValue& value, const os::Deadline& deadline) const override {
    if (std::holds_alternative<std::monostate>(value)) return missing_key(key_);
    std::string text;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) text = std::to_string(*whole);
    if (const auto* number = std::get_if<double>(&value)) text = Json(*number).dump();
    if (const auto* own = std::get_if<std::string>(&value)) text = *own;
    if (terms_ == nullptr) return KeyValue{.rank = 0, .value = 0};
    CAIRN_TRY(const auto rank, terms_->rank(text, deadline));
    CAIRN_TRY(const auto found, terms_->find(text, deadline));
    return KeyValue{.rank = 0, .value = static_cast<std::int64_t>(2 * rank) + (found ? 1 : 0)};
  }

 private:
  const SortKey& key_;
  const TermsReader* terms_;
  KeyValues values_;
  KeyValue missing_;
  std::string own_missing_;
};

// Every document lacks the field, which is no number.
class NothingReader final : public KeyReader {
 public:
  explicit NothingReader(const SortKey& key) : missing_(missing_key(key)) {}
  KeyValue read(std::uint32_t, float) const override { return missing_; }
  Result<SortValue> show(const KeyValue&, const os::Deadline&) const override {
    return SortValue();
  }
  Result<KeyValue> place(const SortValue& value, const os::Deadline&) const override {
    if (std::holds_alternative<std::monostate>(value)) return missing_;
    return KeyValue{};
  }

 private:
  KeyValue missing_;
};

// Numbers are sorted as what they are.
Status check_numeric_type(const SortKey& key, const Field& field) {
  if (key.numeric_type.empty()) return ok_status();
  const std::string_view own = field.type == FieldType::date      ? "date"
                               : is_floating(field.type)          ? "double"
                               : field.type == FieldType::keyword ? ""
                                                                  : "long";
  if (key.numeric_type == own) return ok_status();
  return illegal_argument("[numeric_type] of the sort on [" + key.field + "] is [" +
                          key.numeric_type + "], but numbers are sorted as what they are" +
                          (own.empty() ? "" : ": leave it out or say [" + std::string(own) + "]"));
}

int compare(const KeyValue& a, const KeyValue& b, bool descending) {
  if (a.rank != b.rank) return a.rank < b.rank ? -1 : 1;
  if (a.value == b.value) return 0;
  return (a.value < b.value) != descending ? -1 : 1;
}

int compare(const SortValue& a, const SortValue& b, const SortKey& key) {
  const bool none_a = std::holds_alternative<std::monostate>(a);
  const bool none_b = std::holds_alternative<std::monostate>(b);
  if (none_a || none_b) {
    if (none_a == none_b) return 0;
    return none_a == key.missing_first ? -1 : 1;
  }
  // Segments may disagree on the type where a field was mapped late; then by type.
  if (a.index() != b.index()) return (a.index() < b.index()) != key.descending ? -1 : 1;
  if (a == b) return 0;
  return (a < b) != key.descending ? -1 : 1;
}

}  // namespace

Status SortedHits::check() const {
  if (!params_.search_after.empty() && params_.search_after.size() != params_.sort.size())
    return illegal_argument("search_after has " + std::to_string(params_.search_after.size()) +
                            " value(s) but sort has " + std::to_string(params_.sort.size()) + ".");
  if (!params_.collapse.empty())
    CAIRN_CHECK(check_collapse(*context_.view.mapping, params_.collapse));
  for (const SortKey& key : params_.sort) {
    if (key.by != SortKey::By::field || key.field == "_seq_no") continue;
    if (key.field == "_id")
      return illegal_argument(
          "Fielddata access on the _id field is disallowed; copy the id into a keyword field and "
          "sort by that");
    const Field* field = context_.view.mapping->find(key.field);
    if (field == nullptr) {
      if (key.unmapped_type.empty())
        return query_error("No mapping found for [" + key.field + "] in order to sort on");
      continue;
    }
    if (field->type == FieldType::text)
      return illegal_argument(
          "Fielddata is disabled on [" + key.field +
          "]. Text fields are not optimised for operations that require per-document field data "
          "like aggregations and sorting, so these operations are disabled by default. Please use "
          "a keyword field instead.");
    const bool sorts = field->type == FieldType::keyword || is_number(field->type) ||
                       field->type == FieldType::date || field->type == FieldType::boolean;
    if (!sorts || !field->doc_values)
      return illegal_argument("can't sort on field [" + key.field + "] of type [" +
                              std::string(name_of(field->declared_type())) +
                              "]: it has no doc values");
    CAIRN_CHECK(check_numeric_type(key, *field));
  }
  return ok_status();
}

bool SortedHits::needs_scores() const {
  return std::any_of(params_.sort.begin(), params_.sort.end(),
                     [](const SortKey& key) { return key.by == SortKey::By::score; });
}

Status SortedHits::make_nested() {
  for (const SortKey& key : params_.sort) {
    std::shared_ptr<const NestedKeys> made;
    const bool known = key.by != SortKey::By::field || key.field == "_seq_no" ||
                       context_.view.mapping->find(key.field) != nullptr;
    if (!key.nested.empty() && known) {  // else its unmapped_type stands in
      CAIRN_TRY(made, NestedKeys::make(context_, key, params_.read_query));
    }
    nested_.push_back(std::move(made));
  }
  return ok_status();
}

Result<std::unique_ptr<KeyReader>> SortedHits::reader_for(std::size_t at, std::size_t index) const {
  using Made = Result<std::unique_ptr<KeyReader>>;
  const SortKey& key = params_.sort[at];
  if (key.by == SortKey::By::score) return Made(std::make_unique<ScoreReader>());
  if (key.by == SortKey::By::doc) {
    std::int64_t base = 0;
    for (std::size_t i = 0; i < index; ++i) base += context_.view.segments[i].segment->doc_count();
    return Made(std::make_unique<DocReader>(base));
  }
  const os::Deadline& deadline = context_.deadline;
  KeyValues values;
  const Segment* segment = &context_.view.segments[index].of(key.field);
  if (nested_[at] != nullptr) {
    CAIRN_TRY(values.objects, nested_[at]->open(context_, index));
    segment = &nested_[at]->segment(index);
  }
  if (key.field == "_seq_no") {
    CAIRN_TRY(values.column, segment->column(SectionKind::seq_nos, deadline));
    return Made(std::make_unique<NumberReader>(key, nullptr, false, std::move(values)));
  }
  const Field* field = context_.view.mapping->find(key.field);
  if (field == nullptr) {
    const auto type = field_type_of(key.unmapped_type);
    if (type && (is_number(*type) || *type == FieldType::date || *type == FieldType::boolean))
      return Made(std::make_unique<NumberReader>(key, nullptr, is_floating(*type), KeyValues()));
    return Made(std::make_unique<NothingReader>(key));
  }
  CAIRN_TRY(values.column, segment->column(field->name, deadline));
  if (field->type == FieldType::keyword) {
    auto reader = std::make_unique<TermReader>(key, segment->terms(field->name), std::move(values));
    CAIRN_CHECK(reader->read_missing(deadline));
    return Made(std::move(reader));
  }
  auto reader =
      std::make_unique<NumberReader>(key, field, is_floating(field->type), std::move(values));
  CAIRN_CHECK(reader->read_missing());
  return Made(std::move(reader));
}

int SortedHits::compare_keys(const std::vector<KeyValue>& a, const std::vector<KeyValue>& b) const {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const int c = compare(a[i], b[i], params_.sort[i].descending); c != 0) return c;
  return 0;
}

bool SortedHits::before(const Entry& a, const Entry& b) const {
  const int c = compare_keys(a.keys, b.keys);
  return c != 0 ? c < 0 : a.doc < b.doc;
}

Status SortedHits::begin_segment(std::size_t segment) {
  segment_ = segment;
  readers_.clear();
  after_.clear();
  heap_.clear();
  first_.reset();
  best_.clear();
  of_group_.clear();
  if (!params_.collapse.empty()) {
    CAIRN_TRY(groups_, HitGroups::open(context_, segment, params_.collapse));
  }
  if (nested_.empty()) CAIRN_CHECK(make_nested());
  for (std::size_t key = 0; key < params_.sort.size(); ++key) {
    CAIRN_TRY(auto reader, reader_for(key, segment));
    readers_.push_back(std::move(reader));
  }
  for (std::size_t i = 0; i < params_.search_after.size(); ++i) {
    CAIRN_TRY(const auto place, readers_[i]->place(params_.search_after[i], context_.deadline));
    after_.push_back(place);
  }
  if (!readers_.empty()) first_ = readers_.front()->column();
  return ok_status();
}

// The first key of the worst hit, once there are as many as are kept.
std::optional<KeyValue> SortedHits::worst() const {
  const bool descending = params_.sort.front().descending;
  std::optional<KeyValue> out;
  if (heap_.size() == keep_) out = heap_.front().keys.front();
  const bool others = first_->same_in_all && worst_first_;
  if (others && (!out || compare(*worst_first_, *out, descending) < 0)) out = worst_first_;
  return out;
}

SortedHits::Interval SortedHits::interval() const {
  Interval out;
  const bool descending = params_.sort.front().descending;
  // Documents with the same first key stand behind those that came before, or beside them.
  const bool strict = params_.sort.size() == 1;
  const auto narrow = [&](const KeyValue& by, bool before_it) {
    const int of_missing = compare(first_->missing, by, descending);
    out.missing &= before_it ? of_missing < (strict ? 0 : 1) : of_missing > (strict ? 0 : -1);
    if (by.rank != 0) {  // all values stand on one side of it
      if ((by.rank > 0) != before_it) out.low = INT64_MAX, out.high = INT64_MIN;
      return;
    }
    const std::int64_t step = strict ? 1 : 0;
    if (before_it != descending) {
      if (strict && by.value == INT64_MIN)
        out.low = INT64_MAX, out.high = INT64_MIN;
      else
        out.high = std::min(out.high, by.value - step);
    } else if (strict && by.value == INT64_MAX) {
      out.low = INT64_MAX, out.high = INT64_MIN;
    } else {
      out.low = std::max(out.low, by.value + step);
    }
  };
  if (const auto last = worst()) narrow(*last, true);
  if (!after_.empty()) narrow(after_.front(), false);
  if (!first_->shifted) return out;
  // Keys of terms: 2 * ordinal + 1.
  constexpr std::int64_t most = INT64_MAX / 2 - 1;
  const std::int64_t low = std::clamp<std::int64_t>(out.low, 0, 2 * most);
  const std::int64_t high = std::clamp<std::int64_t>(out.high, -1, 2 * most);
  if (out.low > out.high) return out;
  out.low = low / 2;
  out.high = high <= 0 ? -1 : (high - 1) / 2;
  return out;
}

bool SortedHits::may_enter(std::uint32_t first, std::uint32_t last) const {
  if (keep_ == 0) return false;
  if (!first_ || groups_) return true;
  const Interval wanted = interval();
  const ColumnReader* column = first_->column;
  if (column == nullptr || column->documents_with_values() == 0) return wanted.missing;
  if (wanted.missing && !column->has_all()) return true;
  return column->may_have(first, last, wanted.low, wanted.high);
}

Status SortedHits::add(std::span<const std::uint32_t> docs, std::span<const float> scores) {
  const auto score = [&](std::size_t i) {
    return scores.empty() ? std::numeric_limits<float>::quiet_NaN() : scores[i];
  };
  if (keep_ == 0 || docs.empty()) return ok_status();
  // Decoding a chunk takes as long as some hundred values one by one.
  constexpr std::size_t worth_decoding = 512;
  const ColumnReader* column = first_ ? first_->column : nullptr;
  if (docs.size() < worth_decoding || column == nullptr || !column->is_single() ||
      column->documents_with_values() == 0) {
    for (std::size_t i = 0; i < docs.size(); ++i) add_one(docs[i], score(i));
    return ok_status();
  }
  values_.resize(column_chunk);
  column->decode(docs.front() / column_chunk, values_.data());
  Interval wanted = interval();
  for (std::size_t i = 0; i < docs.size(); ++i) {
    const std::int64_t value = values_[docs[i] % column_chunk];
    const bool enters = value >= wanted.low && value <= wanted.high;
    if (!enters && !(wanted.missing && !column->has(docs[i]))) continue;
    add_one(docs[i], score(i));
    if (heap_.size() == keep_) wanted = interval();
  }
  return ok_status();
}

void SortedHits::add_one(std::uint32_t doc, float score) {
  scratch_.doc = doc;
  scratch_.score = score;
  scratch_.keys.clear();
  for (const auto& reader : readers_) scratch_.keys.push_back(reader->read(doc, score));
  if (!after_.empty() && compare_keys(scratch_.keys, after_) <= 0) return;
  if (groups_) return add_to_group();
  const auto order = [this](const Entry& a, const Entry& b) { return before(a, b); };
  if (heap_.size() == keep_) {
    if (!before(scratch_, heap_.front())) return;
    std::pop_heap(heap_.begin(), heap_.end(), order);
    heap_.back() = scratch_;
  } else {
    heap_.push_back(scratch_);
  }
  std::push_heap(heap_.begin(), heap_.end(), order);
}

// A group that fell out comes back with a better document only, so that as many groups as are kept
// are enough.
void SortedHits::add_to_group() {
  scratch_.group = groups_->of(scratch_.doc, context_.steps);
  if (const auto known = of_group_.find(scratch_.group); known != of_group_.end()) {
    if (!before(scratch_, *known->second)) return;
    best_.erase(known->second);
    known->second = best_.insert(scratch_).first;
    return;
  }
  if (best_.size() == keep_) {
    const auto worst = std::prev(best_.end());
    if (!before(scratch_, *worst)) return;
    of_group_.erase(worst->group);
    best_.erase(worst);
  }
  of_group_[scratch_.group] = best_.insert(scratch_).first;
}

Status SortedHits::keep(const Entry& entry) {
  Hit hit{.doc = {.segment = static_cast<std::uint32_t>(segment_), .doc = entry.doc},
          .score = entry.score};
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    CAIRN_TRY(auto value, readers_[i]->show(entry.keys[i], context_.deadline));
    hit.sort.push_back(std::move(value));
  }
  if (groups_) {
    CAIRN_TRY(hit.group, groups_->show(entry.group, context_.deadline));
  }
  hits_.push_back(std::move(hit));
  return ok_status();
}

Status SortedHits::end_segment() {
  if (groups_) {
    for (const Entry& entry : best_) CAIRN_CHECK(keep(entry));
    return ok_status();
  }
  for (const Entry& entry : heap_) CAIRN_CHECK(keep(entry));
  keep_firsts();
  return ok_status();
}

// As many first keys as hits are kept: what comes later must not stand behind all of them.
void SortedHits::keep_firsts() {
  if (!first_ || !first_->same_in_all) return;
  const bool descending = params_.sort.front().descending;
  for (const Entry& entry : heap_) firsts_.push_back(entry.keys.front());
  if (firsts_.size() < keep_ || keep_ == 0) return;
  const auto last = firsts_.begin() + static_cast<std::ptrdiff_t>(keep_ - 1);
  std::nth_element(firsts_.begin(), last, firsts_.end(), [&](const KeyValue& a, const KeyValue& b) {
    return compare(a, b, descending) < 0;
  });
  worst_first_ = *last;
  firsts_.resize(keep_);
}

void SortedHits::absorb(SortedHits& other) {
  hits_.insert(hits_.end(), std::make_move_iterator(other.hits_.begin()),
               std::make_move_iterator(other.hits_.end()));
  other.hits_.clear();
}

bool SortedHits::before(const Hit& a, const Hit& b) const {
  for (std::size_t i = 0; i < a.sort.size(); ++i)
    if (const int c = compare(a.sort[i], b.sort[i], params_.sort[i]); c != 0) return c < 0;
  return a.doc < b.doc;
}

std::vector<Hit> SortedHits::take() {
  std::sort(hits_.begin(), hits_.end(),
            [this](const Hit& a, const Hit& b) { return before(a, b); });
  if (groups_) {
    // The best of a group in each segment: the first of them counts.
    std::set<SortValue> seen;
    std::erase_if(hits_, [&](const Hit& hit) { return !seen.insert(hit.group).second; });
  }
  if (hits_.size() > keep_) hits_.resize(keep_);
  return std::move(hits_);
}

}  // namespace cairn::index
