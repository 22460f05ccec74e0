// SPDX-License-Identifier: Apache-2.0
// Schedules: six or seven fields as in Quartz (seconds minutes hours day-of-month month day-of-week
// [year]), UTC.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::connectors {

class Cron {
 public:
  /// Errors: invalid_argument that names the field at fault.
  static Result<Cron> parse(std::string_view text);
  /// The first moment after `unix_ms`, to the second; nothing within ten years.
  std::optional<std::int64_t> next_after_ms(std::int64_t unix_ms) const;

 private:
  bool day_matches(int year, unsigned month, unsigned day) const;
  std::bitset<60> seconds_, minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;      // 1..31
  std::bitset<13> months_;    // 1..12
  std::bitset<8> weekdays_;   // 1 = Sunday .. 7
  bool any_day_ = false;      // day-of-month was ?
  bool any_weekday_ = false;  // day-of-week was ?
  bool last_day_ = false;     // L in day-of-month
  std::optional<std::pair<int, int>> years_;
};

}  // namespace cairn::connectors
