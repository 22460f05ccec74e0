// SPDX-License-Identifier: Apache-2.0
// Reading and writing dates by pattern.
#include "index/dates/dates.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/strings.h"
#include "format/time.h"
#include "index/dates/date_units.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

struct Named {
  std::string_view name;
  std::string_view pattern;  // empty: read by code
};

// The ISO names of the platform. strict_ is taken off before looking here.
constexpr std::array names = {
    Named{"date_optional_time", ""},
    Named{"date_optional_time_nanos", ""},
    Named{"iso8601", ""},
    Named{"epoch_millis", ""},
    Named{"epoch_second", ""},
    Named{"date", "yyyy-MM-dd"},
    Named{"year_month_day", "yyyy-MM-dd"},
    Named{"year_month", "yyyy-MM"},
    Named{"year", "yyyy"},
    Named{"date_time", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"},
    Named{"date_time_no_millis", "yyyy-MM-dd'T'HH:mm:ssXXX"},
    Named{"date_hour_minute_second", "yyyy-MM-dd'T'HH:mm:ss"},
    Named{"date_hour_minute_second_millis", "yyyy-MM-dd'T'HH:mm:ss.SSS"},
    Named{"date_hour_minute_second_fraction", "yyyy-MM-dd'T'HH:mm:ss.SSS"},
    Named{"date_hour_minute", "yyyy-MM-dd'T'HH:mm"},
    Named{"date_hour", "yyyy-MM-dd'T'HH"},
    Named{"hour_minute_second", "HH:mm:ss"},
    Named{"hour_minute", "HH:mm"},
    Named{"ordinal_date", "yyyy-DDD"},
    Named{"basic_date", "yyyyMMdd"},
    Named{"basic_date_time", "yyyyMMdd'T'HHmmss.SSSX"},
    Named{"basic_date_time_no_millis", "yyyyMMdd'T'HHmmssX"},
};

const Named* find_name(std::string_view name) {
  if (name.starts_with("strict_")) name.remove_prefix(7);
  for (const Named& known : names)
    if (known.name == name) return &known;
  return nullptr;
}

// What a clock shows where a bound is rounded up and does not say.
constexpr std::int64_t last_hour = 23, last_minute = 59, last_second = 59, last_milli = 999;

struct Fields {
  std::int64_t year = 1970;
  std::int64_t month = 1, day = 1, day_of_year = 0;
  std::optional<std::int64_t> hours, minutes, seconds, millis;  // those that the text says
  std::optional<bool> afternoon;
  std::optional<std::int64_t> zone_ms;

  // Rounded up, what is missing of the clock is its last moment; of the date it is the first, as
  // it is rounded down.
  std::optional<std::int64_t> moment(const text::TimeZone& zone, bool round_up) const {
    const std::int64_t hour = hours.value_or(round_up ? last_hour : 0);
    const std::int64_t minute = minutes.value_or(round_up ? last_minute : 0);
    const std::int64_t second = seconds.value_or(round_up ? last_second : 0);
    const std::int64_t milli = millis.value_or(round_up ? last_milli : 0);
    if (year > 9999) return std::nullopt;
    const std::chrono::year y(static_cast<int>(year));
    std::int64_t ms = 0;
    if (day_of_year > 0) {
      if (day_of_year > (y.is_leap() ? 366 : 365)) return std::nullopt;
      ms = days_ms(year, 1, 1) + (day_of_year - 1) * day_ms;
    } else {
      const auto date = y / static_cast<int>(month) / static_cast<int>(day);
      if (!date.ok()) return std::nullopt;
      ms = days_ms(year, static_cast<unsigned>(month), static_cast<unsigned>(day));
    }
    std::int64_t h = hour;
    if (afternoon && hours) h = h % 12 + (*afternoon ? 12 : 0);
    if (h > 24 || minute > 59 || second > 59) return std::nullopt;
    if (h == 24 && (minute != 0 || second != 0 || milli != 0)) return std::nullopt;
    ms += h * hour_ms + minute * minute_ms + second * second_ms + milli;
    return zone_ms ? ms - *zone_ms : zone.utc_of(ms);
  }
};

constexpr std::array months = {"jan", "feb", "mar", "apr", "may", "jun",
                               "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array long_months = {"january",   "february", "march",    "april",
                                    "may",       "june",     "july",     "august",
                                    "september", "october",  "november", "december"};
constexpr std::array weekdays = {"monday", "tuesday",  "wednesday", "thursday",
                                 "friday", "saturday", "sunday"};

/// Reads a text against a pattern, piece by piece.
class PatternReader {
 public:
  PatternReader(std::string_view pattern, std::string_view text) : pattern_(pattern), text_(text) {}

  std::optional<Fields> read() {
    for (std::size_t i = 0; i < pattern_.size();) {
      const char c = pattern_[i];
      if (c == '\'') {
        i = quoted(i + 1);
        if (i == 0) return std::nullopt;
        continue;
      }
      if (std::isalpha(static_cast<unsigned char>(c)) == 0) {
        if (!take(c)) return std::nullopt;
        ++i;
        continue;
      }
      std::size_t run = 1;
      while (i + run < pattern_.size() && pattern_[i + run] == c) ++run;
      const bool next_is_number =
          i + run < pattern_.size() &&
          std::string_view("yuMdDHhkKmsSn").find(pattern_[i + run]) != std::string_view::npos;
      if (!field(c, run, next_is_number)) return std::nullopt;
      i += run;
    }
    return at_ == text_.size() ? std::optional(fields_) : std::nullopt;
  }

 private:
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    return ++at_, true;
  }
  // The place behind the closing quote; 0 where the text differs.
  std::size_t quoted(std::size_t i) {
    for (; i < pattern_.size() && pattern_[i] != '\''; ++i)
      if (!take(pattern_[i])) return 0;
    return i + 1;
  }
  bool number(std::size_t least, std::size_t most, std::optional<std::int64_t>& out) {
    return number(least, most, out.emplace(0));
  }
  bool number(std::size_t least, std::size_t most, std::int64_t& out) {
    std::size_t n = 0;
    std::int64_t value = 0;
    while (n < most && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      value = value * 10 + (text_[at_++] - '0');
      ++n;
    }
    out = value;
    return n >= least;
  }
  template <std::size_t count>
  std::optional<std::size_t> word(const std::array<const char*, count>& words) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view candidate = words[i];
      if (equals_ignore_case(text_.substr(at_, candidate.size()), candidate)) {
        at_ += candidate.size();
        return i;
      }
    }
    return std::nullopt;
  }
  bool fraction(std::size_t most) {
    std::int64_t value = 0;
    std::size_t n = 0;
    for (; n < most && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++n, ++at_)
      if (n < 3) value = value * 10 + (text_[at_] - '0');
    for (std::size_t i = n; i < 3; ++i) value *= 10;
    fields_.millis = value;
    return n > 0;
  }
  bool zone() {
    std::size_t end = at_;
    while (end < text_.size() && std::string_view(" )]").find(text_[end]) == std::string_view::npos)
      ++end;
    fields_.zone_ms = parse_offset(text_.substr(at_, end - at_));
    at_ = end;
    return fields_.zone_ms.has_value();
  }
  bool month(std::size_t run) {
    if (run < 3) return number(1, 2, fields_.month);
    const auto found = run == 3 ? word(months) : word(long_months);
    if (found) fields_.month = static_cast<std::int64_t>(*found) + 1;
    return found.has_value();
  }
  bool half_day() {
    const std::string_view mark = text_.substr(at_, 2);
    if (!equals_ignore_case(mark, "am") && !equals_ignore_case(mark, "pm")) return false;
    fields_.afternoon = equals_ignore_case(mark, "pm");
    return at_ += 2, true;
  }
  bool weekday(std::size_t run) {
    if (run > 3) return word(weekdays).has_value();
    for (const char* day : weekdays)
      if (equals_ignore_case(text_.substr(at_, 3), std::string_view(day).substr(0, 3)))
        return at_ += 3, true;
    return false;
  }
  bool field(char c, std::size_t run, bool next_is_number) {
    // Two digits stand for two digits; a single letter takes what is there.
    const std::size_t least = run;
    const std::size_t most = next_is_number || run > 1 ? run : 2;
    switch (c) {
      case 'y':
      case 'u':
      case 'Y':
        if (run == 2) {
          if (!number(2, 2, fields_.year)) return false;
          fields_.year += 2000;
          return true;
        }
        return number(run == 1 ? 1 : 4, next_is_number ? 4 : 9, fields_.year);
      case 'M':
      case 'L':
        return month(run);
      case 'd':
        return number(least, most, fields_.day);
      case 'D':
        return number(1, 3, fields_.day_of_year);
      case 'H':
      case 'k':
      case 'h':
      case 'K':
        return number(least, most, fields_.hours);
      case 'm':
        return number(least, most, fields_.minutes);
      case 's':
        return number(least, most, fields_.seconds);
      case 'S':
      case 'n':
        return fraction(next_is_number ? run : 9);
      case 'a':
        return half_day();
      case 'E':
        return weekday(run);
      case 'X':
      case 'x':
      case 'Z':
      case 'z':
        return zone();
      default:
        return false;
    }
  }

  std::string_view pattern_;
  std::string_view text_;
  std::size_t at_ = 0;
  Fields fields_;
};

