// SPDX-License-Identifier: Apache-2.0
// What values of all types have, and the methods of numbers and booleans.
#include <array>
#include <bit>
#include <cmath>

#include "script/arithmetic.h"
#include "script/method_help.h"
#include "script/utf16.h"

namespace cairn::script {
namespace {
namespace boxes {

std::uint32_t hash_of_wide(std::uint64_t bits) {
  return static_cast<std::uint32_t>(bits ^ (bits >> 32));
}

std::uint32_t hash_of_text(std::string_view text) {
  std::uint32_t out = 0;
  for (const char16_t unit : to_utf16(text)) out = out * 31 + unit;
  return out;
}

// As the language defines it for lists, texts and boxes.
bool hash_of(Run& run, const Value& value, std::uint32_t& out, std::size_t depth) {
  constexpr std::size_t deepest = 50;
  if (depth > deepest)
    return run.fail("circuit_breaking_exception", "lists are too deep for [hashCode]");
  switch (value.type) {
    case Type::null:
      out = 0;
      return true;
    case Type::boolean:
      out = value.whole != 0 ? 1231 : 1237;
      return true;
    case Type::int_:
      out = static_cast<std::uint32_t>(value.whole);
      return true;
    case Type::float_:
      out = std::bit_cast<std::uint32_t>(static_cast<float>(value.real));
      return true;
    case Type::double_:
      out = hash_of_wide(std::bit_cast<std::uint64_t>(std::isnan(value.real) ? std::nan("") : value.real));
      return true;
    case Type::string:
      out = hash_of_text(text_of(value));
      return run.work(text_of(value).size());
    case Type::list: {
      std::uint32_t made = 1;
      for (const Value& item : items_of(value)) {
        std::uint32_t one = 0;
        if (!hash_of(run, item, one, depth + 1)) return false;
        made = made * 31 + one;
      }
      out = made;
      return run.work(items_of(value).size());
    }
    case Type::long_:
      out = hash_of_wide(static_cast<std::uint64_t>(value.whole));
      return true;
    default:
      return run.fail("illegal_argument_exception",
                      "dynamic method [" + std::string(class_of(value.type)) + ", hashCode/0] not found");
  }
}

template <Type to>
bool to_number(Run&, Value* self) {
  return give(self, cast_number(*self, to));
}

bool is_nan(Run&, Value* self) { return give(self, Value::of(std::isnan(self->real))); }
bool is_infinite(Run&, Value* self) { return give(self, Value::of(std::isinf(self->real))); }
bool same(Run&, Value*) { return true; }

#define CAIRN_NUMBER_METHODS(type)                                             \
  Method{type, "intValue", 0, Type::int_, &boxes::to_number<Type::int_>},             \
      Method{type, "longValue", 0, Type::long_, &boxes::to_number<Type::long_>},      \
      Method{type, "floatValue", 0, Type::float_, &boxes::to_number<Type::float_>},   \
      Method{type, "doubleValue", 0, Type::double_, &boxes::to_number<Type::double_>}, \
      Method{type, "compareTo", 1, Type::int_, &method_compare_to}
#define CAIRN_COMMON_METHODS(type)                                    \
  Method{type, "toString", 0, Type::string, &method_to_string},       \
      Method{type, "equals", 1, Type::boolean, &method_equals},       \
      Method{type, "hashCode", 0, Type::int_, &method_hash_code}

}  // namespace boxes
}  // namespace

bool method_to_string(Run& run, Value* self) {
  std::string text;
  if (!append_text(run, *self, text)) return false;
  return give(self, run.heap().text(std::move(text)));
}

bool method_equals(Run& run, Value* self) {
  return give(self, Value::of(are_same(run, self[0], self[1])));
}

bool method_hash_code(Run& run, Value* self) {
  std::uint32_t made = 0;
  return boxes::hash_of(run, *self, made, 0) && give(self, Value::of(static_cast<std::int32_t>(made)));
}

bool method_compare_to(Run& run, Value* self) {
  int order = 0;
  if (self[0].type != self[1].type && !wants(run, self[1], self[0].type)) return false;
  return order_of(run, self[0], self[1], order) && give(self, Value::of(std::int32_t{order}));
}

std::span<const Method> number_methods() {
  static constexpr std::array table = {
      CAIRN_NUMBER_METHODS(Type::int_),
      CAIRN_NUMBER_METHODS(Type::long_),
      CAIRN_NUMBER_METHODS(Type::float_),
      CAIRN_NUMBER_METHODS(Type::double_),
      CAIRN_COMMON_METHODS(Type::int_),
      CAIRN_COMMON_METHODS(Type::long_),
      CAIRN_COMMON_METHODS(Type::float_),
      CAIRN_COMMON_METHODS(Type::double_),
      CAIRN_COMMON_METHODS(Type::boolean),
      CAIRN_COMMON_METHODS(Type::string),
      CAIRN_COMMON_METHODS(Type::list),
      Method{Type::map, "toString", 0, Type::string, &method_to_string},
      Method{Type::map, "equals", 1, Type::boolean, &method_equals},
      Method{Type::date, "toString", 0, Type::string, &method_to_string},
      Method{Type::date, "equals", 1, Type::boolean, &method_equals},
      Method{Type::date, "compareTo", 1, Type::int_, &method_compare_to},
      Method{Type::instant, "toString", 0, Type::string, &method_to_string},
      Method{Type::instant, "equals", 1, Type::boolean, &method_equals},
      Method{Type::weekday, "toString", 0, Type::string, &method_to_string},
      Method{Type::boolean, "booleanValue", 0, Type::boolean, &boxes::same},
      Method{Type::boolean, "compareTo", 1, Type::int_, &method_compare_to},
      Method{Type::double_, "isNaN", 0, Type::boolean, &boxes::is_nan},
      Method{Type::double_, "isInfinite", 0, Type::boolean, &boxes::is_infinite},
      Method{Type::float_, "isNaN", 0, Type::boolean, &boxes::is_nan},
      Method{Type::float_, "isInfinite", 0, Type::boolean, &boxes::is_infinite}};
  return table;
}

#undef CAIRN_NUMBER_METHODS
#undef CAIRN_COMMON_METHODS

}  // namespace cairn::script
