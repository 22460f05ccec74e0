// SPDX-License-Identifier: Apache-2.0
#include "text/time_zone.h"

#include <doctest/doctest.h>

#include "format/time.h"

using namespace cairn;
using text::TimeZone;

namespace {

constexpr std::int64_t one_hour_ms = 3'600'000;

std::int64_t moment_at(const char* text) { return parse_iso8601(text).value(); }

}  // namespace

TEST_CASE("time zones: names of IANA, and nothing for others") {
  for (const char* name : {"Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC", "Etc/GMT+5",
                           "CET", "Australia/Lord_Howe"})
    CHECK_MESSAGE(TimeZone::named(name).has_value(), name);
  for (const char* name : {"", "Mars/Olympus", "europe/berlin", "GMT+1", "+01:00", "Europe/Berlin ",
                           "Etc/Unknown", "GMT+01:30"})
    CHECK_MESSAGE(!TimeZone::named(name).has_value(), name);
  CHECK(TimeZone::named("Etc/GMT+5")->offset_ms(0) == -5 * one_hour_ms);
}

TEST_CASE("time zones: clocks that skip an hour and clocks that repeat one") {
  const TimeZone berlin = *TimeZone::named("Europe/Berlin");
  CHECK(berlin.offset_ms(moment_at("2026-01-15T00:00:00Z")) == one_hour_ms);
  CHECK(berlin.offset_ms(moment_at("2026-07-15T00:00:00Z")) == 2 * one_hour_ms);
  const std::int64_t spring = moment_at("2026-03-29T01:00:00Z");
  const std::int64_t autumn = moment_at("2026-10-25T01:00:00Z");
  CHECK(berlin.utc_of(moment_at("2026-03-29T01:59:59Z")) == spring - 1000);
  CHECK(berlin.utc_of(moment_at("2026-03-29T02:30:00Z")) == spring + one_hour_ms / 2);
  CHECK(berlin.first_utc_of(moment_at("2026-03-29T02:30:00Z")) == spring);
  CHECK(berlin.utc_of(moment_at("2026-03-29T03:00:00Z")) == spring);
  CHECK(berlin.utc_of(moment_at("2026-10-25T02:30:00Z")) == autumn - one_hour_ms / 2);
  CHECK(berlin.change_before(spring) == spring);
  CHECK(berlin.change_before(spring + 5) == spring);
  CHECK(berlin.change_before(autumn - 1) == spring);
  CHECK_FALSE(berlin.change_before(moment_at("1800-01-01")).has_value());
}

TEST_CASE("time zones: a fixed offset, and UTC by default") {
  CHECK(TimeZone().utc_of(17) == 17);
  const TimeZone fixed(one_hour_ms);
  CHECK(fixed.local_of(0) == one_hour_ms);
  CHECK(fixed.utc_of(one_hour_ms) == 0);
  CHECK_FALSE(fixed.change_before(0).has_value());
  // Moments that no calendar knows do no harm.
  const TimeZone berlin = *TimeZone::named("Europe/Berlin");
  for (const std::int64_t far : {INT64_MIN / 2, INT64_MAX / 2})
    CHECK(std::abs(berlin.offset_ms(far)) <= 2 * one_hour_ms);
}
