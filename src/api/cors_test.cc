// SPDX-License-Identifier: Apache-2.0
#include "api/cors.h"

#include <doctest/doctest.h>

namespace cairn::api::cors_test {
namespace {

std::string told(const Cors& cors, std::string_view origin) {
  net::RequestHead head;
  if (!origin.empty()) head.headers.add("Origin", origin);
  net::HeadLines lines;
  cors.put(head, lines);
  net::Headers headers;
  lines.add_to(headers);
  return std::string(headers.find("vary").value_or("-")) + " " +
         std::string(headers.find("access-control-allow-origin").value_or("-"));
}

}  // namespace

TEST_CASE("origins are told what they may, and caches that it depends on them") {
  CHECK(told(Cors({}), "https://a.example") == "- -");
  const Cors some({.enabled = true, .allow_origin = {"https://A.example", "http://b.example:1"}});
  CHECK(told(some, "https://a.example") == "Origin https://a.example");
  CHECK(told(some, "http://b.example:1") == "Origin http://b.example:1");
  for (const auto* other :
       {"", "null", "http://a.example", "https://a.example.org", "https://a.example:1"})
    CHECK(told(some, other) == "Origin -");
  CHECK(told(Cors({.enabled = true, .allow_origin = {"*"}}), "https://x.example") == "Origin *");
}

TEST_CASE("origins in settings") {
  const auto valid = [](std::vector<std::string> origins) {
    return CorsOptions{.enabled = true, .allow_origin = std::move(origins)}.validate().ok();
  };
  CHECK(CorsOptions{}.validate().ok());
  CHECK(valid({"*"}));
  CHECK(valid({"https://a.example", "http://[::1]:3000"}));
  for (const auto* wrong :
       {"", "null", "a.example", "https://a.example/", "https://a.example/x", "https://u@a.example",
        "ftp://a.example", "https://*.example/", "https://a.example#x"})
    CHECK_FALSE(valid({wrong}));
  CHECK_FALSE(valid({}));
}

}  // namespace cairn::api::cors_test
