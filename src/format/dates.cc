// SPDX-License-Identifier: Apache-2.0
// Dates of the Gregorian calendar as text, for years 0 to 9999.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "format/time.h"

namespace cairn {
namespace {

constexpr std::int64_t ms_per_day = 86'400'000;
constexpr std::string_view day_names = "SunMonTueWedThuFriSat";
constexpr std::string_view month_names = "JanFebMarAprMayJunJulAugSepOctNovDec";

struct Moment {
  std::int64_t year = 1970;
  unsigned month = 1, day = 1, hour = 0, minute = 0, second = 0, ms = 0;
  unsigned weekday = 4;  // 0 is Sunday; for output only
};

// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": eras of 400 years from 1 March.
std::int64_t days_of(std::int64_t year, unsigned month, unsigned day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const auto year_of_era = static_cast<unsigned>(year - era * 400);
  const unsigned day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + static_cast<std::int64_t>(day_of_era) - 719468;
}

Moment moment_of(std::int64_t unix_ms) {
  std::int64_t days = unix_ms / ms_per_day;
  std::int64_t rest = unix_ms % ms_per_day;
  if (rest < 0) {
    rest += ms_per_day;
    --days;
  }
  Moment m;
  m.weekday = static_cast<unsigned>(((days + 4) % 7 + 7) % 7);
  m.ms = static_cast<unsigned>(rest % 1000);
  m.second = static_cast<unsigned>(rest / 1000 % 60);
  m.minute = static_cast<unsigned>(rest / 60'000 % 60);
  m.hour = static_cast<unsigned>(rest / 3'600'000);
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const auto day_of_era = static_cast<unsigned>(days - era * 146097);
  const unsigned year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const unsigned day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const unsigned shifted_month = (5 * day_of_year + 2) / 153;
  m.day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
  m.month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  m.year = static_cast<std::int64_t>(year_of_era) + era * 400 + (m.month <= 2 ? 1 : 0);
  return m;
}

bool is_valid(const Moment& m) {
  constexpr std::array<unsigned, 12> lengths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (m.month < 1 || m.month > 12 || m.hour > 23 || m.minute > 59 || m.second > 59) return false;
  const bool leap = (m.year % 4 == 0 && m.year % 100 != 0) || m.year % 400 == 0;
  const unsigned length = lengths[m.month - 1] + (m.month == 2 && leap ? 1 : 0);
  return m.day >= 1 && m.day <= length;
}

std::int64_t unix_ms_of(const Moment& m) {
  return days_of(m.year, m.month, m.day) * ms_per_day + m.hour * 3'600'000LL + m.minute * 60'000LL +
         m.second * 1000LL + m.ms;
}

// Takes fixed pieces off the front of a text; stays false after the first that does not fit.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  template <class Number>
  Scanner& digits(std::size_t count, Number& out) {
    const std::string_view piece = rest_.substr(0, count);
    for (const char c : piece) ok_ &= c >= '0' && c <= '9';
    ok_ &= piece.size() == count;
    if (!ok_) return *this;
    out = parse_number<Number>(piece).value_or(Number{});
    rest_.remove_prefix(count);
    return *this;
  }
  Scanner& literal(std::string_view wanted) {
    ok_ &= rest_.starts_with(wanted);
    if (ok_) rest_.remove_prefix(wanted.size());
    return *this;
  }
  // One of the three-letter names, as its place in the list.
  Scanner& name(std::string_view names, unsigned& out) {
    const std::size_t at =
        rest_.size() < 3 ? std::string_view::npos : names.find(rest_.substr(0, 3));
    ok_ &= at != std::string_view::npos && at % 3 == 0;
    if (!ok_) return *this;
    out = static_cast<unsigned>(at / 3);
    rest_.remove_prefix(3);
    return *this;
  }
  // A fraction of a second of any length, cut to milliseconds.
  Scanner& fraction(unsigned& ms) {
    const std::size_t length = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    ok_ &= length >= 1 && length <= 9;
    if (!ok_) return *this;
    ms = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      ms = ms * 10 + (i < length ? static_cast<unsigned>(rest_[i] - '0') : 0);
    }
    rest_.remove_prefix(length);
    return *this;
  }
  bool next_is(char c) const { return ok_ && !rest_.empty() && rest_.front() == c; }
  bool at_end() const { return ok_ && rest_.empty(); }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// Z, +02:00, +0200, +02; nothing stands for UTC. In minutes east.
bool scan_offset(Scanner& scan, std::int64_t& minutes) {
  minutes = 0;
  if (scan.at_end()) return true;
  if (scan.next_is('Z')) return scan.literal("Z").at_end();
  const bool west = scan.next_is('-');
  unsigned hours = 0;
  unsigned rest = 0;
  scan.literal(west ? "-" : "+").digits(2, hours);
  if (scan.next_is(':')) {
    scan.literal(":").digits(2, rest);
  } else if (scan.ok() && !scan.at_end()) {
    scan.digits(2, rest);
  }
  minutes = static_cast<std::int64_t>(hours) * 60 + rest;
  if (west) minutes = -minutes;
  return scan.at_end() && hours <= 18 && rest < 60;
}

}  // namespace

std::string format_iso8601(std::int64_t unix_ms) {
  const Moment m = moment_of(unix_ms);
  if (m.year >= 0 && m.year <= 9999) {  // a listing has a thousand of them
    std::string out = "0000-00-00T00:00:00.000Z";
    const auto put = [&](std::size_t at, std::size_t digits, unsigned value) {
      for (; digits > 0; value /= 10) out[at + --digits] = static_cast<char>('0' + value % 10);
    };
    put(0, 4, static_cast<unsigned>(m.year));
    put(5, 2, m.month);
    put(8, 2, m.day);
    put(11, 2, m.hour);
    put(14, 2, m.minute);
    put(17, 2, m.second);
    put(20, 3, m.ms);
    return out;
  }
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", m.year, m.month, m.day, m.hour,
                     m.minute, m.second, m.ms);
}

