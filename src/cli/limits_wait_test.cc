// SPDX-License-Identifier: Apache-2.0
#include "cli/limits_wait.h"

#include <doctest/doctest.h>

namespace cairn::cli::limits_wait_test {
namespace {

TEST_CASE("limits wait: an answer is read as curl prints it") {
  const auto read = read_printed_response(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302 Found\r\nLocation: /b\r\nRetry-After: 9\r\n\r\n"
      "HTTP/2 429 \r\nRetry-After: 7\r\nX-RateLimit-Remaining:0\r\nodd line\r\n\r\n{\"a\": 1}");
  REQUIRE(read.ok());
  CHECK(read->status == 429);
  CHECK(read->header("retry-after") == "7");
  CHECK(read->header("x-ratelimit-remaining") == "0");
  CHECK_FALSE(read->header("location").has_value());
  CHECK(read->body == "{\"a\": 1}");
  // A body that looks like a head belongs to the answer.
  const auto body = read_printed_response("HTTP/1.1 200 OK\n\nHTTP/1.1 429 No\n\n");
  REQUIRE(body.ok());
  CHECK(body->status == 200);
  const auto bare = read_printed_response("HTTP/1.1 403");
  REQUIRE(bare.ok());
  CHECK(bare->status == 403);
  for (const auto* text : {"", "\n", "{}", "HTTP/1.1", "HTTP/1.1 abc", "HTTP/1.1 99 x",
                           "HTTP/1.1 600 x", "429 Too Many"}) {
    CAPTURE(text);
    CHECK_FALSE(read_printed_response(text).ok());
  }
}

}  // namespace
}  // namespace cairn::cli::limits_wait_test
