// SPDX-License-Identifier: Apache-2.0
// Functions that fall with the distance from an origin: gauss, exp, linear.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/strings.h"
#include "format/time.h"
#include "index/dates/dates.h"
#include "index/errors.h"
#include "index/functions/score_function.h"
#include "index/query/column_numbers.h"
#include "index/query/explain.h"
#include "index/view.h"

namespace cairn::index {
namespace {

using Shape = DecayFunction::Shape;
using Mode = DecayFunction::Mode;

/// The numbers of a decay, whatever the field is: milliseconds of dates.
struct DecayNumbers {
  Shape shape = Shape::gauss;
  Mode mode = Mode::min;
  double origin = 0, offset = 0;
  double slope = 0;  // what `scale` and `decay` come to

  static double slope_of(Shape shape, double scale, double decay) {
    if (shape == Shape::gauss) return 0.5 * scale * scale / std::log(decay);
    return shape == Shape::exp ? std::log(decay) / scale : scale / (1 - decay);
  }
  double at(double distance) const {
    if (shape == Shape::gauss) return std::exp(0.5 * distance * distance / slope);
    if (shape == Shape::exp) return std::exp(slope * distance);
    return std::max(0.0, (slope - distance) / slope);
  }
  double distance(double value) const { return std::max(0.0, std::abs(value - origin) - offset); }
};

class Decay final : public ViewFunction {
 public:
  Decay(DecayNumbers numbers, Field field) : numbers_(numbers), field_(std::move(field)) {}
  Result<DocFunctionPtr> in(const QueryContext& context, std::size_t segment) const override {
    CAIRN_TRY(auto column, ColumnNumbers::open(context, segment, field_));
    return DocFunctionPtr(std::make_unique<InSegment>(numbers_, std::move(column)));
  }
  Explanation explain(double value, const Explanation&) const override {
    static constexpr std::array<std::string_view, 3> names = {"gauss", "exp", "linear"};
    static constexpr std::array<std::string_view, 4> modes = {"MIN", "MAX", "AVG", "SUM"};
    return Explanation::match(
        static_cast<float>(value),
        "Function for field " + field_.name + ": " +
            std::string(names[static_cast<std::size_t>(numbers_.shape)]) + "(" +
            std::string(modes[static_cast<std::size_t>(numbers_.mode)]) +
            "[Math.max(Math.abs(doc value - " + Json(numbers_.origin).dump() + "(=origin)) - " +
            Json(numbers_.offset).dump() + "(=offset), 0)])");
  }

 private:
  class InSegment final : public DocFunction {
   public:
    InSegment(const DecayNumbers& numbers, ColumnNumbers column)
        : numbers_(numbers), column_(std::move(column)) {}
    // A document without a value is as near as can be.
    double of(std::uint32_t doc, float) override {
      const auto [first, last] = column_.range(doc);
      if (first == last) return numbers_.at(0);
      double least = HUGE_VAL, most = 0, sum = 0;
      for (std::uint32_t i = first; i < last; ++i) {
        const double distance = numbers_.distance(column_.number(i));
        least = std::min(least, distance);
        most = std::max(most, distance);
        sum += distance;
      }
      if (numbers_.mode == Mode::min) return numbers_.at(least);
      if (numbers_.mode == Mode::max) return numbers_.at(most);
      return numbers_.at(numbers_.mode == Mode::sum ? sum : sum / (last - first));
    }

   private:
    const DecayNumbers& numbers_;
    ColumnNumbers column_;
  };
  DecayNumbers numbers_;
  Field field_;
};

Error decay_fault(const std::string& what) { return illegal_argument("function_score : " + what); }

Result<double> plain_number(const Json& value, const char* name) {
  if (value.is_number()) return value.as_double();
  if (value.is_string())
    if (const auto number = parse_number<double>(trim(value.as_string()))) return *number;
  return decay_fault(std::string(name) + " must be a number, not [" + value.dump() + "]");
}

Result<double> duration(const Json& value, const char* name) {
  CAIRN_TRY(const std::int64_t ms,
            parse_time_value(value.is_string() ? value.as_string() : value.dump(), name));
  return static_cast<double>(ms);
}

Result<double> date_origin(const QueryContext& context, const Field& field, const Json& origin) {
  CAIRN_TRY(const auto format,
            DateFormat::parse(field.format.empty() ? default_date_format
                                                   : std::string_view(field.format)));
  const Json given = origin.is_null() ? Json("now") : origin;
  CAIRN_TRY(const std::int64_t ms, resolve_date(given, format, context.now_ms, {}, false));
  return static_cast<double>(ms);
}

}  // namespace

Result<ViewFunctionPtr> decay_function(const QueryContext& context, const DecayFunction& decay) {
  const Field* field = context.view.mapping->find(decay.field);
  if (field == nullptr) return parsing_error("unknown field [" + decay.field + "]");
  const bool is_date = field->type == FieldType::date;
  if ((!is_date && !is_number(field->type)) || !field->doc_values)
    return parsing_error("field [" + decay.field + "] is of type [" +
                         std::string(name_of(field->declared_type())) +
                         "], but only numeric types are supported.");
  if (decay.scale.is_null() || (decay.origin.is_null() && !is_date))
    return parsing_error(is_date ? "[scale] must be set for date fields."
                                 : "both [scale] and [origin] must be set for numeric fields.");
  DecayNumbers numbers{.shape = decay.shape, .mode = decay.mode};
  double scale = 0;
  if (is_date) {
    CAIRN_TRY(numbers.origin, date_origin(context, *field, decay.origin));
    CAIRN_TRY(scale, duration(decay.scale, "scale"));
    if (!decay.offset.is_null()) {
      CAIRN_TRY(numbers.offset, duration(decay.offset, "offset"));
    }
  } else {
    CAIRN_TRY(numbers.origin, plain_number(decay.origin, "origin"));
    CAIRN_TRY(scale, plain_number(decay.scale, "scale"));
    if (!decay.offset.is_null()) {
      CAIRN_TRY(numbers.offset, plain_number(decay.offset, "offset"));
    }
  }
  if (!(scale > 0)) return decay_fault("scale must be > 0.0");
  if (!(decay.decay > 0) || !(decay.decay < 1))
    return decay_fault("decay must be in the range [0..1]");
  if (!(numbers.offset >= 0)) return decay_fault("offset must be > 0.0");
  numbers.slope = DecayNumbers::slope_of(decay.shape, scale, decay.decay);
  return ViewFunctionPtr(std::make_shared<Decay>(numbers, *field));
}

}  // namespace cairn::index
