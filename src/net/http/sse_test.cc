// SPDX-License-Identifier: Apache-2.0
#include "net/http/sse.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace sse_test {

using namespace cairn;
using namespace cairn::net;

namespace {

// Every event as event|data|id|retry, fed in pieces of `step` bytes.
std::vector<std::string> parse(std::string_view text, std::size_t step) {
  SseParser parser;
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size(); at += step) {
    REQUIRE(parser.feed(text.substr(at, step)).ok());
    while (const auto event = parser.next()) {
      all.push_back(event->event + "|" + event->data + "|" + event->id + "|" +
                    (event->retry_ms ? std::to_string(*event->retry_ms) : ""));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("sse: streams are taken apart as the standard says, in pieces of any size") {
  struct Case {
    std::string text;
    std::vector<std::string> events;
  };
  const std::vector<Case> cases = {
      {"data: a\n\n", {"|a||"}},
      {"data:a\n\n", {"|a||"}},
      {"data:  a\n\n", {"| a||"}},
      {"data: YHOO\ndata: +2\ndata: 10\n\n", {"|YHOO\n+2\n10||"}},
      {": hello\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third\n\n",
       {"|first event|1|", "|second event||", "| third||"}},
      {"data\n\ndata\ndata\n\ndata:", {"|||", "|\n||"}},
      {"data:test\n\ndata: test\n\n", {"|test||", "|test||"}},
      {"event: add\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", {"add|1||", "|2||"}},
      {"event: add\rdata: 1\r\rdata: 2\r\r", {"add|1||", "|2||"}},
      {"event: lost\n\ndata: x\n\n", {"|x||"}},
      {"\xef\xbb\xbf"
       "data: bom\n\n",
       {"|bom||"}},
      {"data: \xef\xbb\xbf\n\n", {"|\xef\xbb\xbf||"}},
      {"retry: 250\ndata: x\n\nretry: 1x\ndata: y\n\n", {"|x||250", "|y||250"}},
      {"id: 7\ndata: x\n\ndata: y\n\n", {"|x|7|", "|y|7|"}},
      {std::string("id: a\0b\ndata: x\n\n", 17), {"|x||"}},
      {"unknown: x\nDATA: y\ndata: z\n\n", {"|z||"}},
      {"data: cut off", {}},
      {"data: cut off\n", {}},
      {"\n\n\n", {}},
      {"data: {\"a\": \"b: c\"}\n\n", {"|{\"a\": \"b: c\"}||"}},
  };
  for (const Case& each : cases) {
    CAPTURE(each.text);
    for (const std::size_t step : {1u, 2u, 3u, 5u, 1000u})
      CHECK(parse(each.text, step) == each.events);
  }
}

TEST_CASE("sse: what is written is what is read") {
  for (const std::string data : {"", "a", "a\nb", "a\n", "\n", "\n\na\n", " a", "a\r\nb", ":x"}) {
    for (const std::string name : {"", "done"}) {
      CAPTURE(data);
      const std::string text = format_sse({.event = name, .data = data, .id = "9", .retry_ms = 5});
      std::string expected = data;
      if (const auto at = expected.find("\r\n"); at != std::string::npos) expected.erase(at, 1);
      for (const std::size_t step : {1u, 1000u}) {
        CHECK(parse(text, step) == std::vector<std::string>{name + "|" + expected + "|9|5"});
      }
    }
  }
}

TEST_CASE("sse: names and ids cannot begin another field") {
  const std::string text =
      format_sse({.event = "a\ndata: b", .data = "x", .id = "1\r\n\r\ndata: y"});
  CHECK(parse(text, 1000) == std::vector<std::string>{"adata: b|x|1data: y|"});
}

TEST_CASE("sse: an event without end is refused at the limit") {
  SseParser lines(1000);
  Status status = ok_status();
  for (int i = 0; i < 2000 && status.ok(); ++i) status = lines.feed("x");
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().kind == ErrorKind::too_large);
  SseParser fields(1000);
  status = ok_status();
  for (int i = 0; i < 2000 && status.ok(); ++i) status = fields.feed("data: x\n");
  CHECK_FALSE(status.ok());
}

TEST_CASE("sse: a reader gives events until the body ends") {
  StringBody body("data: 1\n\ndata: 2\nid: z\n\ndata: lost");
  SseReader reader(body);
  const auto one = reader.next();
  CHECK((one.ok() && *one && (*one)->data == "1"));
  const auto two = reader.next();
  CHECK((two.ok() && *two && (*two)->data == "2"));
  const auto end = reader.next();
  CHECK((end.ok() && !*end));
  CHECK(reader.last_id() == "z");
}

}  // namespace sse_test
