// SPDX-License-Identifier: Apache-2.0
#include "index/dates/date_steps.h"

#include <algorithm>

namespace cairn::index {

std::int64_t DateSteps::floor(std::int64_t local_ms) const {
  if (fixed_ms == 0) return floor_date(local_ms, unit);
  const std::int64_t rest = local_ms % fixed_ms;
  return local_ms - (rest < 0 ? rest + fixed_ms : rest);
}

std::int64_t DateSteps::round(std::int64_t ms) const {
  if (fixed_ms == 0 && unit < DateUnit::hour) return zone.first_utc_of(floor(zone.local_of(ms)));
  for (;;) {
    const std::int64_t offset = zone.offset_ms(ms);
    const std::int64_t local = floor(ms + offset);
    if (zone.offset_ms(local - offset) == offset) return local - offset;
    const auto change = zone.change_before(ms);
    if (!change || local - offset >= *change) return local - offset;
    // The clocks changed since the step began. One that began in what they skip begins with the
    // change; else it is the step of the moment before it.
    if (local >= zone.local_of(*change - 1) + 1) return *change;
    ms = *change - 1;
  }
}

std::int64_t DateSteps::next(std::int64_t at) const {
  at -= shift_ms;
  std::int64_t out = 0;
  if (fixed_ms > 0) {
    out = zone.utc_of(zone.local_of(at) + fixed_ms);
    if (out <= at) out = at + fixed_ms;
  } else if (unit < DateUnit::hour) {
    out = zone.first_utc_of(add_dates(floor(zone.local_of(at)), unit, 1));
  } else {
    out = std::max(round(add_dates(at, unit, 1)), at);
    if (out == at) out = add_dates(at, unit, 1);
  }
  return out + shift_ms;
}

}  // namespace cairn::index
