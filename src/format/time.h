// SPDX-License-Identifier: Apache-2.0
// Time values and byte sizes of the API, and dates as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn {

/// "30s", "500ms", "2d", "-1", "0" in milliseconds (nanos and micros round down). -1 stays -1.
/// Errors: invalid_argument, illegal_argument_exception: `failed to parse setting [name] with
/// value [x] as a time value: ...`.
Result<std::int64_t> parse_time_value(std::string_view text, std::string_view name);
std::string format_time_value(std::int64_t ms);  // the largest unit that divides: "30s"

/// "10", "5kb", "1.5gb" (powers of 1024) in bytes. Errors as above, `as a size in bytes`.
Result<std::uint64_t> parse_byte_size(std::string_view text, std::string_view name);
std::string format_byte_size(std::uint64_t bytes);  // "1.2kb"

/// RFC 3339 in UTC with milliseconds: 2026-01-31T08:05:09.123Z.
std::string format_iso8601(std::int64_t unix_ms);
/// Accepts strict_date_optional_time: a date, or date and time with fraction and offset.
std::optional<std::int64_t> parse_iso8601(std::string_view text);
/// RFC 9110 date: Sat, 31 Jan 2026 08:05:09 GMT; parsing accepts this form only.
std::string format_http_date(std::int64_t unix_ms);
std::optional<std::int64_t> parse_http_date(std::string_view text);
/// 20260131T080509Z, as signatures use it.
std::string format_basic_iso8601(std::int64_t unix_ms);
std::optional<std::int64_t> parse_basic_iso8601(std::string_view text);

}  // namespace cairn