std::optional<std::int64_t> read_epoch(std::string_view text, std::int64_t factor) {
  if (const auto whole = parse_number<std::int64_t>(text)) {
    std::int64_t out = 0;
    return __builtin_mul_overflow(*whole, factor, &out) ? std::nullopt : std::optional(out);
  }
  const auto dot = text.find('.');
  if (dot == std::string_view::npos || dot + 1 == text.size()) return std::nullopt;
  const auto number = parse_number<double>(text);
  if (!number || std::abs(*number) > 9e15) return std::nullopt;
  return static_cast<std::int64_t>(std::floor(*number * static_cast<double>(factor)));
}

bool has_zone(std::string_view text) {
  const auto time = text.find('T');
  if (time == std::string_view::npos) return false;
  return text.find_first_of("Z+-", time) != std::string_view::npos;
}

// The rest of what the clock of an ISO date leaves open: "T10" of an hour, no time of a day.
std::int64_t rest_of_clock(std::string_view text) {
  const auto time = text.find('T');
  if (time == std::string_view::npos || time + 1 == text.size()) return day_ms - 1;
  std::string_view clock = text.substr(time + 1);
  clock = clock.substr(0, clock.find_first_of("Z+-"));
  if (clock.size() == 2) return hour_ms - 1;
  if (clock.size() == 5) return minute_ms - 1;
  return clock.size() == 8 ? second_ms - 1 : 0;
}

