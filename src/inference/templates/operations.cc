// SPDX-License-Identifier: Apache-2.0
#include "inference/templates/operations.h"

#include <algorithm>
#include <cmath>

#include "inference/templates/methods.h"
#include "inference/templates/occurrences.h"
#include "inference/templates/python_text.h"
#include "text/letters.h"

namespace cairn::inference::templates {
namespace {

Error no_operation(const Machine& machine, std::string_view sign, const Value& a, const Value& b) {
  if (a.is(Value::Kind::undefined)) return undefined_error(machine, a);
  if (b.is(Value::Kind::undefined)) return undefined_error(machine, b);
  return machine.fault("'" + std::string(sign) + "' does not go with " + std::string(type_name(a)) +
                       " and " + std::string(type_name(b)));
}

Result<Value> of_integers(const Machine& machine, std::string_view sign, std::int64_t a,
                          std::int64_t b) {
  std::int64_t out = 0;
  bool over = false;
  if (sign == "+") over = __builtin_add_overflow(a, b, &out);
  if (sign == "-") over = __builtin_sub_overflow(a, b, &out);
  if (sign == "*") over = __builtin_mul_overflow(a, b, &out);
  if (sign == "//" || sign == "%") {
    if (b == 0) return machine.fault("division by zero");
    if (b == -1) {
      over = sign == "//" && __builtin_sub_overflow(std::int64_t{0}, a, &out);
    } else {
      const bool down = a % b != 0 && (a < 0) != (b < 0);
      out = sign == "//" ? a / b - (down ? 1 : 0) : a % b + (down ? b : 0);
    }
  }
  if (sign == "**") {
    out = 1;
    for (std::int64_t i = 0; i < b && !over && (a > 1 || a < -1); ++i)
      over = __builtin_mul_overflow(out, a, &out);
    if (a == 0 && b > 0) out = 0;
    if (a == -1 && b % 2 != 0) out = -1;
  }
  if (over) return machine.fault("a number needs more than 64 bits");
  return integer_value(out);
}

double floored_remainder(double a, double b) {
  double out = std::fmod(a, b);
  if (out != 0 && (out < 0) != (b < 0)) out += b;
  return out == 0 ? std::copysign(0.0, b) : out;
}

Result<Value> of_numbers(const Machine& machine, std::string_view sign, const Value& a,
                         const Value& b) {
  const bool integral = a.is_integral() && b.is_integral();
  if (integral && sign != "/" && (sign != "**" || b.as_integer() >= 0))
    return of_integers(machine, sign, a.as_integer(), b.as_integer());
  const double x = a.as_double();
  const double y = b.as_double();
  if (sign == "+") return number_value(x + y);
  if (sign == "-") return number_value(x - y);
  if (sign == "*") return number_value(x * y);
  if (sign == "**") return number_value(std::pow(x, y));
  if (y == 0) return machine.fault("division by zero");
  if (sign == "/") return number_value(x / y);
  const double rest = floored_remainder(x, y);
  if (sign == "%") return number_value(rest);
  const double quotient = (x - rest) / y;
  const double low = std::floor(quotient);
  if (quotient == 0) return number_value(std::copysign(0.0, x / y));
  return number_value(quotient - low > 0.5 ? low + 1 : low);
}

Result<Value> repeated(Machine& machine, const Value& value, std::int64_t times) {
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(times, 0));
  if (value.is_text()) {
    const std::uint64_t size = value.text->size();
    if (size > 0 && count > most_string_bytes / size)
      return machine.too_large("a string has more than 16 MiB");
    CAIRN_CHECK(machine.spend_bytes(size * count));
    const std::uint64_t borders = value.text->borders();
    if (borders > 0) CAIRN_CHECK(machine.spend((borders + 1) * count / 16));
    Text out;
    for (std::uint64_t i = 0; i < count && size > 0; ++i) out.append(*value.text);
    return text_value(std::move(out));
  }
  const std::uint64_t size = value.list->items.size();
  if (size > 0 && count > machine.left() / size) CAIRN_CHECK(machine.spend(machine.left() + 1));
  CAIRN_CHECK(machine.spend(size * count));
  std::vector<Value> out;
  for (std::uint64_t i = 0; i < count && size > 0; ++i)
    out.insert(out.end(), value.list->items.begin(), value.list->items.end());
  return value.is(Value::Kind::list) ? machine.heap.list(std::move(out))
                                     : machine.heap.tuple(std::move(out));
}

Result<Value> joined(Machine& machine, const Value& a, const Value& b) {
  if (a.is_text()) {
    CAIRN_CHECK(machine.spend_text(*a.text));
    CAIRN_CHECK(machine.spend_text(*b.text));
    CAIRN_CHECK(machine.spend_bytes(a.text->size() + b.text->size()));
    Text out = *a.text;
    out.append(*b.text);
    return text_value(std::move(out));
  }
  std::vector<Value> out = a.list->items;
  CAIRN_CHECK(machine.spend(out.size() + b.list->items.size()));
  out.insert(out.end(), b.list->items.begin(), b.list->items.end());
  return a.is(Value::Kind::list) ? machine.heap.list(std::move(out))
                                 : machine.heap.tuple(std::move(out));
}

Result<bool> equal_dicts(Machine& machine, const Dict& a, const Dict& b, int depth) {
  if (a.items().size() != b.items().size()) return false;
  for (const auto& [key, value] : a.items()) {
    CAIRN_CHECK(machine.spend_key(key));
    const Value* other = b.find(key);
    if (other == nullptr) return false;
    CAIRN_TRY(const bool same, are_equal(machine, value, *other, depth + 1));
    if (!same) return false;
  }
  return true;
}

Result<bool> contains(Machine& machine, const Value& all, const Value& one) {
  switch (all.kind) {
    case Value::Kind::string:
      if (!one.is_text()) return no_operation(machine, "in", one, all);
      CAIRN_CHECK(machine.spend_bytes(all.text->size()));
      CAIRN_CHECK(machine.spend_bytes(one.text->size()));
      return stands_in(all.bytes(), one.bytes());
    case Value::Kind::list:
    case Value::Kind::tuple:
      for (const Value& element : all.list->items) {
        CAIRN_TRY(const bool same, are_equal(machine, element, one));
        if (same) return true;
      }
      return false;
    case Value::Kind::dict:
      if (!is_key(one) && !one.is(Value::Kind::undefined))
        return machine.fault("a " + std::string(type_name(one)) + " cannot be a key");
      CAIRN_CHECK(machine.spend_key(one));
      return all.dict->find(one) != nullptr;
    case Value::Kind::undefined:
      return false;
    default:
      return machine.fault("'in' does not go with " + std::string(type_name(all)));
  }
}

Result<std::int64_t> index_number(const Machine& machine, const Value* value,
                                  std::int64_t otherwise) {
  if (value == nullptr || value->is(Value::Kind::none)) return otherwise;
  if (value->is(Value::Kind::undefined)) return undefined_error(machine, *value);
  if (!value->is_integral()) return machine.fault("a slice needs integers");
  return value->as_integer();
}

/// `count` places from `begin` on, `step` apart.
struct Places {
  std::int64_t begin = 0;
  std::int64_t step = 1;
  std::uint64_t count = 0;
  std::size_t at(std::uint64_t number) const {
    return static_cast<std::size_t>(begin + step * static_cast<std::int64_t>(number));
  }
};

/// Python's slice.indices.
Result<Places> slice_places(Machine& machine, std::int64_t length, const Value* start,
                            const Value* stop, const Value* step_value) {
  CAIRN_TRY(const std::int64_t step, index_number(machine, step_value, 1));
  if (step == 0) return machine.fault("a slice cannot have steps of zero");
  const std::int64_t least = step > 0 ? 0 : -1;
  const std::int64_t most = step > 0 ? length : length - 1;
  const auto bounded = [&](std::int64_t at) {
    if (at < 0) at = at < -length ? least : at + length;
    return std::clamp(at, least, most);
  };
  const auto absent = [](const Value* v) { return v == nullptr || v->is(Value::Kind::none); };
  std::int64_t begin = step > 0 ? least : most;
  std::int64_t end = step > 0 ? most : least;
  if (!absent(start)) {
    CAIRN_TRY(const std::int64_t at, index_number(machine, start, 0));
    begin = bounded(at);
  }
  if (!absent(stop)) {
    CAIRN_TRY(const std::int64_t at, index_number(machine, stop, 0));
    end = bounded(at);
  }
  CAIRN_CHECK(machine.spend(1));
  const std::int64_t distance = step > 0 ? end - begin : begin - end;
  if (distance <= 0) return Places{};
  // The negative of the least number is none.
  const std::uint64_t stride =
      step > 0 ? static_cast<std::uint64_t>(step) : ~static_cast<std::uint64_t>(step) + 1;
  return Places{begin, step, (static_cast<std::uint64_t>(distance) - 1) / stride + 1};
}

Result<Value> text_slice(Machine& machine, const Text& text, const Value* start, const Value* stop,
                         const Value* step) {
  CAIRN_CHECK(machine.spend_text(text));
  const auto length = static_cast<std::int64_t>(count_characters(text.bytes()));
  CAIRN_TRY(const Places places, slice_places(machine, length, start, stop, step));
  if (places.count == 0) return text_value(Text());
  // A run of neighbours is the usual case.
  if (places.step == 1) {
    const std::size_t begin = place_of_character(text.bytes(), places.at(0));
    const std::size_t end = begin + place_of_character(text.bytes().substr(begin), places.count);
    return text_value(text.slice(begin, end));
  }
  CAIRN_CHECK(machine.spend(text.size() / 16 + places.count / 16));
  std::vector<std::uint32_t> starts;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (starts_character(text.bytes()[at])) starts.push_back(static_cast<std::uint32_t>(at));
  starts.push_back(static_cast<std::uint32_t>(text.size()));
  Text out;
  for (std::uint64_t i = 0; i < places.count; ++i)
    out.append(text, starts[places.at(i)], starts[places.at(i) + 1]);
  return text_value(std::move(out));
}

Result<Value> item_at(Machine& machine, const Value& object, std::int64_t at) {
  const bool is_text = object.is_text();
  if (is_text) CAIRN_CHECK(machine.spend_bytes(object.text->size()));
  const auto length = static_cast<std::int64_t>(is_text ? count_characters(object.bytes())
                                                        : object.list->items.size());
  if (at < 0) at += length;
  if (at < 0 || at >= length) return undefined_value(nullptr);
  if (!is_text) return object.list->items[static_cast<std::size_t>(at)];
  const std::size_t begin = place_of_character(object.bytes(), static_cast<std::size_t>(at));
  const std::size_t end = begin + place_of_character(object.bytes().substr(begin), 1);
  return text_value(object.text->slice(begin, end));
}

Result<Value> loop_attribute(Machine& machine, const Loop& loop, const TextPtr& name) {
  const auto index = static_cast<std::int64_t>(loop.index);
  const auto length = static_cast<std::int64_t>(loop.items.size());
  const std::string_view word = name->bytes();
  if (word == "index") return integer_value(index + 1);
  if (word == "index0") return integer_value(index);
  if (word == "revindex") return integer_value(length - index);
  if (word == "revindex0") return integer_value(length - index - 1);
  if (word == "first") return boolean_value(index == 0);
  if (word == "last") return boolean_value(index + 1 >= length);
  if (word == "length") return integer_value(length);
  if (word == "depth" || word == "depth0") return integer_value(word == "depth" ? 1 : 0);
  if (word == "previtem")
    return index > 0 && index <= length ? loop.items[loop.index - 1] : undefined_value(name);
  if (word == "nextitem")
    return index + 1 < length ? loop.items[loop.index + 1] : undefined_value(name);
  if (word == "cycle") {
    Value self;
    self.kind = Value::Kind::loop;
    self.loop = const_cast<Loop*>(&loop);
    return machine.heap.method(self, word);
  }
  return undefined_value(name);
}

}  // namespace

