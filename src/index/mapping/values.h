// SPDX-License-Identifier: Apache-2.0
// Single values: what a field makes of a JSON scalar or a vector.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"

namespace cairn::index {

/// The column value of a JSON scalar in a field of numbers, dates or booleans; `double_key` for
/// floating ones. Errors: number_format_exception and illegal_argument_exception.
Result<std::int64_t> column_value(const Field& field, const Json& value);
/// What a document keeps of it: of a token_count the number of words, else column_value().
Result<std::int64_t> document_number(const Field& field, const Json& value);
/// The term of a JSON scalar in a keyword or boolean field. Errors: illegal_argument_exception.
Result<std::string> exact_term(const Field& field, const Json& value);

/// Doubles as whole numbers that order alike, and back.
inline std::int64_t double_key(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value == 0 ? 0.0 : value);
  return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
}
inline double key_double(std::int64_t key) {
  return std::bit_cast<double>(key < 0 ? key ^ std::numeric_limits<std::int64_t>::max() : key);
}

/// What a floating field keeps of a number: rounded to float, to half precision, or to a multiple
/// of 1 / scaling_factor.
double rounded(const Field& field, double value);
/// The multiple of 1 / scaling_factor from which values are above `bound` (or at it, unless
/// `is_strict`); not `is_lower`: up to which they are below it.
double scaled_bound(const Field& field, double bound, bool is_lower, bool is_strict);

/// Checks a vector against its field and makes it what the index keeps (unit length for cosine).
/// Errors: illegal_argument_exception with the platform's texts.
Result<std::vector<float>> checked_vector(const Field& field, std::vector<float> vector);

}  // namespace cairn::index