// ISO 8601 with an optional time, as format/time.h reads it, in a zone of the caller's.
std::optional<std::int64_t> read_iso(std::string_view text, const text::TimeZone& zone,
                                     bool round_up) {
  const auto ms = parse_iso8601(text);
  if (!ms) return std::nullopt;
  const std::int64_t at = *ms + (round_up ? rest_of_clock(text) : 0);
  return has_zone(text) ? at : zone.utc_of(at);
}

std::optional<std::int64_t> read_seconds(std::string_view text, bool round_up) {
  const auto ms = read_epoch(text, second_ms);
  const bool is_whole = text.find('.') == std::string_view::npos;
  return ms && round_up && is_whole && *ms < INT64_MAX - second_ms ? *ms + second_ms - 1 : ms;
}

std::optional<std::int64_t> read_part(const std::string& part, std::string_view text,
                                      const text::TimeZone& zone, bool round_up) {
  const Named* named = find_name(part);
  const std::string_view name = named == nullptr ? std::string_view() : named->name;
  if (name == "epoch_millis") return read_epoch(text, 1);
  if (name == "epoch_second") return read_seconds(text, round_up);
  if (named != nullptr && named->pattern.empty()) return read_iso(text, zone, round_up);
  const auto fields = PatternReader(named == nullptr ? part : named->pattern, text).read();
  return fields ? fields->moment(zone, round_up) : std::nullopt;
}

