// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/cron.h"

#include <array>
#include <chrono>
#include <vector>

#include "base/strings.h"

namespace cairn::connectors {
namespace {

struct FieldKind {
  std::string_view name;
  int first, last;
  std::vector<std::string_view> names = {};  // for the values first, first + 1, ...
};

const FieldKind& kind_of(std::size_t field) {
  static const std::array<FieldKind, 7> kinds = {{
      {"seconds", 0, 59},
      {"minutes", 0, 59},
      {"hours", 0, 23},
      {"day of month", 1, 31},
      {"month", 1, 12,
       {"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}},
      {"day of week", 1, 7, {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}},
      {"year", 1970, 2199},
  }};
  return kinds[field];
}

Error bad_field(std::string_view text, const FieldKind& kind) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "illegal_argument_exception",
          .message = "[" + std::string(text) + "] is no valid " + std::string(kind.name) +
                     " of a cron expression (" + std::to_string(kind.first) + " to " +
                     std::to_string(kind.last) + ", *, lists, ranges, steps)"};
}

std::optional<int> value_of(std::string_view text, const FieldKind& kind) {
  for (std::size_t i = 0; i < kind.names.size(); ++i)
    if (equals_ignore_case(text, kind.names[i])) return kind.first + static_cast<int>(i);
  const auto number = parse_number<int>(text);
  if (!number || *number < kind.first || *number > kind.last) return std::nullopt;
  return number;
}

/// The values of one comma-separated field.
Result<std::vector<int>> values_of(std::string_view field, const FieldKind& kind) {
  std::vector<int> out;
  for (const std::string_view piece : split(field, ',')) {
    const auto slash = piece.find('/');
    int step = 1;
    if (slash != std::string_view::npos) {
      const auto parsed = parse_number<int>(piece.substr(slash + 1));
      if (!parsed || *parsed < 1) return bad_field(piece, kind);
      step = *parsed;
    }
    const std::string_view range = piece.substr(0, slash);
    const auto dash = range.find('-');
    int first = kind.first, last = kind.last;
    if (range != "*" && range != "?") {
      const auto low = value_of(range.substr(0, dash), kind);
      const auto high = dash == std::string_view::npos ? low : value_of(range.substr(dash + 1), kind);
      if (!low || !high || *low > *high) return bad_field(piece, kind);
      first = *low;
      last = dash == std::string_view::npos && slash != std::string_view::npos ? kind.last : *high;
    }
    for (int v = first; v <= last; v += step) out.push_back(v);
  }
  return out;
}

template <std::size_t n>
Status fill(std::bitset<n>& set, std::string_view field, std::size_t position) {
  CAIRN_TRY(const auto values, values_of(field, kind_of(position)));
  for (const int v : values) set.set(static_cast<std::size_t>(v));
  return ok_status();
}

}  // namespace

Result<Cron> Cron::parse(std::string_view text) {
  std::vector<std::string_view> fields;
  for (const auto piece : split(text, ' '))
    if (!trim(piece).empty()) fields.push_back(trim(piece));
  if (fields.size() != 6 && fields.size() != 7)
    return Error{.kind = ErrorKind::invalid_argument,
                 .code = "illegal_argument_exception",
                 .message = "[" + std::string(text) +
                            "] is no cron expression: six or seven fields are needed (seconds "
                            "minutes hours day-of-month month day-of-week [year])"};
  Cron cron;
  CAIRN_CHECK(fill(cron.seconds_, fields[0], 0));
  CAIRN_CHECK(fill(cron.minutes_, fields[1], 1));
  CAIRN_CHECK(fill(cron.hours_, fields[2], 2));
  cron.any_day_ = fields[3] == "?";
  cron.last_day_ = fields[3] == "L" || fields[3] == "l";
  if (!cron.last_day_) CAIRN_CHECK(fill(cron.days_, fields[3], 3));
  CAIRN_CHECK(fill(cron.months_, fields[4], 4));
  cron.any_weekday_ = fields[5] == "?";
  CAIRN_CHECK(fill(cron.weekdays_, fields[5], 5));
  if (fields.size() == 7) {
    CAIRN_TRY(const auto years, values_of(fields[6], kind_of(6)));
    cron.years_ = std::pair(years.front(), years.back());
  }
  return cron;
}

bool Cron::day_matches(int year, unsigned month, unsigned day) const {
  using namespace std::chrono;
  const auto weekday_number = weekday(sys_days(std::chrono::year(year) / month / day)).c_encoding();
  const bool by_week = any_weekday_ || weekdays_.test(weekday_number + 1);
  if (last_day_) {
    const auto last = (std::chrono::year(year) / month / std::chrono::last).day();
    return by_week && day == static_cast<unsigned>(last);
  }
  return by_week && (any_day_ || days_.test(day));
}

std::optional<std::int64_t> Cron::next_after_ms(std::int64_t unix_ms) const {
  using namespace std::chrono;
  const std::int64_t start = unix_ms / 1000 + 1;
  auto day = floor<days>(sys_seconds(seconds(start)));
  std::int64_t second_of_day = start - duration_cast<seconds>(day.time_since_epoch()).count();
  for (int i = 0; i < 3660; ++i, day += days(1), second_of_day = 0) {
    const year_month_day date(day);
    const int year_number = static_cast<int>(date.year());
    if (years_ && (year_number < years_->first || year_number > years_->second)) continue;
    const auto month_number = static_cast<unsigned>(date.month());
    if (!months_.test(month_number)) continue;
    if (!day_matches(year_number, month_number, static_cast<unsigned>(date.day()))) continue;
    for (std::int64_t s = second_of_day; s < 86'400; ++s) {
      const auto hour = static_cast<std::size_t>(s / 3600);
      if (!hours_.test(hour)) { s = static_cast<std::int64_t>(hour + 1) * 3600 - 1; continue; }
      const auto minute = static_cast<std::size_t>(s / 60 % 60);
      if (!minutes_.test(minute)) { s = (s / 60 + 1) * 60 - 1; continue; }
      if (!seconds_.test(static_cast<std::size_t>(s % 60))) continue;
      return (duration_cast<seconds>(day.time_since_epoch()).count() + s) * 1000;
    }
  }
  return std::nullopt;
}

}  // namespace cairn::connectors
