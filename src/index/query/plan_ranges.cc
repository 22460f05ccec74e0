// SPDX-License-Identifier: Apache-2.0
// Plans over the values of columns: ranges, and lists of numbers or dates.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>

#include "base/strings.h"
#include "index/dates/dates.h"
#include "index/document/document.h"
#include "index/errors.h"
#include "index/query/plan.h"
#include "index/query/runtime_reader.h"
#include "index/view.h"

namespace cairn::index {
namespace {

struct Bounds {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  bool empty = false;
  void above(std::int64_t v) {
    if (v == std::numeric_limits<std::int64_t>::max())
      empty = true;
    else
      low = std::max(low, v + 1);
  }
  void below(std::int64_t v) {
    if (v == std::numeric_limits<std::int64_t>::min())
      empty = true;
    else
      high = std::min(high, v - 1);
  }
  void at_least(std::int64_t v) { low = std::max(low, v); }
  void at_most(std::int64_t v) { high = std::min(high, v); }
};

Result<Bounds> date_bounds(const QueryContext& context, const Field& field,
                           const RangeQuery& query) {
  std::string_view text = query.format;
  if (text.empty()) text = field.format.empty() ? default_date_format : field.format;
  CAIRN_TRY(const auto format, DateFormat::parse(text));
  text::TimeZone zone;
  if (!query.time_zone.empty()) {
    CAIRN_TRY(zone, read_zone(query.time_zone));
  }
  const auto moment = [&](const Json& value, bool round_up) {
    return resolve_date(value, format, context.now_ms, zone, round_up);
  };
  Bounds out;
  if (query.gt) {
    CAIRN_TRY(const auto ms, moment(*query.gt, true));
    out.above(ms);
  }
  if (query.gte) {
    CAIRN_TRY(const auto ms, moment(*query.gte, false));
    out.at_least(ms);
  }
  if (query.lt) {
    CAIRN_TRY(const auto ms, moment(*query.lt, false));
    out.below(ms);
  }
  if (query.lte) {
    CAIRN_TRY(const auto ms, moment(*query.lte, true));
    out.at_most(ms);
  }
  return out;
}

Result<double> bound_number(const Json& value) {
  if (value.is_number()) return value.as_double();
  if (value.is_string())
    if (const auto number = parse_number<double>(trim(value.as_string()))) return *number;
  return query_error("failed to create query: For input string: \"" +
                     (value.is_string() ? value.as_string() : value.dump()) + "\"");
}

// Bounds on whole numbers may be broken ones: x > 1.5 means x >= 2.
Result<Bounds> whole_bounds(const RangeQuery& query) {
  Bounds out;
  const auto apply = [&](const std::optional<Json>& bound, auto exact, bool lower) -> Status {
    if (!bound) return ok_status();
    const std::string text = bound->is_string() ? bound->as_string() : bound->dump();
    if (const auto whole = parse_number<std::int64_t>(trim(text)))
      return exact(*whole), ok_status();
    CAIRN_TRY(const double number, bound_number(*bound));
    if (number >= 0x1p63) {
      out.empty |= lower;
    } else if (number < -0x1p63) {
      out.empty |= !lower;
    } else if (number == std::trunc(number)) {
      exact(static_cast<std::int64_t>(number));
    } else if (lower) {
      out.at_least(static_cast<std::int64_t>(std::ceil(number)));
    } else {
      out.at_most(static_cast<std::int64_t>(std::floor(number)));
    }
    return ok_status();
  };
  CAIRN_CHECK(apply(
      query.gt, [&](std::int64_t v) { out.above(v); }, true));
  CAIRN_CHECK(apply(
      query.gte, [&](std::int64_t v) { out.at_least(v); }, true));
  CAIRN_CHECK(apply(
      query.lt, [&](std::int64_t v) { out.below(v); }, false));
  CAIRN_CHECK(apply(
      query.lte, [&](std::int64_t v) { out.at_most(v); }, false));
  return out;
}

// Bounds between two values that there may be become the next one.
Result<Bounds> scaled_bounds(const Field& field, const RangeQuery& query) {
  Bounds out;
  for (const auto& [bound, is_lower, is_strict] :
       {std::tuple(&query.gt, true, true), std::tuple(&query.gte, true, false),
        std::tuple(&query.lt, false, true), std::tuple(&query.lte, false, false)}) {
    if (!*bound) continue;
    CAIRN_TRY(const double number, bound_number(**bound));
    const std::int64_t key = double_key(scaled_bound(field, number, is_lower, is_strict));
    is_lower ? out.at_least(key) : out.at_most(key);
  }
  return out;
}

// Bounds are rounded as values are, so that a value finds itself.
Result<Bounds> floating_bounds(const Field& field, const RangeQuery& query) {
  Bounds out;
  const auto key = [&](const Json& value) -> Result<std::int64_t> {
    CAIRN_TRY(const double number, bound_number(value));
    return double_key(rounded(field, number));
  };
  if (query.gt) {
    CAIRN_TRY(const auto v, key(*query.gt));
    out.above(v);
  }
  if (query.gte) {
    CAIRN_TRY(const auto v, key(*query.gte));
    out.at_least(v);
  }
  if (query.lt) {
    CAIRN_TRY(const auto v, key(*query.lt));
    out.below(v);
  }
  if (query.lte) {
    CAIRN_TRY(const auto v, key(*query.lte));
    out.at_most(v);
  }
  return out;
}

/// Values that are looked for: ranges apart from one another, ascending.
class Intervals {
 public:
  explicit Intervals(std::vector<Bounds> bounds) {
    std::erase_if(bounds, [](const Bounds& b) { return b.empty || b.low > b.high; });
    std::sort(bounds.begin(), bounds.end(),
              [](const Bounds& a, const Bounds& b) { return a.low < b.low; });
    for (const Bounds& one : bounds) {
      if (!all_.empty() && one.low <= all_.back().high)
        all_.back().high = std::max(all_.back().high, one.high);
      else
        all_.push_back(one);
    }
  }
  bool none() const { return all_.empty(); }
  bool has(std::int64_t value) const { return touches(value, value); }
  /// Whether any value from `low` to `high` is looked for.
  bool touches(std::int64_t low, std::int64_t high) const {
    if (all_.size() == 1) return low <= all_[0].high && high >= all_[0].low;
    const auto at = std::lower_bound(all_.begin(), all_.end(), low,
                                     [](const Bounds& b, std::int64_t v) { return b.high < v; });
    return at != all_.end() && at->low <= high;
  }
  /// Sets a bit for each value that is looked for.
  void mark(std::span<const std::int64_t> values, std::uint64_t* words) const {
    if (all_.size() != 1) {
      for (std::size_t i = 0; i < values.size(); ++i)
        words[i / 64] |= std::uint64_t{has(values[i])} << i % 64;
      return;
    }
    const std::int64_t low = all_[0].low, high = all_[0].high;
    for (std::size_t i = 0; i < values.size(); i += 64) {
      const std::size_t count = std::min<std::size_t>(64, values.size() - i);
      std::uint64_t word = 0;
      for (std::size_t j = 0; j < count; ++j) {
        const std::int64_t value = values[i + j];
        word |= std::uint64_t{value >= low && value <= high} << j;
      }
      words[i / 64] = word;
    }
  }

