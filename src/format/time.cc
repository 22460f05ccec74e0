// SPDX-License-Identifier: Apache-2.0
// Time values and byte sizes as the platform's API reads them; dates by civil-calendar arithmetic.
#include "format/time.h"

#include <fmt/core.h>

#include <cmath>

#include "base/strings.h"

namespace cairn {
namespace {

Error bad_value(std::string_view text, std::string_view name, std::string_view as,
                std::string_view why) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "illegal_argument_exception",
          .message = fmt::format("failed to parse setting [{}] with value [{}] as {}: {}", name,
                                 text, as, why)};
}

struct TimeUnit {
  std::string_view suffix;
  std::int64_t factor;  // milliseconds, or its inverse for what is below one
  bool is_divisor = false;
};

// Longer suffixes before those that end them.
constexpr TimeUnit time_units[] = {
    {"nanos", 1'000'000, true}, {"micros", 1'000, true}, {"ms", 1}, {"s", 1'000}, {"m", 60'000},
    {"h", 3'600'000},           {"d", 86'400'000}};

bool looks_fractional(std::string_view digits) {
  double v = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
  return fault == std::errc{} && end == digits.data() + digits.size();
}

bool all_zero(std::string_view text) {
  return !text.empty() && text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

Result<std::int64_t> parse_time_value(std::string_view text, std::string_view name) {
  const auto bad = [&](std::string_view why) { return bad_value(text, name, "a time value", why); };
  const std::string value = lower_ascii(trim(text));
  if (value == "-1") return std::int64_t{-1};
  if (all_zero(value)) return std::int64_t{0};
  for (const auto& unit : time_units) {
    if (!std::string_view(value).ends_with(unit.suffix)) continue;
    if (unit.suffix == "m" && trim(text).ends_with('M')) break;  // would be months
    const std::string_view digits =
        trim(std::string_view(value).substr(0, value.size() - unit.suffix.size()));
    const auto count = parse_number<std::int64_t>(digits);
    if (!count) {
      if (digits.find_first_not_of("-0123456789") == std::string_view::npos && digits.size() > 18) {
        return bad("the number is too large");
      }
      return bad(looks_fractional(digits) ? "fractional time values are not supported"
                                          : "expected a whole number before the unit");
    }
    // Only -1 by itself stands for "for ever": with a unit it is a length of time.
    if (*count < 0) return bad("negative durations are not supported");
    if (unit.is_divisor) return *count / unit.factor;
    std::int64_t ms = 0;
    if (__builtin_mul_overflow(*count, unit.factor, &ms)) return bad("the number is too large");
    return ms;
  }
  return bad("unit is missing or unrecognized");
}

std::string format_time_value(std::int64_t ms) {
  if (ms < 0) return "-1";
  constexpr TimeUnit largest_first[] = {
      {"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}};
  for (const auto& unit : largest_first) {
    if (ms > 0 && ms % unit.factor == 0) return fmt::format("{}{}", ms / unit.factor, unit.suffix);
  }
  return ms == 0 ? "0s" : fmt::format("{}ms", ms);
}

namespace {

struct SizeUnit {
  std::string_view suffix;
  unsigned shift;
};
constexpr SizeUnit size_units[] = {{"kb", 10}, {"mb", 20}, {"gb", 30}, {"tb", 40},
                                   {"pb", 50}, {"k", 10},  {"m", 20},  {"g", 30},
                                   {"t", 40},  {"p", 50},  {"b", 0},   {"", 0}};

}  // namespace

Result<std::uint64_t> parse_byte_size(std::string_view text, std::string_view name) {
  const auto bad = [&](std::string_view why) {
    return bad_value(text, name, "a size in bytes", why);
  };
  const std::string value = lower_ascii(trim(text));
  for (const auto& unit : size_units) {
    if (!std::string_view(value).ends_with(unit.suffix)) continue;
    const std::string_view digits =
        trim(std::string_view(value).substr(0, value.size() - unit.suffix.size()));
    if (digits.empty() || digits.find_first_not_of("0123456789.") != std::string_view::npos) {
      if (digits.starts_with('-')) return bad("negative sizes are not supported");
      if (unit.suffix.empty()) return bad("unit is missing or unrecognized");
      return bad("expected a number before the unit");
    }
    if (const auto whole = parse_number<std::uint64_t>(digits)) {
      if (*whole > (UINT64_MAX >> unit.shift)) return bad("the number is too large");
      return *whole << unit.shift;
    }
    const auto fraction = parse_number<double>(digits);
    if (!fraction || digits.back() == '.' || digits.front() == '.') {
      return bad("expected a number before the unit");
    }
    const double bytes = std::ldexp(*fraction, static_cast<int>(unit.shift));
    if (bytes >= 18446744073709551616.0) return bad("the number is too large");
    return static_cast<std::uint64_t>(bytes);
  }
  return bad("unit is missing or unrecognized");
}

std::string format_byte_size(std::uint64_t bytes) {
  for (const unsigned shift : {50u, 40u, 30u, 20u, 10u}) {
    const std::uint64_t one = std::uint64_t{1} << shift;
    if (bytes < one) continue;
    const std::uint64_t whole = bytes >> shift;
    const std::uint64_t tenth = ((bytes & (one - 1)) * 10) >> shift;  // cut, not rounded
    constexpr std::string_view names = "kmgtp";
    const std::string decimals = tenth == 0 ? "" : fmt::format(".{}", tenth);
    return fmt::format("{}{}{}b", whole, decimals, names[shift / 10 - 1]);
  }
  return fmt::format("{}b", bytes);
}

}  // namespace cairn