Error undefined_error(const Machine& machine, const Value& value) {
  if (value.bytes().empty()) return machine.fault("a value that is used here is undefined");
  return machine.fault("'" + shown_name(value.bytes()) + "' is undefined");
}

std::string folded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();)
    text::append_in_case(out, next_character(text, at), text::LetterCase::lower);
  return out;
}

bool is_true(const Value& value) {
  switch (value.kind) {
    case Value::Kind::undefined:
    case Value::Kind::none:
      return false;
    case Value::Kind::boolean:
      return value.boolean;
    case Value::Kind::integer:
      return value.integer != 0;
    case Value::Kind::number:
      return value.number != 0;
    case Value::Kind::string:
      return !value.text->empty();
    case Value::Kind::list:
    case Value::Kind::tuple:
      return !value.list->items.empty();
    case Value::Kind::dict:
      return !value.dict->items().empty();
    default:
      return true;
  }
}

Result<bool> are_equal(Machine& machine, const Value& a, const Value& b, int depth) {
  if (depth > most_nested_values) return machine.fault("values are nested too deep to compare");
  CAIRN_CHECK(machine.spend(1));
  if (a.is_numeric() && b.is_numeric()) {
    if (a.is_integral() && b.is_integral()) return a.as_integer() == b.as_integer();
    return a.as_double() == b.as_double();
  }
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Value::Kind::undefined:
    case Value::Kind::none:
      return true;
    case Value::Kind::string:
      if (a.text->size() == b.text->size()) CAIRN_CHECK(machine.spend_bytes(a.text->size()));
      return a.bytes() == b.bytes();
    case Value::Kind::list:
    case Value::Kind::tuple: {
      const auto& x = a.list->items;
      const auto& y = b.list->items;
      if (x.size() != y.size()) return false;
      for (std::size_t i = 0; i < x.size(); ++i) {
        CAIRN_TRY(const bool same, are_equal(machine, x[i], y[i], depth + 1));
        if (!same) return false;
      }
      return true;
    }
    case Value::Kind::dict:
      return equal_dicts(machine, *a.dict, *b.dict, depth);
    case Value::Kind::function:
      return a.bytes() == b.bytes();
    default:
      return a.dict == b.dict;  // the same object
  }
}