std::optional<std::int64_t> parse_iso8601(std::string_view text) {
  Moment m;
  Scanner scan(text);
  std::int64_t east = 0;
  scan.digits(4, m.year);
  if (scan.next_is('-')) scan.literal("-").digits(2, m.month);
  if (scan.next_is('-')) scan.literal("-").digits(2, m.day);
  if (scan.next_is('T')) {
    scan.literal("T");
    if (!scan.at_end()) {
      scan.digits(2, m.hour);
      if (scan.next_is(':')) scan.literal(":").digits(2, m.minute);
      if (scan.next_is(':')) scan.literal(":").digits(2, m.second);
      if (scan.next_is('.'))
        scan.literal(".").fraction(m.ms);
      else if (scan.next_is(','))
        scan.literal(",").fraction(m.ms);
      if (!scan_offset(scan, east)) return std::nullopt;
    }
  }
  if (!scan.at_end() || !is_valid(m)) return std::nullopt;
  return unix_ms_of(m) - east * 60'000;
}

std::string format_http_date(std::int64_t unix_ms) {
  const Moment m = moment_of(unix_ms);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", day_names.substr(m.weekday * 3, 3),
                     m.day, month_names.substr((m.month - 1) * 3, 3), m.year, m.hour, m.minute,
                     m.second);
}

std::optional<std::int64_t> parse_http_date(std::string_view text) {
  Moment m;
  unsigned weekday = 0;
  unsigned month = 0;
  Scanner scan(text);
  scan.name(day_names, weekday)
      .literal(", ")
      .digits(2, m.day)
      .literal(" ")
      .name(month_names, month);
  scan.literal(" ").digits(4, m.year).literal(" ").digits(2, m.hour).literal(":");
  scan.digits(2, m.minute).literal(":").digits(2, m.second).literal(" GMT");
  m.month = month + 1;
  if (!scan.at_end() || !is_valid(m)) return std::nullopt;
  const std::int64_t at = unix_ms_of(m);
  if (moment_of(at).weekday != weekday) return std::nullopt;
  return at;
}

std::string format_basic_iso8601(std::int64_t unix_ms) {
  const Moment m = moment_of(unix_ms);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", m.year, m.month, m.day, m.hour, m.minute,
                     m.second);
}

std::optional<std::int64_t> parse_basic_iso8601(std::string_view text) {
  Moment m;
  Scanner scan(text);
  scan.digits(4, m.year).digits(2, m.month).digits(2, m.day).literal("T");
  scan.digits(2, m.hour).digits(2, m.minute).digits(2, m.second).literal("Z");
  if (!scan.at_end() || !is_valid(m)) return std::nullopt;
  return unix_ms_of(m);
}

}  // namespace cairn
