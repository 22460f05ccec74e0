// SPDX-License-Identifier: Apache-2.0
// Tests of log.h.
#include "os/log.h"

#include <doctest/doctest.h>

#include <cmath>
#include <thread>
#include <vector>

using namespace cairn::os;

namespace {

// Takes the log for a scope and gives back what was written.
class Capture {
 public:
  Capture(LogLevel lowest, LogFormat format) {
    configure_log(lowest, format, [this](std::string_view line) { lines.emplace_back(line); });
  }
  ~Capture() { configure_log(LogLevel::info, LogFormat::automatic); }
  std::vector<std::string> lines;  // under the lock of the log
};

// A line without its time, which comes first in both formats.
std::string rest(const std::string& line, std::size_t time) { return line.substr(time); }

}  // namespace

TEST_CASE("log: JSON lines hold numbers as numbers, and every character") {
  Capture capture(LogLevel::info, LogFormat::json);
  log(LogLevel::info, "net", "request done",
      {{"status", 200},
       {"path", "/a\"\n\x1B[31m\xFF"},
       {"ok", true},
       {"took", 1.5},
       {"big", std::uint64_t{1} << 63},
       {"odd", std::nan("")}});
  REQUIRE(capture.lines.size() == 1);
  const std::string& line = capture.lines[0];
  CHECK(line.starts_with("{\"time\":\"20"));
  CHECK(line.substr(32, 2) == "Z\"");
  CHECK(rest(line, 34) ==
        ",\"level\":\"info\",\"room\":\"net\",\"event\":\"request done\",\"status\":200,"
        "\"path\":\"/a\\\"\\n\\u001b[31m\xEF\xBF\xBD\",\"ok\":true,\"took\":1.5,"
        "\"big\":9223372036854775808,\"odd\":\"nan\"}\n");
}

TEST_CASE("log: text lines quote only where needed, and cannot be broken by a field") {
  Capture capture(LogLevel::debug, LogFormat::text);
  log(LogLevel::warn, "os", "disk is slow",
      {{"disk", "sda"}, {"why", "two words"}, {"none", ""}, {"evil", "a\nfake line"}, {"n", 3u}});
  REQUIRE(capture.lines.size() == 1);
  CHECK(
      rest(capture.lines[0], 24) ==
      " warn  os: disk is slow disk=sda why=\"two words\" none=\"\" evil=\"a\\nfake line\" n=3\n");
}

TEST_CASE("log: fields named like secrets are masked in both formats") {
  for (const LogFormat format : {LogFormat::json, LogFormat::text}) {
    Capture capture(LogLevel::info, format);
    log(LogLevel::info, "auth", "event",
        {{"Authorization", "hidden-1"},
         {"client_secret", "hidden-2"},
         {"password", "hidden-3"},
         {"access_token", "hidden-4"},
         {"api_key", "hidden-5"},
         {"tokens", 12},
         {"user", "ann"}});
    REQUIRE(capture.lines.size() == 1);
    CHECK(capture.lines[0].find("hidden") == std::string::npos);
    CHECK(capture.lines[0].find("***") != std::string::npos);
    CHECK(capture.lines[0].find("12") != std::string::npos);
    CHECK(capture.lines[0].find("ann") != std::string::npos);
  }
}

TEST_CASE("log: levels below the lowest are not written") {
  Capture capture(LogLevel::warn, LogFormat::text);
  log(LogLevel::debug, "os", "no");
  log(LogLevel::info, "os", "no");
  log(LogLevel::warn, "os", "yes");
  log(LogLevel::error, "os", "yes");
  CHECK(capture.lines.size() == 2);
}

TEST_CASE("log: lines of a thread carry its request, and those of others do not") {
  Capture capture(LogLevel::info, LogFormat::json);
  {
    const LogRequest outer("req-1");
    log(LogLevel::info, "api", "inside");
    {
      const LogRequest inner("req-2");
      log(LogLevel::info, "api", "deeper");
    }
    log(LogLevel::info, "api", "outside again");
    std::jthread([] { log(LogLevel::info, "api", "elsewhere"); });
  }
  log(LogLevel::info, "api", "after");
  REQUIRE(capture.lines.size() == 5);
  CHECK(capture.lines[0].find("\"request_id\":\"req-1\"") != std::string::npos);
  CHECK(capture.lines[1].find("\"request_id\":\"req-2\"") != std::string::npos);
  CHECK(capture.lines[2].find("\"request_id\":\"req-1\"") != std::string::npos);
  CHECK(capture.lines[3].find("request_id") == std::string::npos);
  CHECK(capture.lines[4].find("request_id") == std::string::npos);
}

TEST_CASE("log: lines of many threads stay whole") {
  Capture capture(LogLevel::info, LogFormat::text);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 100; ++i) log(LogLevel::info, "os", "event", {{"i", i}});
      });
    }
  }
  REQUIRE(capture.lines.size() == 400);
  for (const std::string& line : capture.lines) {
    CHECK(line.find('\n') == line.size() - 1);
  }
}