Result<int> compare(Machine& machine, const Value& a, const Value& b, int depth) {
  if (depth > most_nested_values) return machine.fault("values are nested too deep to compare");
  CAIRN_CHECK(machine.spend(1));
  const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : (y < x ? 1 : 0); };
  if (a.is_integral() && b.is_integral()) return order(a.as_integer(), b.as_integer());
  if (a.is_numeric() && b.is_numeric()) {
    const double x = a.as_double();
    const double y = b.as_double();
    if (std::isnan(x) || std::isnan(y)) return 2;
    return order(x, y);
  }
  if (a.is_text() && b.is_text()) {
    CAIRN_CHECK(machine.spend_bytes(std::min(a.text->size(), b.text->size())));
    return order(a.bytes(), b.bytes());  // the order of bytes is the order of characters
  }
  if (!a.is_sequence() || a.kind != b.kind) return no_operation(machine, "<", a, b);
  const auto& x = a.list->items;
  const auto& y = b.list->items;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    CAIRN_TRY(const bool same, are_equal(machine, x[i], y[i], depth + 1));
    if (!same) return compare(machine, x[i], y[i], depth + 1);
  }
  return order(x.size(), y.size());
}

Result<bool> holds(Machine& machine, std::string_view sign, const Value& a, const Value& b) {
  if (sign == "in") return contains(machine, b, a);
  if (sign == "not in") {
    CAIRN_TRY(const bool there, contains(machine, b, a));
    return !there;
  }
  if (sign == "==" || sign == "!=") {
    CAIRN_TRY(const bool same, are_equal(machine, a, b));
    return same == (sign == "==");
  }
  CAIRN_TRY(const int order, compare(machine, a, b));
  if (order == 2) return false;
  if (sign == "<") return order < 0;
  if (sign == "<=") return order <= 0;
  return sign == ">" ? order > 0 : order >= 0;
}

