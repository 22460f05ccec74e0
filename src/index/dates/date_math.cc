// SPDX-License-Identifier: Apache-2.0
// Dates that are counted on from others, and the units that they are counted and rounded in.
#include <algorithm>
#include <chrono>

#include "index/dates/date_units.h"
#include "index/dates/dates.h"

namespace cairn::index {
namespace {

// A hundred million years: what is counted on from there does not overflow.
constexpr std::int64_t farthest_ms = 4'000'000'000'000'000'000;

std::optional<DateUnit> math_unit(char c) {
  switch (c) {
    case 'y':
      return DateUnit::year;
    case 'M':
      return DateUnit::month;
    case 'w':
      return DateUnit::week;
    case 'd':
      return DateUnit::day;
    case 'h':
    case 'H':
      return DateUnit::hour;
    case 'm':
      return DateUnit::minute;
    case 's':
      return DateUnit::second;
    default:
      return std::nullopt;
  }
}

Error bad_math(std::string_view text) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "parse_exception",
          .message = "operator not supported for date math [" + std::string(text) + "]"};
}

/// Days and more are counted by local clocks, hours and less by what passes.
std::int64_t add_in_zone(std::int64_t ms, DateUnit unit, std::int64_t count,
                         const text::TimeZone& zone) {
  if (unit >= DateUnit::hour) return add_dates(ms, unit, count);
  return zone.utc_of(add_dates(zone.local_of(ms), unit, count));
}

std::int64_t round_in_zone(std::int64_t ms, DateUnit unit, const text::TimeZone& zone,
                           bool round_up) {
  const std::int64_t local = floor_date(zone.local_of(ms), unit);
  return round_up ? zone.first_utc_of(add_dates(local, unit, 1)) - 1 : zone.first_utc_of(local);
}

Result<std::int64_t> apply_math(std::int64_t ms, std::string_view math, const text::TimeZone& zone,
                                bool round_up) {
  ms = std::clamp(ms, -farthest_ms, farthest_ms);
  for (std::size_t at = 0; at < math.size();) {
    const char op = math[at++];
    if (op != '+' && op != '-' && op != '/') return bad_math(math);
    std::int64_t count = 0;
    const std::size_t digits = at;
    while (at < math.size() && math[at] >= '0' && math[at] <= '9' && at - digits < 9)
      count = count * 10 + (math[at++] - '0');
    if (at == digits) count = 1;
    if (at == math.size()) return bad_math(math);
    const auto unit = math_unit(math[at++]);
    if (!unit || (op == '/' && count != 1)) return bad_math(math);
    ms = op == '/' ? round_in_zone(ms, *unit, zone, round_up)
                   : add_in_zone(ms, *unit, op == '+' ? count : -count, zone);
    ms = std::clamp(ms, -farthest_ms, farthest_ms);
  }
  return ms;
}

}  // namespace

Result<std::int64_t> resolve_date(const Json& value, const DateFormat& format, std::int64_t now_ms,
                                  const text::TimeZone& zone, bool round_up) {
  const std::string text = value.is_string() ? value.as_string() : value.dump();
  if (text.starts_with("now"))
    return apply_math(now_ms, std::string_view(text).substr(3), zone, round_up);
  const auto bars = text.find("||");
  const std::string_view date = std::string_view(text).substr(0, bars);
  // Math counts on from the beginning of what the date says.
  const bool has_math = bars != std::string::npos;
  const auto ms = format.read(date, zone, round_up && !has_math);
  if (!ms)
    return Error{.kind = ErrorKind::invalid_argument,
                 .code = "parse_exception",
                 .message = "failed to parse date field [" + text + "] with the field's format"};
  if (!has_math) return *ms;
  return apply_math(*ms, std::string_view(text).substr(bars + 2), zone, round_up);
}

std::int64_t floor_date(std::int64_t ms, DateUnit unit) {
  const auto floor_to = [&](std::int64_t step) {
    const std::int64_t rest = ms % step;
    return ms - (rest < 0 ? rest + step : rest);
  };
  switch (unit) {
    case DateUnit::second:
      return floor_to(second_ms);
    case DateUnit::minute:
      return floor_to(minute_ms);
    case DateUnit::hour:
      return floor_to(hour_ms);
    case DateUnit::day:
      return floor_to(day_ms);
    case DateUnit::week: {
      // 1970-01-01 was a Thursday: Mondays are four days further (or three back).
      const std::int64_t shift = 4 * day_ms;
      const std::int64_t rest = (ms - shift) % (7 * day_ms);
      return ms - (rest < 0 ? rest + 7 * day_ms : rest);
    }
    default:
      break;
  }
  // The calendar of the library ends 30,000 years from here.
  const std::int64_t day =
      std::clamp<std::int64_t>(floor_to(day_ms) / day_ms, -10'900'000, 10'900'000);
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  unsigned month = static_cast<unsigned>(date.month());
  if (unit == DateUnit::year) month = 1;
  if (unit == DateUnit::quarter) month = (month - 1) / 3 * 3 + 1;
  return days_ms(static_cast<int>(date.year()), month, 1);
}

std::int64_t add_dates(std::int64_t ms, DateUnit unit, std::int64_t count) {
  switch (unit) {
    case DateUnit::second:
      return ms + count * second_ms;
    case DateUnit::minute:
      return ms + count * minute_ms;
    case DateUnit::hour:
      return ms + count * hour_ms;
    case DateUnit::day:
      return ms + count * day_ms;
    case DateUnit::week:
      return ms + count * 7 * day_ms;
    default:
      break;
  }
  const std::int64_t per = unit == DateUnit::year ? 12 : unit == DateUnit::quarter ? 3 : 1;
  const std::int64_t start = std::clamp<std::int64_t>(floor_date(ms, DateUnit::day),
                                                      -5'000'000 * day_ms, 5'000'000 * day_ms);
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{start / day_ms}}};
  const std::int64_t limit = 12 * 10'000;  // more years than any calendar needs
  const std::int64_t by = std::clamp(count * per, -limit, limit);
  auto moved = date + std::chrono::months(by);
  if (!moved.ok()) moved = moved.year() / moved.month() / std::chrono::last;
  return static_cast<std::int64_t>(std::chrono::sys_days{moved}.time_since_epoch().count()) *
             day_ms +
         (ms - start);
}

std::optional<DateUnit> calendar_unit(std::string_view text) {
  static constexpr std::pair<std::string_view, DateUnit> units[] = {
      {"second", DateUnit::second},   {"1s", DateUnit::second},   {"minute", DateUnit::minute},
      {"1m", DateUnit::minute},       {"hour", DateUnit::hour},   {"1h", DateUnit::hour},
      {"day", DateUnit::day},         {"1d", DateUnit::day},      {"week", DateUnit::week},
      {"1w", DateUnit::week},         {"month", DateUnit::month}, {"1M", DateUnit::month},
      {"quarter", DateUnit::quarter}, {"1q", DateUnit::quarter},  {"year", DateUnit::year},
      {"1y", DateUnit::year}};
  for (const auto& [name, unit] : units)
    if (name == text) return unit;
  return std::nullopt;
}

}  // namespace cairn::index
