// SPDX-License-Identifier: Apache-2.0
// Tests of time.h.
#include "format/time.h"

#include <doctest/doctest.h>

#include <ctime>
#include <random>

using namespace cairn;

TEST_CASE("time value: units, the two special numbers, spaces and case") {
  constexpr std::pair<const char*, std::int64_t> cases[] = {
      {"-1", -1},          {"0", 0},           {"00", 0},           {"0s", 0},
      {"30s", 30'000},     {"500ms", 500},     {"2d", 172'800'000}, {"1h", 3'600'000},
      {"5m", 300'000},     {"7micros", 0},     {"2500micros", 2},   {"999999nanos", 0},
      {"3000000nanos", 3}, {" 30 s ", 30'000}, {"30S", 30'000},     {"10MS", 10}};
  for (const auto& [text, ms] : cases) {
    INFO(std::string(text));
    const auto value = parse_time_value(text, "timeout");
    REQUIRE(value.ok());
    CHECK(*value == ms);
  }
}

TEST_CASE("time value: what is refused, and how it is said") {
  constexpr std::pair<const char*, const char*> cases[] = {
      {"5", "unit is missing or unrecognized"},
      {"", "unit is missing or unrecognized"},
      {"5w", "unit is missing or unrecognized"},
      {"5M", "unit is missing or unrecognized"},
      {"1.5s", "fractional time values are not supported"},
      {"-5s", "negative durations are not supported"},
      {"-1s", "negative durations are not supported"},
      {"-1ms", "negative durations are not supported"},
      {"s", "expected a whole number before the unit"},
      {"xs", "expected a whole number before the unit"},
      {"+5s", "expected a whole number before the unit"},
      {"5 5s", "expected a whole number before the unit"},
      {"9999999999999999d", "the number is too large"},
      {"99999999999999999999s", "the number is too large"}};
  for (const auto& [text, why] : cases) {
    INFO(std::string(text));
    const auto value = parse_time_value(text, "timeout");
    REQUIRE(!value.ok());
    CHECK(value.error().kind == ErrorKind::invalid_argument);
    CHECK(value.error().code == "illegal_argument_exception");
    CHECK(value.error().message == "failed to parse setting [timeout] with value [" +
                                       std::string(text) + "] as a time value: " + why);
  }
}

TEST_CASE("time value: written with the largest unit that divides") {
  constexpr std::pair<std::int64_t, const char*> cases[] = {
      {-1, "-1"},     {0, "0s"},       {1, "1ms"},        {1000, "1s"},      {1500, "1500ms"},
      {60'000, "1m"}, {90'000, "90s"}, {3'600'000, "1h"}, {86'400'000, "1d"}};
  for (const auto& [ms, text] : cases) {
    CHECK(format_time_value(ms) == text);
    CHECK(parse_time_value(text, "x").value() == ms);
  }
}

TEST_CASE("byte size: units, fractions, limits") {
  constexpr std::pair<const char*, std::uint64_t> cases[] = {
      {"0", 0},         {"10", 10},          {"10b", 10},
      {"5kb", 5120},    {"5K", 5120},        {"1.5gb", 1610612736},
      {"2mb", 2097152}, {"1tb", 1ull << 40}, {"3pb", 3ull << 50},
      {" 1 kb ", 1024}, {"0.5kb", 512},      {"18446744073709551615", UINT64_MAX}};
  for (const auto& [text, bytes] : cases) {
    INFO(std::string(text));
    const auto value = parse_byte_size(text, "limit");
    REQUIRE(value.ok());
    CHECK(*value == bytes);
  }
  for (const std::string bad : {"", "kb", "-1", "-1kb", "1.kb", ".5kb", "1..5kb", "1e3kb", "5xb",
                                "1 2", "18446744073709551616", "16384pb", "99999999999pb", "+1"}) {
    INFO(bad);
    const auto value = parse_byte_size(bad, "limit");
    REQUIRE(!value.ok());
    CHECK(value.error().message.starts_with("failed to parse setting [limit] with value [" +
                                            std::string(bad) + "] as a size in bytes: "));
  }
  CHECK(format_byte_size(0) == "0b");
  CHECK(format_byte_size(1023) == "1023b");
  CHECK(format_byte_size(1024) == "1kb");
  CHECK(format_byte_size(1229) == "1.2kb");
  CHECK(format_byte_size(1610612736) == "1.5gb");
  CHECK(format_byte_size(UINT64_MAX) == "16383.9pb");
}

TEST_CASE("dates: all three forms agree with the C library over ten thousand years") {
  const unsigned seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    // From 0000-01-01 to 9999-12-31.
    const std::int64_t seconds = -62167219200 + static_cast<std::int64_t>(random() % 315569520000);
    const std::time_t t = seconds;
    std::tm utc{};
    gmtime_r(&t, &utc);
    const auto with = [&](const char* form) {
      char text[64];
      text[std::strftime(text, sizeof text, form, &utc)] = 0;
      return std::string(text);
    };
    char year[24];
    std::snprintf(year, sizeof year, "%04d", utc.tm_year + 1900);
    const std::string iso = year + with("-%m-%dT%H:%M:%S.000Z");
    REQUIRE(format_iso8601(seconds * 1000) == iso);
    REQUIRE(parse_iso8601(iso) == seconds * 1000);
    const std::string http = with("%a, %d %b ") + year + with(" %H:%M:%S GMT");
    REQUIRE(format_http_date(seconds * 1000) == http);
    REQUIRE(parse_http_date(http) == seconds * 1000);
    const std::string basic = year + with("%m%dT%H%M%SZ");
    REQUIRE(format_basic_iso8601(seconds * 1000) == basic);
    REQUIRE(parse_basic_iso8601(basic) == seconds * 1000);
  }
  CHECK(format_iso8601(-1) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("dates: parts that may be missing, fractions and offsets") {
  constexpr std::pair<const char*, std::int64_t> cases[] = {
      {"1970", 0},
      {"1970-02", 2'678'400'000},
      {"1970-01-02", 86'400'000},
      {"1970-01-02T", 86'400'000},
      {"1970-01-01T01", 3'600'000},
      {"1970-01-01T01:01", 3'660'000},
      {"1970-01-01T00:00:01", 1000},
      {"1970-01-01T00:00:01.5", 1500},
      {"1970-01-01T00:00:01,25Z", 1250},
      {"1970-01-01T00:00:01.123456789Z", 1123},
      {"1970-01-01T02:00+02:00", 0},
      {"1970-01-01T02:00:00+0200", 0},
      {"1969-12-31T19:00:00.000-05", 0},
      {"2024-02-29T00:00:00Z", 1'709'164'800'000}};
  for (const auto& [text, ms] : cases) {
    INFO(std::string(text));
    CHECK(parse_iso8601(text) == ms);
  }
}

TEST_CASE("dates: what is no date is nothing") {
  for (const std::string bad : {"",
                                "197",
                                "19700",
                                "1970-1-01",
                                "1970-13-01",
                                "1970-00-01",
                                "1970-01-32",
                                "2023-02-29",
                                "1900-02-29",
                                "1970-01-01T24:00:00Z",
                                "1970-01-01T00:60:00Z",
                                "1970-01-01T00:00:60Z",
                                "1970-01-01 00:00:00",
                                "1970-01-01T00:00:00.Z",
                                "1970-01-01T00:00:00.1234567890Z",
                                "1970-01-01T00:00:00+25:00",
                                "1970-01-01T00:00:00+02:",
                                "1970-01-01T00:00:00ZZ",
                                "1970-01-01T00:00:00z ",
                                "1970-01-01Z",
                                "now"}) {
    INFO(bad);
    CHECK(!parse_iso8601(bad));
  }
  for (const std::string bad : {"", "Thu, 1 Jan 1970 00:00:00 GMT", "Fri, 01 Jan 1970 00:00:00 GMT",
                                "Thu, 01 Jan 1970 00:00:00 UTC", "Thu, 01 Jan 1970 00:00:00",
                                "Thu, 01 jan 1970 00:00:00 GMT", "Thursday, 01-Jan-70 00:00:00 GMT",
                                "Thu, 01 Jan 1970 24:00:00 GMT", "hu,, 01 Jan 1970 00:00:00 GMT"}) {
    INFO(bad);
    CHECK(!parse_http_date(bad));
  }
  for (const std::string bad : {"", "20260131T080509", "20260131 080509Z", "20261331T080509Z",
                                "2026-01-31T08:05:09Z", "20260131T080509ZZ"}) {
    INFO(bad);
    CHECK(!parse_basic_iso8601(bad));
  }
}
