// SPDX-License-Identifier: Apache-2.0
// The methods of dates (in UTC), of instants and of days of the week.
#include <array>
#include <chrono>

#include "script/arithmetic.h"
#include "script/method_help.h"

namespace cairn::script {
namespace {
namespace days {

constexpr std::int64_t second_ms = 1'000, minute_ms = 60'000, hour_ms = 3'600'000, day_ms = 86'400'000;

std::chrono::sys_days day_of(std::int64_t ms) {
  return std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(ms)));
}

std::chrono::year_month_day civil(std::int64_t ms) { return {day_of(ms)}; }

/// Milliseconds since midnight.
std::int64_t time_of(std::int64_t ms) {
  const std::int64_t rest = ms % day_ms;
  return rest < 0 ? rest + day_ms : rest;
}

bool give_int(Value* self, std::int64_t v) { return give(self, Value::whole_of(Type::int_, v)); }
bool year(Run&, Value* self) { return give_int(self, static_cast<int>(civil(self->whole).year())); }
bool month(Run&, Value* self) {
  return give_int(self, static_cast<unsigned>(civil(self->whole).month()));
}
bool day(Run&, Value* self) { return give_int(self, static_cast<unsigned>(civil(self->whole).day())); }
bool day_of_year(Run&, Value* self) {
  const auto first = std::chrono::sys_days(civil(self->whole).year() / std::chrono::January / 1);
  return give_int(self, (day_of(self->whole) - first).count() + 1);
}
bool hour(Run&, Value* self) { return give_int(self, time_of(self->whole) / hour_ms); }
bool minute(Run&, Value* self) { return give_int(self, time_of(self->whole) / minute_ms % 60); }
bool second(Run&, Value* self) { return give_int(self, time_of(self->whole) / second_ms % 60); }
bool nano(Run&, Value* self) { return give_int(self, time_of(self->whole) % second_ms * 1'000'000); }
bool millis(Run&, Value* self) { return give(self, Value::of(self->whole)); }
bool epoch_second(Run&, Value* self) {
  const std::int64_t ms = self->whole;
  return give(self, Value::of(ms >= 0 ? ms / second_ms : -((-(ms + 1)) / second_ms) - 1));
}
bool to_instant(Run&, Value* self) { return give(self, Value::whole_of(Type::instant, self->whole)); }
bool weekday(Run&, Value* self) {
  const std::chrono::weekday made(day_of(self->whole));
  return give(self, Value::whole_of(Type::weekday, made.iso_encoding()));
}
bool weekday_number(Run&, Value* self) { return give_int(self, self->whole); }

bool is_date(Run& run, Value* self) { return wants(run, self[1], self[0].type); }
bool is_before(Run& run, Value* self) {
  return is_date(run, self) && give(self, Value::of(self[0].whole < self[1].whole));
}
bool is_after(Run& run, Value* self) {
  return is_date(run, self) && give(self, Value::of(self[0].whole > self[1].whole));
}
bool is_equal(Run& run, Value* self) {
  return is_date(run, self) && give(self, Value::of(self[0].whole == self[1].whole));
}

template <std::int64_t unit>
bool plus(Run& run, Value* self) {
  if (!is_whole(self[1].type)) return wants(run, self[1], Type::long_);
  // Dates end long before numbers do.
  constexpr std::int64_t most = 8'640'000'000'000'000;
  std::int64_t by = 0, out = 0;
  if (__builtin_mul_overflow(self[1].whole, unit, &by) ||
      __builtin_add_overflow(self[0].whole, by, &out) || out > most || out < -most)
    return run.fail("date_time_exception", "the date is out of range");
  return give(self, Value::whole_of(Type::date, out));
}

}  // namespace days
}  // namespace

std::span<const Method> date_methods() {
  constexpr Type of = Type::date;
  static constexpr std::array table = {
      Method{of, "getYear", 0, Type::int_, &days::year},
      Method{of, "getMonthValue", 0, Type::int_, &days::month},
      Method{of, "getDayOfMonth", 0, Type::int_, &days::day},
      Method{of, "getDayOfYear", 0, Type::int_, &days::day_of_year},
      Method{of, "getDayOfWeek", 0, Type::weekday, &days::weekday},
      Method{of, "getDayOfWeekEnum", 0, Type::weekday, &days::weekday},
      Method{of, "getHour", 0, Type::int_, &days::hour},
      Method{of, "getMinute", 0, Type::int_, &days::minute},
      Method{of, "getSecond", 0, Type::int_, &days::second},
      Method{of, "getNano", 0, Type::int_, &days::nano},
      Method{of, "getMillis", 0, Type::long_, &days::millis},
      Method{of, "toInstant", 0, Type::instant, &days::to_instant},
      Method{of, "toEpochSecond", 0, Type::long_, &days::epoch_second},
      Method{of, "isBefore", 1, Type::boolean, &days::is_before},
      Method{of, "isAfter", 1, Type::boolean, &days::is_after},
      Method{of, "isEqual", 1, Type::boolean, &days::is_equal},
      Method{of, "plusWeeks", 1, of, &days::plus<7 * days::day_ms>},
      Method{of, "plusDays", 1, of, &days::plus<days::day_ms>},
      Method{of, "plusHours", 1, of, &days::plus<days::hour_ms>},
      Method{of, "plusMinutes", 1, of, &days::plus<days::minute_ms>},
      Method{of, "plusSeconds", 1, of, &days::plus<days::second_ms>},
      Method{of, "minusWeeks", 1, of, &days::plus<-7 * days::day_ms>},
      Method{of, "minusDays", 1, of, &days::plus<-days::day_ms>},
      Method{of, "minusHours", 1, of, &days::plus<-days::hour_ms>},
      Method{of, "minusMinutes", 1, of, &days::plus<-days::minute_ms>},
      Method{of, "minusSeconds", 1, of, &days::plus<-days::second_ms>},
      Method{Type::instant, "toEpochMilli", 0, Type::long_, &days::millis},
      Method{Type::instant, "getEpochSecond", 0, Type::long_, &days::epoch_second},
      Method{Type::instant, "isBefore", 1, Type::boolean, &days::is_before},
      Method{Type::instant, "isAfter", 1, Type::boolean, &days::is_after},
      Method{Type::weekday, "getValue", 0, Type::int_, &days::weekday_number}};
  return table;
}

}  // namespace cairn::script
