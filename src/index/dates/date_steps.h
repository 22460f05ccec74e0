// SPDX-License-Identifier: Apache-2.0
// Where the buckets of a date histogram begin, by the clocks of a time zone.
#pragma once

#include <cstdint>

#include "index/dates/dates.h"
#include "text/time_zone.h"

namespace cairn::index {

/// Steps of a fixed length, or of units of the calendar. In a zone whose clocks change a day may
/// have 23 hours, and an hour that comes twice is two buckets.
struct DateSteps {
  std::int64_t fixed_ms = 0;  // 0: by the calendar
  DateUnit unit = DateUnit::day;
  std::int64_t shift_ms = 0;  // all begin so much later
  text::TimeZone zone = {};

  /// The start of the step that a moment is in.
  std::int64_t key(std::int64_t ms) const { return round(ms - shift_ms) + shift_ms; }
  /// The start of the step after the one that starts at `at`.
  std::int64_t next(std::int64_t at) const;

 private:
  std::int64_t floor(std::int64_t local_ms) const;
  std::int64_t round(std::int64_t ms) const;
};

}  // namespace cairn::index