void append_padded(std::string& out, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  out.append(width > digits.size() ? width - digits.size() : 0, '0');
  out += digits;
}

/// "+0130", with a colon "+01:30"; `short_hours`: "+01" where the minutes are none.
std::string offset_text(std::int64_t offset_ms, bool colon, bool short_hours) {
  const std::int64_t minutes = std::abs(offset_ms) / minute_ms;
  std::string out = offset_ms < 0 ? "-" : "+";
  append_padded(out, minutes / 60, 2);
  if (short_hours && minutes % 60 == 0) return out;
  if (colon) out += ':';
  append_padded(out, minutes % 60, 2);
  return out;
}

void write_zone(std::string& out, char c, std::size_t run, std::int64_t offset_ms) {
  if (c == 'z')
    out += offset_ms == 0 ? "UTC" : offset_text(offset_ms, true, false);
  else if (c == 'X' && offset_ms == 0)
    out += "Z";
  else if (c == 'Z')
    out += offset_text(offset_ms, run > 3, false);
  else
    out += offset_text(offset_ms, run == 3 || run == 5, run == 1);
}

/// `ms`: local time. Zones are write_zone's.
void write_field(std::string& out, char c, std::size_t run, std::int64_t ms) {
  ms = std::clamp<std::int64_t>(ms, -10'000'000 * day_ms, 10'000'000 * day_ms);
  const std::int64_t day = (ms >= 0 ? ms : ms - day_ms + 1) / day_ms;
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  const std::int64_t in_day = ms - day * day_ms;
  const std::int64_t hour = in_day / hour_ms;
  switch (c) {
    case 'y':
    case 'u':
      append_padded(
          out, run == 2 ? static_cast<int>(date.year()) % 100 : static_cast<int>(date.year()), run);
      break;
    case 'M': {
      const unsigned month = static_cast<unsigned>(date.month());
      std::string name = run == 3 ? months[month - 1] : run > 3 ? long_months[month - 1] : "";
      if (!name.empty()) name[0] = static_cast<char>(name[0] - 'a' + 'A');
      if (name.empty()) append_padded(out, month, run);
      out += name;
      break;
    }
    case 'd':
      append_padded(out, static_cast<unsigned>(date.day()), run);
      break;
    case 'D':
      append_padded(out, day - days_ms(static_cast<int>(date.year()), 1, 1) / day_ms + 1, run);
      break;
    case 'H':
    case 'k':
      append_padded(out, hour, run);
      break;
    case 'h':
    case 'K':
      append_padded(out, hour % 12 == 0 ? 12 : hour % 12, run);
      break;
    case 'm':
      append_padded(out, in_day / minute_ms % 60, run);
      break;
    case 's':
      append_padded(out, in_day / second_ms % 60, run);
      break;
    case 'S':
      append_padded(out, in_day % 1000, 3);
      break;
    case 'a':
      out += hour < 12 ? "AM" : "PM";
      break;
    default:
      break;
  }
}

}  // namespace

Result<DateFormat> DateFormat::parse(std::string_view format) {
  DateFormat out;
  for (std::size_t at = 0; at <= format.size();) {
    std::size_t end = format.find("||", at);
    if (end == std::string_view::npos) end = format.size();
    const std::string_view part = trim(format.substr(at, end - at));
    at = end + 2;
    const auto wrong = [&](const char* why) {
      return illegal_argument("Invalid format: [" + std::string(part) + "]: " + why);
    };
    if (part.empty()) return wrong("No date pattern provided");
    if (find_name(part) == nullptr) {
      bool quoted = false;
      for (const char c : part) {
        if (c == '\'') quoted = !quoted;
        if (quoted || std::isalpha(static_cast<unsigned char>(c)) == 0) continue;
        if (std::string_view("yuYMLdDHkhKmsSnaEXxZz").find(c) == std::string_view::npos)
          return wrong("Unknown pattern letter");
      }
      if (quoted) return wrong("Pattern ends with an incomplete string literal");
    }
    out.parts_.emplace_back(part);
  }
  return out;
}

