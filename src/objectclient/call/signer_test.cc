// SPDX-License-Identifier: Apache-2.0
#include "objectclient/call/signer.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "format/time.h"
#include "os/log.h"

namespace cairn::objectclient::signer_test {
namespace {

/// What the log is told meanwhile.
class ToldLines {
 public:
  ToldLines() {
    os::configure_log(os::LogLevel::info, os::LogFormat::json,
                      [this](std::string_view line) { lines_.emplace_back(line); });
  }
  ~ToldLines() { os::configure_log(os::LogLevel::info, os::LogFormat::automatic); }
  ToldLines(const ToldLines&) = delete;
  ToldLines& operator=(const ToldLines&) = delete;

  std::string take() {
    std::string out;
    for (const std::string& line : lines_) out += line + "\n";
    lines_.clear();
    return out;
  }

 private:
  std::vector<std::string> lines_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("clock skew: a clock that differs is told once, with the seconds, and when it is right") {
  constexpr std::int64_t there_ms = 1'700'000'000'000, hour_ms = 3'600'000;
  net::Headers headers;
  headers.add("Date", format_http_date(there_ms));
  ToldLines told;
  ClockSkew skew;
  CHECK_FALSE(skew.learn("h", headers, there_ms - 299'000, 0));
  CHECK(told.take().empty());
  CHECK(skew.learn("h", headers, there_ms - hour_ms, 0));
  const std::string first = told.take();
  CHECK(has(first, R"("level":"warn")"));
  CHECK(has(first, R"("event":"clock_differs","host":"h","service_ahead_seconds":3600)"));
  // Another call that began before learns the same.
  CHECK(skew.learn("h", headers, there_ms - hour_ms + 20, 0));
  CHECK(told.take().empty());
  CHECK(skew.learn("other", headers, there_ms + hour_ms, 0));
  CHECK(has(told.take(), R"("host":"other","service_ahead_seconds":-3600)"));
  // The machine's clock was set right: what is signed an hour ahead is wrong now.
  CHECK(skew.learn("h", headers, there_ms, hour_ms));
  CHECK(has(told.take(), R"("event":"clock_agrees","host":"h")"));
  CHECK(skew.ahead_ms("h") == 0);
}

}  // namespace cairn::objectclient::signer_test