Result<Value> arithmetic(Machine& machine, std::string_view sign, const Value& a, const Value& b) {
  if (a.is_numeric() && b.is_numeric()) return of_numbers(machine, sign, a, b);
  const bool both_texts = a.is_text() && b.is_text();
  if (sign == "+" && (both_texts || (a.is_sequence() && a.kind == b.kind)))
    return joined(machine, a, b);
  if (sign == "*" && (a.is_text() || a.is_sequence()) && b.is_integral())
    return repeated(machine, a, b.as_integer());
  if (sign == "*" && (b.is_text() || b.is_sequence()) && a.is_integral())
    return repeated(machine, b, a.as_integer());
  return no_operation(machine, sign, a, b);
}

Result<Value> negative(Machine& machine, const Value& value) {
  if (value.is(Value::Kind::number)) return number_value(-value.number);
  if (value.is_integral()) return arithmetic(machine, "-", integer_value(0), value);
  if (value.is(Value::Kind::undefined)) return undefined_error(machine, value);
  return machine.fault("'-' does not go with " + std::string(type_name(value)));
}

Result<Value> item_of(Machine& machine, const Value& object, const Value& key) {
  CAIRN_CHECK(machine.spend(1));
  if (object.is(Value::Kind::undefined)) return undefined_error(machine, object);
  CAIRN_CHECK(machine.spend_key(key));
  if (object.is(Value::Kind::dict)) {
    if (const Value* found = object.dict->find(key)) return *found;
  } else if ((object.is_sequence() || object.is_text()) && key.is_integral()) {
    return item_at(machine, object, key.as_integer());
  }
  if (key.is_text()) return attribute_of(machine, object, key.text);
  return undefined_value(nullptr);
}

