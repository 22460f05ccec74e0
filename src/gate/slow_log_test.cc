// SPDX-License-Identifier: Apache-2.0
#include "gate/slow_log.h"

#include <doctest/doctest.h>

#include <string>

#include "format/json.h"
#include "os/log.h"

namespace slow_log_test {

using namespace cairn;
using namespace cairn::gate;

namespace {

struct LogOfTest {
  LogOfTest() {
    os::configure_log(os::LogLevel::info, os::LogFormat::json,
                      [this](std::string_view text) { line = text; });
  }
  ~LogOfTest() { os::configure_log(os::LogLevel::info, os::LogFormat::automatic); }
  std::string line;
};

constexpr std::int64_t ms = 1'000'000;

Route row(const char* operation, const char* resource = "core") {
  return {.method = "POST", .path = "/", .operation = operation, .resource = resource};
}

}  // namespace

TEST_CASE("slow log: what is slow, by kind") {
  os::Metrics metrics;
  const SlowLog log({.search_ms = 10, .indexing_ms = 0, .objects_ms = 100}, metrics);
  CHECK_FALSE(log.is_slow(SlowKind::search, 10 * ms - 1));
  CHECK(log.is_slow(SlowKind::search, 10 * ms));
  CHECK_FALSE(log.is_slow(SlowKind::indexing, 1'000'000 * ms));
  CHECK(log.is_slow(SlowKind::objects, 100 * ms));
  CHECK_FALSE(log.is_slow(SlowKind::none, 1'000'000 * ms));
}

TEST_CASE("slow log: kinds of rows") {
  CHECK(slow_kind_of(row("search", "search")) == SlowKind::search);
  CHECK(slow_kind_of(row("bulk")) == SlowKind::indexing);
  CHECK(slow_kind_of(row("index")) == SlowKind::indexing);
  CHECK(slow_kind_of(row("indices.create")) == SlowKind::none);
}

TEST_CASE("slow log: a line of a search, and none of its secrets") {
  os::Metrics metrics;
  const SlowLog log({.query_bytes_max = 200}, metrics);
  LogOfTest seen;
  log.write({.kind = SlowKind::search,
             .operation = "search",
             .index = "books",
             .parameters = "q=title:one&api_key=abc&source={}&size=3",
             .query = R"({"query": {"match_all": {}}, "x": [{"Password": "open", "n": 1}]})",
             .api_key = "key-id",
             .took_ns = 1'234 * ms,
             .status = 200});
  const auto line = parse_json(seen.line);
  REQUIRE(line.ok());
  CHECK(line->string_or("event") == "slow_request");
  CHECK(line->string_or("level") == "warn");
  CHECK(line->string_or("kind") == "search");
  CHECK(line->string_or("index") == "books");
  CHECK(line->int_or("took_ms") == 1'234);
  CHECK(line->int_or("status") == 200);
  CHECK(line->string_or("key") == "key-id");
  CHECK(line->string_or("parameters") == "q=title:one&size=3");
  CHECK(line->string_or("query") == R"({"query":{"match_all":{}},"x":[{"Password":"***","n":1}]})");
  CHECK(metrics.expose().find("cairn_slow_requests_total{kind=\"search\"} 1") != std::string::npos);
}

TEST_CASE("slow log: documents and objects are named, and not shown") {
  os::Metrics metrics;
  const SlowLog log({}, metrics);
  LogOfTest seen;
  log.write({.kind = SlowKind::indexing,
             .operation = "bulk",
             .index = std::string(1000, 'i'),
             .parameters = "refresh=true",
             .query = R"({"a": "document"})",
             .took_ns = ms,
             .status = 200});
  CHECK(seen.line.find("document") == std::string::npos);
  CHECK(seen.line.size() < 800);
  log.write({.kind = SlowKind::objects,
             .operation = "GetObject",
             .index = "photos",
             .object = "a/b",
             .took_ns = ms,
             .status = 206});
  const auto line = parse_json(seen.line);
  REQUIRE(line.ok());
  CHECK(line->string_or("bucket") == "photos");
  CHECK(line->string_or("object") == "a/b");
}

TEST_CASE("slow log: queries are cut between letters, and lines of JSON are lines") {
  CHECK(shown_query("{\"a\":\"\xC3\xA9\xC3\xA9\"}", 7) == "{\"a\":\"…");
  CHECK(shown_query("{\"index\":\"a\"}\n{\"query\":{\"token\":1}}\n", 100) ==
        R"({"index":"a"} {"query":{"token":"***"}})");
  CHECK(shown_query("no json", 100).empty());
  CHECK(shown_query("", 100).empty());
  CHECK(shown_query(std::string(2 << 20, ' '), 100) == "(2097152 bytes)");
}

}  // namespace slow_log_test
