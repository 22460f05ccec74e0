// SPDX-License-Identifier: Apache-2.0
#include "script/operations.h"

#include <array>
#include <charconv>
#include <cmath>

#include "format/time.h"
#include "script/arithmetic.h"
#include "script/script.h"

namespace cairn::script {
namespace {

constexpr std::size_t deepest = 50;  // list in a list
constexpr std::array<std::string_view, 7> weekdays = {"MONDAY", "TUESDAY",  "WEDNESDAY", "THURSDAY",
                                                      "FRIDAY", "SATURDAY", "SUNDAY"};
constexpr std::array<std::string_view, 17> operator_marks = {"+", "-",  "*",  "/",  "%",  "&", "|",  "^", "<<",
                                                    ">>", ">>>", "==", "!=", "<", "<=", ">", ">="};

std::string_view mark_of(Code code) {
  const auto at = static_cast<std::size_t>(code) - static_cast<std::size_t>(Code::add);
  // The three of one operand stand between the shifts and the comparisons.
  return operator_marks[code >= Code::eq ? at - 3 : at];
}

std::string digits_of(double value, bool narrow) {
  char buffer[32];
  const auto end = narrow ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value),
                                          std::chars_format::scientific)
                          : std::to_chars(buffer, buffer + sizeof buffer, value,
                                          std::chars_format::scientific);
  return {buffer, end.ptr};
}

/// 2026-01-31T08:05Z: seconds and fractions where there are any.
std::string date_text(std::int64_t ms, bool is_instant) {
  std::string out = format_iso8601(ms);  // ...T08:05:09.123Z
  const std::size_t dot = out.rfind('.');
  if (dot == std::string::npos) return out;
  if (out.substr(dot, 4) != ".000") return out;
  out.erase(dot, 4);
  if (!is_instant && out.ends_with(":00Z")) out.erase(out.size() - 4, 3);
  return out;
}

bool append_items(Run& run, const Value& value, std::string& out, std::size_t depth) {
  const bool is_map = value.type == Type::map;
  const std::size_t count = is_map ? value.object->entries.size() : value.object->items.size();
  out += is_map ? '{' : '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ", ";
    const Value& first = is_map ? value.object->entries[i].first : value.object->items[i];
    if (!append_text(run, first, out, depth + 1)) return false;
    if (!is_map) continue;
    out += '=';
    if (!append_text(run, value.object->entries[i].second, out, depth + 1)) return false;
  }
  out += is_map ? '}' : ']';
  return true;
}

bool cannot_apply(Run& run, Code code, const Value& a, const Value& b) {
  const std::string mark(mark_of(code));
  if (a.is_null() || b.is_null())
    return run.fail("null_pointer_exception", "Cannot apply [" + mark + "] operation to null");
  return run.fail("class_cast_exception", "Cannot apply [" + mark + "] operation to types [" +
                                              std::string(class_of(a.type)) + "] and [" +
                                              std::string(class_of(b.type)) + "].");
}

bool whole_result(Run& run, Code code, std::int64_t a, std::int64_t b, std::int64_t& out) {
  switch (code) {
    case Code::add:
      out = wrapping_add(a, b);
      return true;
    case Code::sub:
      out = wrapping_sub(a, b);
      return true;
    case Code::mul:
      out = wrapping_mul(a, b);
      return true;
    case Code::div:
    case Code::rem:
      if (b == 0) return run.fail("arithmetic_exception", "/ by zero");
      out = code == Code::div ? whole_quotient(a, b) : whole_rest(a, b);
      return true;
    case Code::and_:
      out = a & b;
      return true;
    case Code::or_:
      out = a | b;
      return true;
    default:
      out = a ^ b;
      return true;
  }
}

double real_result(Code code, double a, double b) {
  switch (code) {
    case Code::add:
      return a + b;
    case Code::sub:
      return a - b;
    case Code::mul:
      return a * b;
    case Code::div:
      return a / b;
    default:
      return std::fmod(a, b);
  }
}

std::int64_t shifted(Code code, const Value& a, std::int64_t by) {
  const bool is_int = a.type == Type::int_;
  by &= is_int ? 31 : 63;
  const auto bits = static_cast<std::uint64_t>(a.whole);
  if (code == Code::shl) return static_cast<std::int64_t>(bits << by);
  if (code == Code::shr) return a.whole >> by;
  return is_int ? static_cast<std::int64_t>(static_cast<std::uint32_t>(bits) >> by)
                : static_cast<std::int64_t>(bits >> by);
}

