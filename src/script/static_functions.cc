// SPDX-License-Identifier: Apache-2.0
// Math, the classes of numbers, Collections, and the functions for scores.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/strings.h"
#include "script/arithmetic.h"
#include "script/method_help.h"

namespace cairn::script {
namespace {
namespace statics {

double least(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::nan("");
  return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
}
double most(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::nan("");
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
double signum(double a) { return a > 0 ? 1 : a < 0 ? -1 : a; }
double to_degrees(double a) { return a * (180 / std::numbers::pi); }
double to_radians(double a) { return a / 180 * std::numbers::pi; }
double ulp(double a) {
  if (!std::isfinite(a)) return std::abs(a);
  const double size = std::abs(a);
  if (size == std::numeric_limits<double>::max()) return size - std::nextafter(size, 0);
  return std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
}
// One to the power of anything is one to C, and not to this language.
double power(double a, double b) {
  if (b == 0) return 1;
  if (std::isnan(b) || (std::abs(a) == 1 && std::isinf(b))) return std::nan("");
  return std::pow(a, b);
}

constexpr std::array math_functions = {
    MathFunction{"abs", [](double a) { return std::abs(a); }, nullptr},
    MathFunction{"acos", [](double a) { return std::acos(a); }, nullptr},
    MathFunction{"asin", [](double a) { return std::asin(a); }, nullptr},
    MathFunction{"atan", [](double a) { return std::atan(a); }, nullptr},
    MathFunction{"cbrt", [](double a) { return std::cbrt(a); }, nullptr},
    MathFunction{"ceil", [](double a) { return std::ceil(a); }, nullptr},
    MathFunction{"cos", [](double a) { return std::cos(a); }, nullptr},
    MathFunction{"cosh", [](double a) { return std::cosh(a); }, nullptr},
    MathFunction{"exp", [](double a) { return std::exp(a); }, nullptr},
    MathFunction{"expm1", [](double a) { return std::expm1(a); }, nullptr},
    MathFunction{"floor", [](double a) { return std::floor(a); }, nullptr},
    MathFunction{"log", [](double a) { return std::log(a); }, nullptr},
    MathFunction{"log10", [](double a) { return std::log10(a); }, nullptr},
    MathFunction{"log1p", [](double a) { return std::log1p(a); }, nullptr},
    MathFunction{"rint", [](double a) { return std::nearbyint(a); }, nullptr},
    MathFunction{"signum", &signum, nullptr},
    MathFunction{"sin", [](double a) { return std::sin(a); }, nullptr},
    MathFunction{"sinh", [](double a) { return std::sinh(a); }, nullptr},
    MathFunction{"sqrt", [](double a) { return std::sqrt(a); }, nullptr},
    MathFunction{"tan", [](double a) { return std::tan(a); }, nullptr},
    MathFunction{"tanh", [](double a) { return std::tanh(a); }, nullptr},
    MathFunction{"toDegrees", &to_degrees, nullptr},
    MathFunction{"toRadians", &to_radians, nullptr},
    MathFunction{"ulp", &ulp, nullptr},
    MathFunction{"atan2", nullptr, [](double a, double b) { return std::atan2(a, b); }},
    MathFunction{"copySign", nullptr, [](double a, double b) { return std::copysign(a, b); }},
    MathFunction{"hypot", nullptr, [](double a, double b) { return std::hypot(a, b); }},
    MathFunction{"IEEEremainder", nullptr, [](double a, double b) { return std::remainder(a, b); }},
    MathFunction{"max", nullptr, &most},
    MathFunction{"min", nullptr, &least},
    MathFunction{"pow", nullptr, &power},
};

// --- numbers from texts, and between themselves

bool not_a_number(Run& run, std::string_view text) {
  return run.fail("number_format_exception", text.empty() ? "For input string: \"\""
                                                          : "For input string: \"" +
                                                                std::string(text) + "\"");
}

template <class Whole>
bool parse_whole(Run& run, Value* self) {
  if (!wants(run, *self, Type::string)) return false;
  std::string_view text = text_of(*self);
  const std::string_view given = text;
  if (text.starts_with('+') && !text.substr(1).starts_with('-')) text.remove_prefix(1);
  const auto read = parse_number<Whole>(text);
  return read ? give(self, Value::of(*read)) : not_a_number(run, given);
}

bool read_real(Run& run, Value* self, double& out) {
  if (!wants(run, *self, Type::string)) return false;
  std::string_view text = trim(text_of(*self));
  const std::string_view given = text;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "NaN" || text == "Infinity") {
    out = text == "NaN" ? std::nan("") : std::numeric_limits<double>::infinity();
  } else {
    const bool has_suffix = !text.empty() && std::string_view("dDfF").find(text.back()) != std::string_view::npos;
    if (has_suffix) text.remove_suffix(1);
    const bool begins = !text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
    double read = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), read);
    if (!begins || end != text.data() + text.size() || fault == std::errc::invalid_argument)
      return not_a_number(run, given);
    // What is too large has no end, and what is too small is nothing.
    const std::size_t e = text.find_first_of("eE");
    if (fault == std::errc::result_out_of_range)
      read = e != std::string_view::npos && text.substr(e + 1).starts_with('-')
                 ? 0
                 : std::numeric_limits<double>::infinity();
    out = read;
  }
  if (negative) out = -out;
  return true;
}

bool parse_double(Run& run, Value* self) {
  double read = 0;
  return read_real(run, self, read) && give(self, Value::of(read));
}
bool parse_float(Run& run, Value* self) {
  double read = 0;
  return read_real(run, self, read) && give(self, Value::of(static_cast<float>(read)));
}
bool parse_boolean(Run& run, Value* self) {
  if (self->is_null()) return give(self, Value::of(false));
  return wants(run, *self, Type::string) &&
         give(self, Value::of(equals_ignore_case(text_of(*self), "true")));
}

bool same(Run&, Value*) { return true; }
bool compare(Run& run, Value* self) {
  int order = 0;
  return order_of(run, self[0], self[1], order) && give(self, Value::of(std::int32_t{order}));
}
bool round(Run&, Value* self) {
  const double v = self->real;
  // Halves go up; what is as large as this has none.
  const bool has_halves = std::abs(v) < 4503599627370496.0;
  double made = std::floor(v);
  if (has_halves && v - made >= 0.5) made += 1;
  return give(self, Value::of(whole_of<std::int64_t>(made)));
}
bool is_nan(Run&, Value* self) { return give(self, Value::of(std::isnan(self->real))); }
bool is_infinite(Run&, Value* self) { return give(self, Value::of(std::isinf(self->real))); }
bool is_finite(Run&, Value* self) { return give(self, Value::of(std::isfinite(self->real))); }

// --- lists

bool sort(Run& run, Value* self) {
  if (self->is_null()) return wants(run, *self, Type::list);
  Value in_a_row[2] = {*self, {}};
  const Method* of_list = find_method(Type::list, "sort", 1);
  return of_list->face(run, in_a_row);
}
bool reverse(Run& run, Value* self) {
  if (!wants(run, *self, Type::list) || !may_change(run, *self)) return false;
  std::reverse(self->object->items.begin(), self->object->items.end());
  return run.work(items_of(*self).size());
}

template <bool greatest>
bool extreme(Run& run, Value* self) {
  Value list;
  if (!elements_of(run, *self, list)) return false;
  if (items_of(list).empty()) return run.fail("no_such_element_exception", "the list is empty");
  Value best = items_of(list)[0];
  for (const Value& item : items_of(list)) {
    int order = 0;
    if (!order_of(run, item, best, order)) return false;
    if (greatest ? order > 0 : order < 0) best = item;
  }
  return run.work(items_of(list).size()) && give(self, best);
}

bool join(Run& run, Value* self) {
  if (!wants(run, self[0], Type::string)) return false;
  Value in_a_row[2] = {{}, self[0]};
  if (!elements_of(run, self[1], in_a_row[0])) return false;
  return find_method(Type::list, "join", 1)->face(run, in_a_row) && give(self, in_a_row[0]);
}

// --- scores. Sources: the formulas in docs/reference/scripts.md

bool saturation(Run&, Value* self) {
  return give(self, Value::of(self[0].real / (self[1].real + self[0].real)));
}
bool sigmoid(Run&, Value* self) {
  const double value = power(self[0].real, self[2].real);
  return give(self, Value::of(value / (power(self[1].real, self[2].real) + value)));
}

enum class Shape { linear, exponential, gauss };

double decayed(Shape shape, const Value* given, double value) {
  const double origin = given[0].real, scale = given[1].real, offset = given[2].real;
  const double decay = given[3].real;
  const double distance = most(0, std::abs(value - origin) - offset);
  if (shape == Shape::linear) {
    const double reach = scale / (1 - decay);
    return most(0, (reach - distance) / reach);
  }
  if (shape == Shape::exponential) return std::exp(std::log(decay) / scale * distance);
  return std::exp(0.5 * distance * distance / (0.5 * scale * scale / std::log(decay)));
}

template <Shape shape>
bool decay_number(Run&, Value* self) {
  return give(self, Value::of(decayed(shape, self, self[4].real)));
}
template <Shape shape>
bool decay_date(Run& run, Value* self) {
  if (!wants(run, self[4], Type::date)) return false;
  return give(self, Value::of(decayed(shape, self, static_cast<double>(self[4].whole))));
}

constexpr std::array text_1 = {Type::string};
constexpr std::array int_1 = {Type::int_};
constexpr std::array long_1 = {Type::long_};
constexpr std::array float_1 = {Type::float_};
constexpr std::array double_1 = {Type::double_};
constexpr std::array boolean_1 = {Type::boolean};
constexpr std::array def_1 = {Type::def};
constexpr std::array list_1 = {Type::list};
constexpr std::array int_2 = {Type::int_, Type::int_};
constexpr std::array long_2 = {Type::long_, Type::long_};
constexpr std::array double_2 = {Type::double_, Type::double_};
constexpr std::array double_3 = {Type::double_, Type::double_, Type::double_};
constexpr std::array text_and_list = {Type::string, Type::def};
constexpr std::array numbers_5 = {Type::double_, Type::double_, Type::double_, Type::double_,
                                  Type::double_};
constexpr std::array date_5 = {Type::string, Type::string, Type::string, Type::double_, Type::date};

constexpr std::array functions = {
    StaticFunction{"Math", "round", double_1, Type::long_, &round},
    StaticFunction{"Integer", "parseInt", text_1, Type::int_, &parse_whole<std::int32_t>},
    StaticFunction{"Integer", "valueOf", int_1, Type::int_, &same},
    StaticFunction{"Integer", "toString", int_1, Type::string, &method_to_string},
    StaticFunction{"Integer", "compare", int_2, Type::int_, &compare},
    StaticFunction{"Long", "parseLong", text_1, Type::long_, &parse_whole<std::int64_t>},
    StaticFunction{"Long", "valueOf", long_1, Type::long_, &same},
    StaticFunction{"Long", "toString", long_1, Type::string, &method_to_string},
    StaticFunction{"Long", "compare", long_2, Type::int_, &compare},
    StaticFunction{"Float", "parseFloat", text_1, Type::float_, &parse_float},
    StaticFunction{"Float", "valueOf", float_1, Type::float_, &same},
    StaticFunction{"Float", "toString", float_1, Type::string, &method_to_string},
    StaticFunction{"Double", "parseDouble", text_1, Type::double_, &parse_double},
    StaticFunction{"Double", "valueOf", double_1, Type::double_, &same},
    StaticFunction{"Double", "toString", double_1, Type::string, &method_to_string},
    StaticFunction{"Double", "compare", double_2, Type::int_, &compare},
    StaticFunction{"Double", "isNaN", double_1, Type::boolean, &is_nan},
    StaticFunction{"Double", "isInfinite", double_1, Type::boolean, &is_infinite},
    StaticFunction{"Double", "isFinite", double_1, Type::boolean, &is_finite},
    StaticFunction{"Boolean", "parseBoolean", text_1, Type::boolean, &parse_boolean},
    StaticFunction{"Boolean", "valueOf", boolean_1, Type::boolean, &same},
    StaticFunction{"String", "valueOf", def_1, Type::string, &method_to_string},
    StaticFunction{"String", "join", text_and_list, Type::string, &join},
    StaticFunction{"Collections", "sort", list_1, Type::void_, &sort},
    StaticFunction{"Collections", "reverse", list_1, Type::void_, &reverse},
    StaticFunction{"Collections", "max", def_1, Type::def, &extreme<true>},
    StaticFunction{"Collections", "min", def_1, Type::def, &extreme<false>},
    StaticFunction{"", "saturation", double_2, Type::double_, &saturation},
    StaticFunction{"", "sigmoid", double_3, Type::double_, &sigmoid},
    StaticFunction{"", "decayNumericLinear", numbers_5, Type::double_, &decay_number<Shape::linear>},
    StaticFunction{"", "decayNumericExp", numbers_5, Type::double_, &decay_number<Shape::exponential>},
    StaticFunction{"", "decayNumericGauss", numbers_5, Type::double_, &decay_number<Shape::gauss>},
    StaticFunction{"", "decayDateLinear", date_5, Type::double_, &decay_date<Shape::linear>},
    StaticFunction{"", "decayDateExp", date_5, Type::double_, &decay_date<Shape::exponential>},
    StaticFunction{"", "decayDateGauss", date_5, Type::double_, &decay_date<Shape::gauss>},
};

struct Constant {
  std::string_view of, name;
  Value value;
};

const std::array<Constant, 14>& constants() {
  using Int = std::numeric_limits<std::int32_t>;
  using Long = std::numeric_limits<std::int64_t>;
  using Float = std::numeric_limits<float>;
  using Double = std::numeric_limits<double>;
  static const std::array<Constant, 14> table = {
      {{"Math", "PI", Value::of(std::numbers::pi)},
       {"Math", "E", Value::of(std::numbers::e)},
       {"Integer", "MAX_VALUE", Value::of(Int::max())},
       {"Integer", "MIN_VALUE", Value::of(Int::min())},
       {"Long", "MAX_VALUE", Value::of(Long::max())},
       {"Long", "MIN_VALUE", Value::of(Long::min())},
       {"Float", "MAX_VALUE", Value::of(Float::max())},
       {"Float", "MIN_VALUE", Value::of(Float::denorm_min())},
       {"Double", "MAX_VALUE", Value::of(Double::max())},
       {"Double", "MIN_VALUE", Value::of(Double::denorm_min())},
       {"Double", "POSITIVE_INFINITY", Value::of(Double::infinity())},
       {"Double", "NEGATIVE_INFINITY", Value::of(-Double::infinity())},
       {"Double", "NaN", Value::of(std::nan(""))},
       {"Float", "NaN", Value::of(std::nanf(""))}}};
  return table;
}

}  // namespace statics
}  // namespace

int find_math(std::string_view name, std::size_t arguments) {
  for (std::size_t i = 0; i < statics::math_functions.size(); ++i) {
    const MathFunction& one = statics::math_functions[i];
    if (one.name == name && arguments == (one.of_one != nullptr ? 1u : 2u)) return static_cast<int>(i);
  }
  return -1;
}

const MathFunction& math_function(std::size_t index) { return statics::math_functions[index]; }

int find_static(std::string_view of, std::string_view name, std::size_t arguments) {
  for (std::size_t i = 0; i < statics::functions.size(); ++i)
    if (statics::functions[i].of == of && statics::functions[i].name == name && statics::functions[i].takes.size() == arguments)
      return static_cast<int>(i);
  return -1;
}

const StaticFunction& static_function(std::size_t index) { return statics::functions[index]; }

bool is_class(std::string_view name) {
  return std::any_of(statics::functions.begin(), statics::functions.end(),
                     [&](const StaticFunction& one) { return !one.of.empty() && one.of == name; });
}

const Value* find_constant(std::string_view of, std::string_view name) {
  for (const auto& one : statics::constants())
    if (one.of == of && one.name == name) return &one.value;
  return nullptr;
}

}  // namespace cairn::script
