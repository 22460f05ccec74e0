// SPDX-License-Identifier: Apache-2.0
// Arithmetic as scripts have it: whole numbers wrap around, and types are promoted.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "script/value.h"

namespace cairn::script {

inline std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_sub(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
/// `b` is not 0. The least number by -1 is itself.
inline std::int64_t whole_quotient(std::int64_t a, std::int64_t b) {
  return b == -1 ? wrapping_sub(0, a) : a / b;
}
inline std::int64_t whole_rest(std::int64_t a, std::int64_t b) { return b == -1 ? 0 : a % b; }

inline std::int64_t as_int(std::int64_t v) { return static_cast<std::int32_t>(v); }
inline double as_float(double v) { return static_cast<double>(static_cast<float>(v)); }

/// Of a real number: cut off, and the nearest that there is; none for what is no number.
template <class Whole>
std::int64_t whole_of(double v) {
  if (std::isnan(v)) return 0;
  // The greatest long is no double; the next one above it is.
  if (v >= static_cast<double>(std::numeric_limits<Whole>::max()))
    return std::numeric_limits<Whole>::max();
  if (v <= static_cast<double>(std::numeric_limits<Whole>::min()))
    return std::numeric_limits<Whole>::min();
  return static_cast<Whole>(v);
}

/// The type that two numbers are calculated in.
constexpr Type promoted(Type a, Type b) { return a > b ? a : b; }

/// A number as another type of number, as casts have it.
inline Value cast_number(const Value& v, Type to) {
  switch (to) {
    case Type::int_:
      return Value::whole_of(to, is_whole(v.type) ? as_int(v.whole) : whole_of<std::int32_t>(v.real));
    case Type::long_:
      return Value::whole_of(to, is_whole(v.type) ? v.whole : whole_of<std::int64_t>(v.real));
    case Type::float_:
      if (is_whole(v.type))  // at once: by way of a double it would be rounded twice
        return Value::real_of(to, static_cast<double>(static_cast<float>(v.whole)));
      return Value::real_of(to, as_float(v.real));
    default:
      return Value::real_of(to, v.as_double());
  }
}

}  // namespace cairn::script
