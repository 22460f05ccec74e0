// SPDX-License-Identifier: Apache-2.0
#include "gate/limit_fields.h"

#include <doctest/doctest.h>

#include <limits>

namespace cairn::gate::limit_fields_test {
namespace {

constexpr ratelimit::WindowState window{.limit = 5'000,
                                        .used = 1,
                                        .remaining = 4'999,
                                        .wait_s = 3'580,
                                        .reset_s = 1'700'003'600,
                                        .window_s = 3'600};

TEST_CASE("limit fields: both kinds from one window") {
  net::HeadLines lines;
  add_fields(lines, window, "core");
  CHECK(lines.text() ==
        "x-ratelimit-limit: 5000\r\nx-ratelimit-remaining: 4999\r\nx-ratelimit-used: 1\r\n"
        "x-ratelimit-reset: 1700003600\r\nx-ratelimit-resource: core\r\n"
        "ratelimit-policy: \"core\";q=5000;w=3600\r\nratelimit: \"core\";r=4999;t=3580\r\n");
  CHECK(policy_item(window, "core") == "\"core\";q=5000;w=3600");
  CHECK(limit_item(window, "core") == "\"core\";r=4999;t=3580");
}

TEST_CASE("limit fields: there is room for the largest numbers and a long name") {
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  const ratelimit::WindowState large{.limit = most,
                                     .used = most,
                                     .remaining = most,
                                     .wait_s = most,
                                     .reset_s = std::numeric_limits<std::int64_t>::min(),
                                     .window_s = most};
  net::HeadLines lines;
  add_fields(lines, large, std::string(200, 'n'));
  CHECK(lines.text().ends_with(";r=4294967295;t=4294967295\r\n"));
  CHECK(lines.text().find("\"" + std::string(64, 'n') + "\"") != std::string::npos);
}

TEST_CASE("limit fields: rules are items of their own, bytes in bytes") {
  const ratelimit::LimitRule few{.name = "few"};
  const ratelimit::LimitRule up{.name = "up", .weight = ratelimit::RuleWeight::bytes};
  const RuleItems items =
      items_of({{.rule = &few, .window = window}, {.rule = &up, .window = window}});
  CHECK(items.policies == ", \"few\";q=5000;w=3600, \"up\";q=5120000;w=3600;qu=\"content-bytes\"");
  CHECK(items.limits == ", \"few\";r=4999;t=3580, \"up\";r=5118976;t=3580");
}

}  // namespace
}  // namespace cairn::gate::limit_fields_test
