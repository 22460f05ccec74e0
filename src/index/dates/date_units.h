// SPDX-License-Identifier: Apache-2.0
// How long the units of dates are that are always as long.
#pragma once

#include <chrono>
#include <cstdint>

namespace cairn::index {

inline constexpr std::int64_t second_ms = 1000;
inline constexpr std::int64_t minute_ms = 60 * second_ms;
inline constexpr std::int64_t hour_ms = 60 * minute_ms;
inline constexpr std::int64_t day_ms = 24 * hour_ms;

/// The beginning of a day, since 1970.
inline std::int64_t days_ms(std::int64_t year, unsigned month, unsigned day) {
  const std::chrono::sys_days days =
      std::chrono::year(static_cast<int>(year)) / static_cast<int>(month) / static_cast<int>(day);
  return static_cast<std::int64_t>(days.time_since_epoch().count()) * day_ms;
}

}  // namespace cairn::index