bool compared(Code code, const Value& a, const Value& b) {
  if (is_whole(promoted(a.type, b.type))) {
    switch (code) {
      case Code::lt:
        return a.whole < b.whole;
      case Code::le:
        return a.whole <= b.whole;
      case Code::gt:
        return a.whole > b.whole;
      default:
        return a.whole >= b.whole;
    }
  }
  const double x = a.as_double(), y = b.as_double();
  if (code == Code::lt) return x < y;
  if (code == Code::le) return x <= y;
  return code == Code::gt ? x > y : x >= y;
}

bool joined(Run& run, const Value& a, const Value& b, Value& out) {
  std::string text;
  if (!append_text(run, a, text) || !append_text(run, b, text)) return false;
  out = run.heap().text(std::move(text));
  return run.work(text_of(out).size());
}

}  // namespace

std::string number_text(double value, bool narrow) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  const std::string made = digits_of(value, narrow);
  const std::size_t e = made.find('e');
  int exponent = 0;
  const char* from = made.data() + e + 1 + (made[e + 1] == '+' ? 1 : 0);
  std::from_chars(from, made.data() + made.size(), exponent);
  std::string digits, sign;
  for (const char c : made.substr(0, e)) {
    if (c == '-') sign = "-";
    if (c >= '0' && c <= '9') digits += c;
  }
  const double size = std::abs(value);
  if (size < 1e-3 || size >= 1e7) {
    const std::string rest = digits.size() > 1 ? digits.substr(1) : "0";
    return sign + digits[0] + "." + rest + "E" + std::to_string(exponent);
  }
  if (exponent < 0) return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

bool append_text(Run& run, const Value& value, std::string& out, std::size_t depth) {
  if (depth > deepest || !run.heap().has_room_for(out.size()))
    return run.fail("circuit_breaking_exception", depth > deepest
                        ? "lists and maps are too deep to become a text"
                        : "a text is longer than a script may make it");
  switch (value.type) {
    case Type::boolean:
      out += value.whole != 0 ? "true" : "false";
      return true;
    case Type::int_:
    case Type::long_:
      out += std::to_string(value.whole);
      return true;
    case Type::float_:
    case Type::double_:
      out += number_text(value.real, value.type == Type::float_);
      return true;
    case Type::string:
      out += text_of(value);
      return true;
    case Type::list:
    case Type::map:
      return run.work(1) && append_items(run, value, out, depth);
    case Type::entry:
      if (!append_text(run, value.object->items[0], out, depth + 1)) return false;
      out += '=';
      return append_text(run, value.object->items[1], out, depth + 1);
    case Type::date:
    case Type::instant:
      out += date_text(value.whole, value.type == Type::instant);
      return true;
    case Type::weekday:
      out += weekdays[static_cast<std::size_t>(value.whole - 1) % 7];
      return true;
    case Type::field:
    case Type::vector: {
      Value list;
      return elements_of(run, value, list) && append_items(run, list, out, depth);
    }
    default:
      out += "null";
      return true;
  }
}

bool are_same(Run& run, const Value& a, const Value& b, std::size_t depth) {
  if (a.type != b.type || depth > deepest || !run.steps().go_on()) return false;
  switch (a.type) {
    case Type::null:
      return true;
    case Type::float_:
    case Type::double_:
      // As boxes are compared: what is no number is equal to itself, and 0.0 is not -0.0.
      return (std::isnan(a.real) && std::isnan(b.real)) ||
             (a.real == b.real && std::signbit(a.real) == std::signbit(b.real));
    case Type::string:
      return text_of(a) == text_of(b);
    case Type::list:
    case Type::entry: {
      if (items_of(a).size() != items_of(b).size()) return false;
      for (std::size_t i = 0; i < items_of(a).size(); ++i)
        if (!are_same(run, items_of(a)[i], items_of(b)[i], depth + 1)) return false;
      return true;
    }
    case Type::map: {
      if (a.object->entries.size() != b.object->entries.size()) return false;
      for (const auto& [key, value] : a.object->entries) {
        const Value* other = b.object->find(key);
        if (other == nullptr || !are_same(run, value, *other, depth + 1)) return false;
      }
      return true;
    }
    case Type::vector:
      return a.object == b.object;
    default:
      return a.whole == b.whole;
  }
}

bool are_equal(Run& run, const Value& a, const Value& b, std::size_t depth) {
  if (is_number(a.type) && is_number(b.type))
    return is_whole(promoted(a.type, b.type)) ? a.whole == b.whole : a.as_double() == b.as_double();
  return are_same(run, a, b, depth);
}

