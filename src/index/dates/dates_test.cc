// SPDX-License-Identifier: Apache-2.0
// Dates in time zones: bounds, rounding, what is written, and the steps of a histogram.
#include "index/dates/dates.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "format/time.h"
#include "index/dates/date_steps.h"

using namespace cairn;
using namespace cairn::index;

namespace {

std::int64_t utc_at(const std::string& text) { return parse_iso8601(text).value(); }

text::TimeZone zone_named(const char* name) {
  const auto zone = read_zone(name);
  REQUIRE_MESSAGE(zone.ok(), name);
  return *zone;
}

}  // namespace

TEST_CASE("dates: zones are offsets and names of IANA") {
  const std::pair<const char*, std::int64_t> offsets[] = {
      {"Z", 0},       {"UTC", 0},          {"+01:00", 60}, {"-0530", -330},      {"+1", 60},
      {"UTC+2", 120}, {"GMT-03:30", -210}, {"UT+01", 60},  {"Asia/Kolkata", 330}};
  for (const auto& [name, minutes] : offsets)
    CHECK_MESSAGE(zone_named(name).offset_ms(0) == minutes * 60'000, name);
  for (const char* wrong : {"", "Europe/Nowhere", "+1:0:0", "UTC+", "+19:00", "europe/berlin"}) {
    const auto zone = read_zone(wrong);
    REQUIRE_FALSE(zone.ok());
    CHECK(zone.error().message == std::string("Unknown time-zone ID: ") + wrong);
  }
}

TEST_CASE("dates: what is counted on without end stays in time") {
  std::string far = "now";
  for (int i = 0; i < 40; ++i) far += "+999999999w";
  for (const char* rounding : {"", "/y", "/d"}) {
    const auto format = DateFormat::parse(default_date_format);
    const auto ms = resolve_date(Json(far + rounding), *format, 0, {}, true);
    REQUIRE(ms.ok());
    CHECK(*ms > 250'000'000'000'000);  // the year 9999
  }
}

TEST_CASE("dates: bounds and date math in a zone whose clocks change") {
  const auto format = DateFormat::parse(default_date_format);
  const auto berlin = zone_named("Europe/Berlin");
  const auto at = [&](const char* text, bool up = false) {
    const auto ms = resolve_date(Json(text), *format, utc_at("2026-03-29T10:20:30Z"), berlin, up);
    CAPTURE(text);
    REQUIRE(ms.ok());
    return format_iso8601(*ms);
  };
  CHECK(at("2026-01-05") == "2026-01-04T23:00:00.000Z");
  CHECK(at("2026-07-05") == "2026-07-04T22:00:00.000Z");
  CHECK(at("2026-07-05T10:00:00Z") == "2026-07-05T10:00:00.000Z");
  CHECK(at("2026-03", true) == "2026-03-01T22:59:59.999Z");
  CHECK(at("2026-03-29", true) == "2026-03-29T21:59:59.999Z");
  CHECK(at("now/d") == "2026-03-28T23:00:00.000Z");
  CHECK(at("now/d", true) == "2026-03-29T21:59:59.999Z");
  CHECK(at("now-1d") == "2026-03-28T11:20:30.000Z");
  CHECK(at("now-24h") == "2026-03-28T10:20:30.000Z");
  const auto ahead = resolve_date(Json("2026-03"), *format, 0, zone_named("+01:00"), true);
  CHECK(format_iso8601(*ahead) == "2026-03-01T22:59:59.999Z");
}

TEST_CASE("dates: written in a zone") {
  const std::int64_t ms = utc_at("2026-07-05T22:30:00Z");
  const auto berlin = zone_named("Europe/Berlin");
  const auto shown = [&](const char* format, const text::TimeZone& zone) {
    return DateFormat::parse(format)->write(ms, zone);
  };
  CHECK(shown("strict_date_optional_time", berlin) == "2026-07-06T00:30:00.000+02:00");
  CHECK(shown("yyyy-MM-dd", berlin) == "2026-07-06");
  CHECK(shown("HH:mm XXX", berlin) == "00:30 +02:00");
  CHECK(shown("HH:mm X", berlin) == "00:30 +02");
  CHECK(shown("HH:mm Z", zone_named("-03:30")) == "19:00 -0330");
  CHECK(shown("HH:mm XXX", {}) == "22:30 Z");
  CHECK(shown("HH:mm xxx", {}) == "22:30 +00:00");
  CHECK(shown("epoch_millis", berlin) == std::to_string(ms));
}

TEST_CASE("date steps: days of 23 and 25 hours, hours that come twice, skipped midnights") {
  const auto starts = [](const DateSteps& steps, const char* from, const char* to) {
    std::vector<std::string> out;
    for (std::int64_t at = steps.key(utc_at(from)); at < utc_at(to); at = steps.next(at)) {
      out.push_back(format_iso8601(at).substr(0, 16));
      // Every moment up to the next start is in this step.
      for (const std::int64_t in : {at, (at + steps.next(at)) / 2, steps.next(at) - 1})
        CHECK_MESSAGE(steps.key(in) == at, format_iso8601(in));
    }
    return out;
  };
  using Starts = std::vector<std::string>;
  const auto berlin = zone_named("Europe/Berlin");
  CHECK(starts({.unit = DateUnit::day, .zone = berlin}, "2026-03-28T12:00Z", "2026-03-31T00:00Z") ==
        Starts{"2026-03-27T23:00", "2026-03-28T23:00", "2026-03-29T22:00", "2026-03-30T22:00"});
  CHECK(starts({.unit = DateUnit::month, .zone = berlin}, "2026-03-02", "2026-05-01") ==
        Starts{"2026-02-28T23:00", "2026-03-31T22:00", "2026-04-30T22:00"});
  CHECK(
      starts({.unit = DateUnit::hour, .zone = berlin}, "2026-10-25T00:10Z", "2026-10-25T03:00Z") ==
      Starts{"2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00"});
  CHECK(starts({.fixed_ms = 12 * 3'600'000, .zone = berlin}, "2026-03-28T23:30Z",
               "2026-03-30T00:00Z") ==
        Starts{"2026-03-28T23:00", "2026-03-29T10:00", "2026-03-29T22:00"});
  CHECK(starts({.shift_ms = 6 * 3'600'000, .zone = zone_named("-01:00")}, "2026-01-01T08:00Z",
               "2026-01-03T00:00Z") == Starts{"2026-01-01T07:00", "2026-01-02T07:00"});
  // In Santiago clocks skip from 24:00 to 01:00: the day begins at 01:00.
  CHECK(starts({.zone = zone_named("America/Santiago")}, "2026-09-05T12:00Z",
               "2026-09-07T00:00Z") == Starts{"2026-09-05T04:00", "2026-09-06T04:00"});
}
