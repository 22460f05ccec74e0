// SPDX-License-Identifier: Apache-2.0
#include "index/live_settings.h"

#include <doctest/doctest.h>

#include <string>

namespace cairn::index::live_settings_test {
namespace {

TEST_CASE("indices that writes make: the first pattern that fits decides") {
  struct Row {
    std::string_view rule, name, fault;
  };
  const Row rows[] = {
      {"true", "a", ""},
      {"false", "a", "no such index [a] and [action.auto_create_index] is [false]"},
      {"logs-*", "logs-1", ""},
      {"+logs-*, -*", "logs-1", ""},
      {"-logs-x*,logs-*", "logs-xy",
       "no such index [logs-xy] and [action.auto_create_index] contains [-logs-x*] which forbids "
       "automatic creation of the index"},
      {"-logs-x*,logs-*", "logs-y", ""},
      {"logs-*", "books",
       "no such index [books] and [action.auto_create_index] ([logs-*]) doesn't match"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.rule);
    const auto rule = AutoCreateRule::parse(row.rule);
    REQUIRE(rule.ok());
    const Status checked = rule->check(row.name);
    CHECK((checked.ok() ? std::string() : checked.error().message) == row.fault);
  }
  for (const std::string_view bad : {"", "a,,b", "a,-", "+"}) CHECK(!AutoCreateRule::parse(bad).ok());
}

}  // namespace
}  // namespace cairn::index::live_settings_test
