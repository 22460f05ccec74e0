// SPDX-License-Identifier: Apache-2.0
// Patterns that say how a number is written: "0.00", "#,##0.#", "0%".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::index {

/// The part of the platform's decimal patterns that is in use: digits that are always (0) or only
/// where they count (#) shown, groups (,), a point, a percent sign, and text around them. Rounds
/// half to even.
class NumberFormat {
 public:
  /// Errors: illegal_argument_exception, `Invalid format: [x]: ...`; exponents, quotes and second
  /// patterns for negative numbers are among what is not offered.
  static Result<NumberFormat> parse(std::string_view pattern);

  std::string write(double value) const;
  std::string write(std::int64_t value) const;

 private:
  std::string shown(bool negative, std::string whole, std::string fraction) const;

  std::string before_, behind_;
  std::size_t least_whole_ = 0;
  std::size_t least_fraction_ = 0;
  std::size_t most_fraction_ = 0;
  std::size_t group_ = 0;  // digits of a group; 0: none
  bool percent_ = false;
};

}  // namespace cairn::index
