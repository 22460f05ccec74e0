// SPDX-License-Identifier: Apache-2.0
// Date math in names: forms, zones, several names, and what is refused.
#include "index/names/dated_names.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "format/time.h"

namespace cairn::index::dated_names_test {
namespace {

std::string named(const std::string& expression) {
  // The next day in Auckland, where the clocks are 13 hours ahead.
  const auto name = resolve_dated_names(expression, parse_iso8601("2024-03-22T12:30:00Z").value());
  CAPTURE(expression);
  REQUIRE_MESSAGE(name.ok(), name.error().message);
  return *name;
}

}  // namespace

TEST_CASE("dated names: what is between < and > is counted, rounded and written") {
  const std::pair<const char*, const char*> cases[] = {
      {"<logs-{now/d}>", "logs-2024.03.22"},
      {"<logs-{now/M}>", "logs-2024.03.01"},
      {"<logs-{now/M{yyyy.MM}}>", "logs-2024.03"},
      {"<logs-{now/M-1M{yyyy.MM}}>", "logs-2024.02"},
      {"<logs-{now/d{yyyy.MM.dd|+13:00}}>", "logs-2024.03.23"},
      {"<logs-{now/d{yyyy-MM-dd|Pacific/Auckland}}>", "logs-2024-03-23"},
      {"<logs-{now{HH|Asia/Kolkata}}-of-{now{yyyy}}>", "logs-18-of-2024"},
      {"<logs-{2024.05.17||/M}>", "logs-2024.05.01"},
      {"<{now/d}-*>", "2024.03.22-*"},
      {"<elastic\\{ON\\}-{now/M}>", "elastic{ON}-2024.03.01"},
      {"<plain>", "plain"},
      {"logs-*,-<logs-{now/d}>,<a-{now/y{yyyy}}>", "logs-*,-logs-2024.03.22,a-2024"},
      {"logs,books", "logs,books"},
      {"a<b", "a<b"},
      {"", ""}};
  for (const auto& [expression, name] : cases) CHECK(named(expression) == name);
}

TEST_CASE("dated names: what is no such name is refused, and told why") {
  const std::pair<const char*, const char*> cases[] = {
      {"<logs-{now/d>", "placeholder is open ended"},
      {"<logs-{now/d{yyyy}>", "missing closing `}`"},
      {"<logs-{now/d{yyyy>", "placeholder is open ended"},
      {"<logs-{now/d{}}>", "missing date format"},
      {"<logs-{now/d{yyyy{MM}}}>", "invalid character in placeholder at position [17]"},
      {"<logs-now}>", "invalid character at position [9]"},
      {"<logs-{}>", "missing date math"},
      {"<>", "nothing captured"},
      {"<logs-{now/x}>", "operator not supported"},
      {"<logs-{now{yyyy|Mars}}>", "Unknown time-zone ID: Mars"},
      {"<logs-{yesterday}>", "failed to parse date field [yesterday]"}};
  for (const auto& [expression, why] : cases) {
    const auto name = resolve_dated_names(expression, 0);
    CAPTURE(expression);
    REQUIRE_FALSE(name.ok());
    CHECK(name.error().kind == ErrorKind::invalid_argument);
    CHECK(name.error().message.find(why) != std::string::npos);
  }
}

}  // namespace cairn::index::dated_names_test
