// SPDX-License-Identifier: Apache-2.0
// Dates as documents and queries write them: named formats, patterns, and date math.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "text/time_zone.h"

namespace cairn::index {

inline constexpr std::string_view default_date_format = "strict_date_optional_time||epoch_millis";

/// One or more formats joined by ||: names (strict_date_optional_time, epoch_millis, basic_date,
/// ...) and patterns of y u M d D H h k m s S n a X x Z z and 'quoted text'.
class DateFormat {
 public:
  /// Errors: illegal_argument_exception, `Invalid format: [x]: ...`.
  static Result<DateFormat> parse(std::string_view format);

  /// A moment in milliseconds since 1970, UTC. `zone` is that of texts without one. What the text
  /// does not say is the first of its kind: month 01, day 01, 00:00:00.000; with `round_up` the
  /// clock is 23:59:59.999 instead (what the platform documents as missing date components).
  std::optional<std::int64_t> read(std::string_view text, const text::TimeZone& zone = {},
                                   bool round_up = false) const;
  /// A JSON scalar: numbers count as text where a format takes numbers.
  std::optional<std::int64_t> read(const Json& value) const;
  /// As the first format writes it; ISO 8601 for names that stand for several forms.
  std::string write(std::int64_t ms, const text::TimeZone& zone = {}) const;

 private:
  std::vector<std::string> parts_;  // names and patterns, in order
};

/// A bound of a range: a date, or date math: "now" or "date||", then any of +1d -2M /d.
/// Dates without a zone, and what is rounded or counted in days or more, are in `zone`.
/// `round_up`: a rounding gives its last millisecond, and so does a date without a time, or with an
/// incomplete one (for gt and lte). "2026-01" is then the end of its first day.
/// Errors: parsing_exception.
Result<std::int64_t> resolve_date(const Json& value, const DateFormat& format, std::int64_t now_ms,
                                  const text::TimeZone& zone, bool round_up);

/// "+01:00", "-0530", "Z" or "UTC" in milliseconds; nothing for anything else.
std::optional<std::int64_t> parse_offset(std::string_view text);
/// An offset, with "UTC", "GMT" or "UT" before it or not, or a name of IANA: "Europe/Berlin".
/// Errors: illegal_argument_exception, `Unknown time-zone ID`.
Result<text::TimeZone> read_zone(std::string_view text);

enum class DateUnit { year, quarter, month, week, day, hour, minute, second };
/// The start of the unit that holds the moment (UTC; weeks start on Monday).
std::int64_t floor_date(std::int64_t ms, DateUnit unit);
std::int64_t add_dates(std::int64_t ms, DateUnit unit, std::int64_t count);
/// "1d", "day", "month", "1M", ...: the unit of a calendar interval.
std::optional<DateUnit> calendar_unit(std::string_view text);

}  // namespace cairn::index
