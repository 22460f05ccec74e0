// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/cron.h"

#include <doctest/doctest.h>

#include "format/time.h"

namespace cron_test {

using cairn::connectors::Cron;

TEST_CASE("cron: the next moment after a given one") {
  struct Case { const char *expression, *after, *next; };
  const Case cases[] = {
      {"0 0 0 * * ?", "2026-01-31T08:05:09Z", "2026-02-01T00:00:00.000Z"},
      {"0 0 0 * * ?", "2026-02-01T00:00:00Z", "2026-02-02T00:00:00.000Z"},
      {"*/15 * * * * ?", "2026-01-31T08:05:09Z", "2026-01-31T08:05:15.000Z"},
      {"0 30 9-17/4 ? * MON-FRI", "2026-01-31T08:05:09Z", "2026-02-02T09:30:00.000Z"},
      {"0 30 9-17/4 ? * MON-FRI", "2026-02-02T09:30:00Z", "2026-02-02T13:30:00.000Z"},
      {"0 0 12 L * ?", "2026-02-01T00:00:00Z", "2026-02-28T12:00:00.000Z"},
      {"0 0 0 29 2 ?", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00.000Z"},
      {"0 0 0 1 1 ? 2030", "2026-01-01T00:00:00Z", "2030-01-01T00:00:00.000Z"},
      {"5,10 0 0 * * ?", "2026-01-31T00:00:05Z", "2026-01-31T00:00:10.000Z"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.expression);
    const auto cron = Cron::parse(c.expression);
    REQUIRE(cron.ok());
    const auto next = cron->next_after_ms(*cairn::parse_iso8601(c.after));
    REQUIRE(next.has_value());
    CHECK(cairn::format_iso8601(*next) == c.next);
  }
}

TEST_CASE("cron: nothing where the years are over") {
  const auto cron = Cron::parse("0 0 0 1 1 ? 2020");
  REQUIRE(cron.ok());
  CHECK_FALSE(cron->next_after_ms(*cairn::parse_iso8601("2026-01-01T00:00:00Z")).has_value());
}

TEST_CASE("cron: refuses what is no expression, and names the field") {
  for (const char* text : {"", "* * * * *", "60 * * * * ?", "* * 24 * * ?", "* * * 0 * ?",
                           "* * * * 13 ?", "* * * * * 8", "a * * * * ?", "*/0 * * * * ?",
                           "5-1 * * * * ?", "* * * * * ? * *", "1, * * * * ?"}) {
    CAPTURE(text);
    CHECK_FALSE(Cron::parse(text).ok());
  }
  CHECK(Cron::parse("* * 24 * * ?").error().message.find("hours") != std::string::npos);
}

}  // namespace cron_test