 private:
  std::vector<Bounds> all_;
};

Result<std::shared_ptr<const BitSet>> column_range(const QueryContext& context, std::size_t segment,
                                                   const std::string& field,
                                                   const Intervals& wanted) {
  const Segment& s = *context.view.segments[segment].segment;
  CAIRN_TRY(const auto column, field == "_seq_no" ? s.column(SectionKind::seq_nos, context.deadline)
                                                  : s.column(field, context.deadline));
  if (column == nullptr || column->reader.documents_with_values() == 0 ||
      !wanted.touches(column->reader.least(), column->reader.greatest()))
    return std::shared_ptr<const BitSet>();
  const ColumnReader& values = column->reader;
  auto bits = std::make_shared<BitSet>(s.doc_count());
  if (values.is_single()) {
    std::vector<std::int64_t> decoded(column_chunk);
    for (std::uint32_t start = 0; start < s.doc_count(); start += column_chunk) {
      const auto [low, high] = values.chunk_bounds(start / column_chunk);
      CAIRN_CHECK(context.steps.take());
      if (!wanted.touches(low, high)) continue;
      CAIRN_CHECK(context.steps.take(column_chunk / 2));
      const std::size_t count = values.decode(start / column_chunk, decoded.data());
      wanted.mark(std::span(decoded.data(), count), bits->words().data() + start / 64);
    }
    values.keep_present(bits->words());
    return std::shared_ptr<const BitSet>(std::move(bits));
  }
  for (std::uint32_t doc = 0; doc < s.doc_count(); ++doc) {
    const auto [first, last] = values.range(doc);
    CAIRN_CHECK(context.steps.take(1 + last - first));
    for (std::uint32_t v = first; v < last; ++v) {
      if (!wanted.has(values.value(v))) continue;
      bits->set(doc);
      break;
    }
  }
  return std::shared_ptr<const BitSet>(std::move(bits));
}

// False is before true.
Result<Bounds> boolean_bounds(const Field& field, const RangeQuery& query) {
  Bounds out;
  for (const auto& [bound, is_lower, is_strict] :
       {std::tuple(&query.gt, true, true), std::tuple(&query.gte, true, false),
        std::tuple(&query.lt, false, true), std::tuple(&query.lte, false, false)}) {
    if (!*bound) continue;
    CAIRN_TRY(const std::int64_t value, column_value(field, **bound));
    if (is_lower) is_strict ? out.above(value) : out.at_least(value);
    if (!is_lower) is_strict ? out.below(value) : out.at_most(value);
  }
  return out;
}

Result<Bounds> bounds_of(const QueryContext& context, const Field& field, const RangeQuery& query) {
  if (field.type == FieldType::date) return date_bounds(context, field, query);
  if (is_whole_number(field.type)) return whole_bounds(query);
  if (field.type == FieldType::boolean && field.runtime != nullptr)
    return boolean_bounds(field, query);
  if (field.type == FieldType::scaled_float) return scaled_bounds(field, query);
  if (is_number(field.type)) return floating_bounds(field, query);
  return query_error("Field [" + field.name + "] of type [" +
                     std::string(name_of(field.declared_type())) +
                     "] does not support range queries");
}

PlanPtr plan_intervals(const QueryContext& context, const Field& of, Intervals wanted,
                       float boost) {
  if (wanted.none()) return no_plan();
  if (of.runtime != nullptr)
    return plan_runtime(
        context, of,
        {.takes_number = [wanted = std::move(wanted)](std::int64_t v) { return wanted.has(v); }},
        boost, of.name + ":[values]");
  return bits_plan(
      [field = of.name, wanted = std::move(wanted)](const QueryContext& c, std::size_t segment) {
        return column_range(c, segment, field, wanted);
      },
      boost);
}

/// A broken number equals no whole one.
bool is_broken(const Field& field, const Json& value) {
  return is_whole_number(field.type) && value.type() == Json::Type::number &&
         value.as_double() != std::trunc(value.as_double());
}

}  // namespace

Result<PlanPtr> plan_range(const QueryContext& context, const RangeQuery& query, float boost) {
  Field seq_no{.name = "_seq_no", .type = FieldType::long_};
  const Field* field =
      query.field == seq_no.name ? &seq_no : context.view.mapping->find(query.field);
  if (field == nullptr) return no_plan();
  if (!field->index) CAIRN_CHECK(check_searchable(*field));
  if (field->type == FieldType::text || field->type == FieldType::keyword)
    return plan_term_range(context, *field, query, boost);
  CAIRN_TRY(const Bounds bounds, bounds_of(context, *field, query));
  return plan_intervals(context, *field, Intervals({bounds}), boost);
}

Result<PlanPtr> plan_numbers(const QueryContext& context, const Field& field,
                             const std::vector<Json>& values, float boost) {
  std::vector<Bounds> all;
  for (const Json& value : values) {
    CAIRN_CHECK(context.steps.take(16));
    if (is_broken(field, value)) continue;
    if (field.type != FieldType::date) {
      const auto number = column_value(field, value);
      const bool too_large =
          !number && number.error().message.find("out of range") != std::string::npos;
      if (too_large) continue;
      if (!number) return query_error("failed to create query: " + number.error().message);
      if (field.type == FieldType::scaled_float) {  // the number is rounded as values are
        Bounds one;
        one.at_least(*number);
        one.at_most(*number);
        all.push_back(one);
        continue;
      }
    }
    RangeQuery range{.field = field.name};
    range.gte = value;
    range.lte = value;
    CAIRN_TRY(const Bounds bounds, bounds_of(context, field, range));
    all.push_back(bounds);
  }
  return plan_intervals(context, field, Intervals(std::move(all)), boost);
}

}  // namespace cairn::index
