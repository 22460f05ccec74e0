// SPDX-License-Identifier: Apache-2.0
#include "app/monitoring/otlp.h"

#include <doctest/doctest.h>

#include "app/settings/trace_options.h"
#include "format/json.h"

namespace otlp_test {

using namespace cairn;
using namespace cairn::app;

TEST_CASE("otlp: a request, member by member") {
  auto context = *os::read_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  context.parent = 0x12;
  context.state = "a=1";
  const std::string text = otlp_request(
      {{"service.name", "cairn"}},
      {{.context = context,
        .kind = os::Span::Kind::client,
        .name = "GET",
        .begin_ns = 1'700'000'000'123'456'789,
        .end_ns = 1'700'000'000'223'456'789,
        .attributes = {{"http.response.status_code", std::int64_t{503}},
                       {"url.path", std::string("/a\"b")}},
        .failed = true,
        .reason = "unavailable"},
       {.context = os::child_of(context), .name = "task", .begin_ns = 1, .end_ns = 2}});
  const auto body = parse_json(text, {.unique_names = true});
  REQUIRE(body.ok());
  const Json& group = body->find("resourceSpans")->as_array().at(0);
  CHECK(group.find_path("resource.attributes")->dump() ==
        R"([{"key":"service.name","value":{"stringValue":"cairn"}}])");
  const Json& scope = group.find("scopeSpans")->as_array().at(0);
  CHECK(scope.find_path("scope.name")->as_string() == "cairn");
  const auto& spans = scope.find("spans")->as_array();
  REQUIRE(spans.size() == 2);
  CHECK(spans[0].dump() ==
        R"({"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7",)"
        R"("parentSpanId":"0000000000000012","traceState":"a=1","flags":1,"name":"GET","kind":3,)"
        R"("startTimeUnixNano":"1700000000123456789","endTimeUnixNano":"1700000000223456789",)"
        R"("attributes":[{"key":"http.response.status_code","value":{"intValue":"503"}},)"
        R"({"key":"url.path","value":{"stringValue":"/a\"b"}}],)"
        R"("status":{"code":2,"message":"unavailable"}})");
  CHECK(spans[1].find("kind")->as_int() == 1);
  CHECK(spans[1].find("status")->dump() == "{}");
}

TEST_CASE("otlp: what a collector says that it refused") {
  CHECK(otlp_rejected("{}") == 0);
  CHECK(otlp_rejected("") == 0);
  CHECK(otlp_rejected("no json") == 0);
  CHECK(otlp_rejected(R"({"partialSuccess": {"rejectedSpans": "7", "errorMessage": "x"}})") == 7);
  CHECK(otlp_rejected(R"({"partialSuccess": {"rejectedSpans": 7}})") == 7);
  CHECK(otlp_rejected(R"({"partialSuccess": {"rejectedSpans": "-7"}})") == 0);
  CHECK(otlp_rejected(R"({"partialSuccess": {"rejectedSpans": -7}})") == 0);
  CHECK(otlp_rejected("[1]") == 0);
}

TEST_CASE("trace options: shares and addresses") {
  CHECK(*share_of("10%") == doctest::Approx(0.1));
  CHECK(*share_of("0%") == 0);
  CHECK(*share_of("100%") == 1);
  CHECK(*share_of("0.5%") == doctest::Approx(0.005));
  for (const char* text : {"", "%", "10", "101%", "-1%", "nan%", "inf%", "1 %", "1%%"}) {
    CAPTURE(text);
    CHECK_FALSE(share_of(text).ok());
  }
  CHECK(share_text(1) == "100%");
  CHECK(share_text(0.1) == "10%");
  CHECK(TraceOptions{}.validate().ok());
  CHECK(TraceOptions{.url = "http://127.0.0.1:4318/v1/traces"}.validate().ok());
  CHECK_FALSE(TraceOptions{.url = "ftp://a"}.validate().ok());
}

}  // namespace otlp_test