Result<Value> attribute_of(Machine& machine, const Value& object, const TextPtr& name) {
  CAIRN_CHECK(machine.spend(1));
  if (object.is(Value::Kind::undefined)) return undefined_error(machine, object);
  if (object.is(Value::Kind::loop)) return loop_attribute(machine, *object.loop, name);
  if (has_method(object, name->bytes())) return machine.heap.method(object, name->bytes());
  if (object.is(Value::Kind::dict) || object.is(Value::Kind::name_space)) {
    if (const Value* found = object.dict->find(name->bytes())) return *found;
  }
  return undefined_value(name);
}

Result<Value> slice_of(Machine& machine, const Value& object, const Value* start, const Value* stop,
                       const Value* step) {
  if (object.is(Value::Kind::undefined)) return undefined_error(machine, object);
  if (object.is_text()) return text_slice(machine, *object.text, start, stop, step);
  if (!object.is_sequence())
    return machine.fault("a value of type " + std::string(type_name(object)) + " has no slices");
  const auto& items = object.list->items;
  CAIRN_TRY(const Places places,
            slice_places(machine, static_cast<std::int64_t>(items.size()), start, stop, step));
  CAIRN_CHECK(machine.spend(places.count));
  std::vector<Value> out;
  for (std::uint64_t i = 0; i < places.count; ++i) out.push_back(items[places.at(i)]);
  return object.is(Value::Kind::list) ? machine.heap.list(std::move(out))
                                      : machine.heap.tuple(std::move(out));
}

Result<std::vector<Value>> elements_of(Machine& machine, const Value& value) {
  std::vector<Value> out;
  switch (value.kind) {
    case Value::Kind::undefined:
      return out;
    case Value::Kind::list:
    case Value::Kind::tuple:
      CAIRN_CHECK(machine.spend(value.list->items.size()));
      return value.list->items;
    case Value::Kind::dict:
      CAIRN_CHECK(machine.spend(value.dict->items().size()));
      for (const auto& item : value.dict->items()) out.push_back(item.first);
      return out;
    case Value::Kind::string: {
      const std::string_view bytes = value.bytes();
      CAIRN_CHECK(machine.spend(2 * count_characters(bytes)));
      for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t begin = at;
        next_character(bytes, at);
        out.push_back(text_value(value.text->slice(begin, at)));
      }
      return out;
    }
    default:
      return machine.fault("a value of type " + std::string(type_name(value)) +
                           " has no elements to go through");
  }
}

Result<std::int64_t> length_of(const Machine& machine, const Value& value) {
  switch (value.kind) {
    case Value::Kind::undefined:
      return 0;
    case Value::Kind::string:
      return static_cast<std::int64_t>(count_characters(value.bytes()));
    case Value::Kind::list:
    case Value::Kind::tuple:
      return static_cast<std::int64_t>(value.list->items.size());
    case Value::Kind::dict:
      return static_cast<std::int64_t>(value.dict->items().size());
    case Value::Kind::loop:
      return static_cast<std::int64_t>(value.loop->items.size());
    default:
      return machine.fault("a value of type " + std::string(type_name(value)) + " has no length");
  }
}

Result<Value> replaced(Machine& machine, const Text& text, std::string_view old, const Text& fresh,
                       std::int64_t most) {
  CAIRN_CHECK(machine.spend_text(text));
  CAIRN_CHECK(machine.spend_bytes(old.size()));
  const std::string_view bytes = text.bytes();
  Occurrences places(bytes, old);
  Text out;
  std::size_t done = 0;
  // An empty string stands before each character, and behind the last.
  for (std::size_t at = 0; most != 0; --most) {
    if (!old.empty()) at = places.next();
    if (at == std::string_view::npos) break;
    out.append(text, done, at);
    CAIRN_CHECK(machine.spend_text(fresh));
    out.append(fresh);
    CAIRN_CHECK(machine.keep_within(out));
    done = at + old.size();
    if (!old.empty()) continue;
    if (at == bytes.size()) break;
    next_character(bytes, at);
  }
  out.append(text, done, text.size());
  return text_value(std::move(out));
}

}  // namespace cairn::inference::templates
