// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "cli/top/metrics_text.h"
#include "cli/top/top_figures.h"
#include "cli/top/top_screen.h"
#include "os/metrics.h"

namespace cairn::cli::top_test {

TEST_CASE("top: what the registry writes is read back, labels with every character too") {
  os::Metrics metrics;
  metrics.counter("cairn_a_total", "Of a", {{"operation", "a\\b\"c\nd,e}"}, {"x", ""}}).add(7);
  metrics.gauge("cairn_b", "Of b").set(-3);
  metrics.histogram("cairn_c_seconds", "Of c").observe_ns(1'000'000);
  const auto samples = read_metrics(metrics.expose());
  REQUIRE(samples.size() >= 4);
  bool a = false, b = false, infinite = false;
  for (const auto& sample : samples) {
    if (sample.name == "cairn_a_total") {
      a = true;
      CHECK(sample.label("operation") == "a\\b\"c\nd,e}");
      CHECK(sample.label("x").empty());
      CHECK(sample.value == 7);
    }
    if (sample.name == "cairn_b") {
      b = true;
      CHECK(sample.value == -3);
    }
    if (sample.name == "cairn_c_seconds_bucket" && sample.label("le") == "+Inf") infinite = true;
  }
  CHECK(a);
  CHECK(b);
  CHECK(infinite);
}

TEST_CASE("top: lines that are no samples are left out") {
  for (const char* text :
       {"", "#", "a", "a{", "a{b", "a{b=", "a{b=\"", "a{b=\"c", "a{b=\"c\\", "a{b=\"c\"",
        "a{b=\"c\"}", "a{b=\"c\"} x", "a NaN", "{} ", " ", "a{b=\"c\",,} 1 2 3\x01"})
    CHECK(read_metrics(text).size() <= 1);
  const auto one = read_metrics("# HELP a b\na{b=\"c\"} 5 1700000000000\r\n\n");
  REQUIRE(one.size() == 1);
  CHECK(one[0].value == 5);
}

TEST_CASE(
    "top: rates are of what happened between two looks; a server started anew counts from zero") {
  TopLook before{.steady_ns = 1'000'000'000}, now{.steady_ns = 3'000'000'000};
  before.operations[{"platform", "search"}] = {.requests = 100,
                                               .failures = 1,
                                               .refused = 2,
                                               .seconds = 1,
                                               .within = {{0.01, 90}, {0.1, 100}}};
  now.operations[{"platform", "search"}] = {.requests = 120,
                                            .failures = 3,
                                            .refused = 2,
                                            .seconds = 2,
                                            .within = {{0.01, 99}, {0.1, 120}}};
  before.operations[{"platform", "bulk"}] = {.requests = 1000};
  now.operations[{"platform", "bulk"}] = {.requests = 4};
  const Json figures = top_figures(before, now, 0);
  CHECK(figures.find("requests")->double_or("per_second") == 12.0);
  const auto& operations = figures.find("operations")->as_array();
  REQUIRE(operations.size() == 2);
  CHECK(operations[0].string_or("operation") == "search");
  CHECK(operations[0].double_or("per_second") == 10.0);
  CHECK(operations[0].double_or("failed_per_second") == 1.0);
  CHECK(operations[0].double_or("refused_per_second") == 0.0);
  CHECK(operations[0].double_or("mean_ms") == 50.0);
  CHECK(operations[0].double_or("p95_ms") == 100.0);
  CHECK(operations[1].double_or("per_second") == 2.0);
}

TEST_CASE("top: the screen is never wider or higher than the terminal, and obeys nobody's names") {
  TopLook before{.steady_ns = 1}, now{.steady_ns = 1'000'000'001};
  for (int i = 0; i < 60; ++i)
    now.operations[{"platform", "operation." + std::to_string(i)}] = {.requests = double(i)};
  now.info = Json::object({{"name",
                            "n\xc3\xb6"
                            "de"},
                           {"cluster_name", "c"}});
  now.tasks = Json::object(
      {{"tasks", Json::array({Json::object({{"node", "n"},
                                            {"id", 1},
                                            {"action", "reindex"},
                                            {"description", "evil\x1b[2J\x07 title"}})})}});
  now.jobs = Json::object(
      {{"results", Json::array({Json::object({{"id", "j"},
                                              {"status", "in_progress"},
                                              {"job_type", "full"},
                                              {"connector", Json::object({{"id", "docs"}})}})})}});
  now.identities = Json::object(
      {{"identities",
        Json::array({Json::object(
            {{"identity", "user:ann"}, {"used", 7}, {"limit", 5000}, {"remaining", 4993}})})}});
  now.denied = {"identities"};
  const Json figures = top_figures(before, now, 0);
  for (const ScreenSize size :
       {ScreenSize{80, 24}, ScreenSize{20, 5}, ScreenSize{300, 100}, ScreenSize{1, 1}}) {
    const auto lines = top_screen(figures, size);
    CHECK(lines.size() <= size.rows);
    for (const auto& line : lines) {
      std::size_t characters = 0;
      for (const char c : line) characters += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
      CHECK(characters <= size.columns);
      CHECK(line.find('\x1b') == std::string::npos);
      CHECK(line.find('\x07') == std::string::npos);
    }
  }
  std::string all;
  for (const auto& line : top_screen(figures, {.columns = 200, .rows = 40})) all += line + "\n";
  for (const char* part : {"docs", "reindex", "operation.59", "identities", "user:ann", "4993",
                           "n\xc3\xb6"
                           "de"})
    CHECK_MESSAGE(all.find(part) != std::string::npos, part);
  CHECK(top_screen(figures, {.columns = 200, .rows = 0}).size() > 60);
}

}  // namespace cairn::cli::top_test