std::optional<std::int64_t> DateFormat::read(std::string_view text, const text::TimeZone& zone,
                                             bool round_up) const {
  for (const std::string& part : parts_)
    if (const auto ms = read_part(part, text, zone, round_up)) return ms;
  return std::nullopt;
}

std::optional<std::int64_t> DateFormat::read(const Json& value) const {
  if (value.is_string()) return read(std::string_view(value.as_string()));
  if (!value.is_number()) return std::nullopt;
  return read(std::string_view(value.dump()));
}

std::string DateFormat::write(std::int64_t ms, const text::TimeZone& zone) const {
  const Named* named = find_name(parts_.front());
  if (named != nullptr && named->name == "epoch_millis") return std::to_string(ms);
  if (named != nullptr && named->name == "epoch_second") return std::to_string(ms / 1000);
  const std::int64_t offset_ms = zone.offset_ms(ms);
  if (named != nullptr && named->pattern.empty()) {
    std::string iso = format_iso8601(ms + offset_ms);
    if (offset_ms != 0) iso.replace(iso.size() - 1, 1, offset_text(offset_ms, true, false));
    return iso;
  }
  const std::string_view pattern = named == nullptr ? parts_.front() : named->pattern;
  std::string out;
  for (std::size_t i = 0; i < pattern.size();) {
    const char c = pattern[i];
    if (c == '\'') {
      for (++i; i < pattern.size() && pattern[i] != '\''; ++i) out += pattern[i];
      ++i;
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      std::size_t run = 1;
      while (i + run < pattern.size() && pattern[i + run] == c) ++run;
      if (std::string_view("XxZz").find(c) != std::string_view::npos)
        write_zone(out, c, run, offset_ms);
      else
        write_field(out, c, run, ms + offset_ms);
      i += run;
    } else {
      out += c;
      ++i;
    }
  }
  return out;
}

std::optional<std::int64_t> parse_offset(std::string_view text) {
  if (text == "Z" || text == "z" || text == "UTC" || text == "GMT") return 0;
  if (text.size() < 3 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  std::string digits;
  for (const char c : text.substr(1))
    if (c != ':') digits += c;
  if (digits.size() != 2 && digits.size() != 4) return std::nullopt;
  const auto hours = parse_number<std::int64_t>(std::string_view(digits).substr(0, 2));
  const auto minutes = digits.size() == 4
                           ? parse_number<std::int64_t>(std::string_view(digits).substr(2))
                           : std::optional<std::int64_t>(0);
  if (!hours || !minutes || *hours > 18 || *minutes > 59) return std::nullopt;
  const std::int64_t ms = *hours * hour_ms + *minutes * minute_ms;
  return text[0] == '-' ? -ms : ms;
}

Result<text::TimeZone> read_zone(std::string_view text) {
  if (const auto zone = text::TimeZone::named(text)) return *zone;
  std::string_view offset = text;
  for (const std::string_view before : {"UTC", "GMT", "UT"})
    if (offset.starts_with(before)) {
      offset.remove_prefix(before.size());
      break;
    }
  // "+1" is one hour, as "+01" is.
  const bool one_digit = offset.size() == 2 && (offset[0] == '+' || offset[0] == '-');
  const auto ms =
      one_digit ? parse_offset(std::string{offset[0], '0', offset[1]}) : parse_offset(offset);
  if (!ms) return illegal_argument("Unknown time-zone ID: " + std::string(text));
  return text::TimeZone(*ms);
}

}  // namespace cairn::index