bool order_of(Run& run, const Value& a, const Value& b, int& out) {
  const auto sign = [](auto x, auto y) { return x < y ? -1 : y < x ? 1 : 0; };
  if (is_number(a.type) && is_number(b.type)) {
    out = is_whole(promoted(a.type, b.type)) ? sign(a.whole, b.whole)
                                             : sign(a.as_double(), b.as_double());
    return true;
  }
  if (a.type == Type::string && b.type == Type::string) {
    out = sign(text_of(a), text_of(b));
    return true;
  }
  if (a.type == b.type && (a.type == Type::boolean || a.type == Type::date || a.type == Type::instant)) {
    out = sign(a.whole, b.whole);
    return true;
  }
  return run.fail("class_cast_exception", "class " + std::string(class_of(a.type)) +
                                              " cannot be compared with class " +
                                              std::string(class_of(b.type)));
}

bool apply(Run& run, Code code, const Value& a, const Value& b, Value& out) {
  if (code == Code::eq || code == Code::ne) {
    out = Value::of(are_equal(run, a, b) == (code == Code::eq));
    return true;
  }
  if (code == Code::add && (a.type == Type::string || b.type == Type::string))
    return joined(run, a, b, out);
  const bool bits = code == Code::and_ || code == Code::or_ || code == Code::xor_;
  const bool shift = code == Code::shl || code == Code::shr || code == Code::ushr;
  if (bits && a.type == Type::boolean && b.type == Type::boolean) {
    std::int64_t made = 0;
    (void)whole_result(run, code, a.whole, b.whole, made);
    out = Value::of(made != 0);
    return true;
  }
  const bool fits = is_number(a.type) && is_number(b.type) &&
                    (!(bits || shift) || (is_whole(a.type) && is_whole(b.type)));
  if (!fits) return cannot_apply(run, code, a, b);
  if (shift) {
    out = cast_number(Value::of(shifted(code, a, b.whole)), a.type);
    return true;
  }
  if (code >= Code::lt) {
    const Type type = promoted(a.type, b.type);
    out = Value::of(compared(code, cast_number(a, type), cast_number(b, type)));
    return true;
  }
  const Type type = promoted(a.type, b.type);
  if (is_whole(type)) {
    std::int64_t made = 0;
    if (!whole_result(run, code, a.whole, b.whole, made)) return false;
    out = cast_number(Value::of(made), type);
    return true;
  }
  const double x = cast_number(a, type).real, y = cast_number(b, type).real;
  out = cast_number(Value::of(real_result(code, x, y)), type);
  return true;
}

bool convert(Run& run, const Value& from, Type to, bool is_cast, Value& out) {
  const bool fits = from.type == to || (from.is_null() && !is_primitive(to));
  if (fits) {
    out = from;
    return true;
  }
  if (is_number(from.type) && is_number(to) && (is_cast || from.type < to)) {
    out = cast_number(from, to);
    return true;
  }
  if (from.is_null())
    return run.fail("null_pointer_exception",
                    "Cannot cast null to a primitive type [" + std::string(name_of(to)) + "].");
  return run.fail("class_cast_exception", "Cannot cast from [" + std::string(class_of(from.type)) +
                                              "] to [" + std::string(name_of(to)) + "].");
}

bool elements_of(Run& run, const Value& value, Value& out) {
  if (value.type == Type::list) {
    out = value;
    return true;
  }
  std::vector<Value> items;
  if (value.type == Type::field) {
    const auto field = static_cast<std::size_t>(value.whole);
    const std::size_t count = field_count(run, field);
    if (!run.work(count) || run.fields()[field].facts.kind == FieldKind::vector)
      return run.fail("unsupported_operation_exception", "a vector field is read by 'vectorValue'");
    for (std::size_t i = 0; i < count; ++i) items.push_back(field_value(run, field, i));
  } else if (value.type == Type::vector) {
    for (const float one : value.object->numbers) items.push_back(Value::of(one));
  } else if (value.is_null()) {
    return run.fail("null_pointer_exception", "a value that is null has no elements");
  } else {
    return run.fail("illegal_argument_exception", "Cannot iterate over [" +
                                                      std::string(class_of(value.type)) + "]");
  }
  out = run.heap().list(std::move(items));
  return run.work(items_of(out).size());
}

std::size_t field_count(Run& run, std::size_t field) {
  if (run.fields()[field].facts.kind == FieldKind::vector)
    return run.document().vector(field).empty() ? 0 : 1;
  return run.document().count(field);
}

Value field_value(Run& run, std::size_t field, std::size_t i) {
  switch (run.fields()[field].facts.kind) {
    case FieldKind::whole:
      return Value::of(run.document().whole(field, i));
    case FieldKind::real:
      return Value::of(run.document().real(field, i));
    case FieldKind::boolean:
      return Value::of(run.document().whole(field, i) != 0);
    case FieldKind::date:
      return Value::whole_of(Type::date, run.document().whole(field, i));
    case FieldKind::text:
      return run.heap().text(run.document().text(field, i));
    default:
      return {};
  }
}

}  // namespace cairn::script
