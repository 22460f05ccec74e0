// SPDX-License-Identifier: Apache-2.0
// Requests as steps of traces: those that come in, and those that go out.
#include "net/server/request_trace.h"

#include <doctest/doctest.h>

#include <mutex>
#include <string>
#include <vector>

#include "net/testing.h"
#include "os/log.h"
#include "os/spans.h"

namespace request_trace_test {

using namespace cairn;
using namespace cairn::net;

namespace {

const std::string named = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

RequestHead head_with(std::vector<std::pair<std::string, std::string>> fields) {
  RequestHead head;
  head.method = "GET";
  head.target = "/a?secret=1";
  for (const auto& [name, value] : fields) head.headers.add(name, value);
  return head;
}

/// Keeps what it hears.
struct Recorder final : os::CallRecorder {
  Recorder() { os::set_call_recorder(this); }
  ~Recorder() override { os::set_call_recorder(nullptr); }
  void called(const os::TracedCall& call) override {
    const std::lock_guard lock(mutex);
    steps.push_back(call.step);
    texts.push_back(std::string(call.method) + " " + std::string(call.host) + " " +
                    std::to_string(call.status) + " " + std::string(call.failure));
  }
  std::mutex mutex;
  std::vector<os::TraceContext> steps;
  std::vector<std::string> texts;
};

}  // namespace

TEST_CASE("request trace: the caller's, with a step of this server") {
  const auto trace =
      trace_of(head_with({{"Traceparent", named}, {"tracestate", "a=1"}, {"TraceState", "b=2"}}));
  CHECK(os::trace_id_of(trace) == "4bf92f3577b34da6a3ce929d0e0e4736");
  CHECK(trace.parent == 0x00f067aa0ba902b7);
  CHECK(trace.span != trace.parent);
  CHECK(trace.sampled);
  CHECK(trace.state == "a=1, b=2");
}

TEST_CASE("request trace: one of its own where the caller names none, or what is not valid") {
  for (const auto& head : {head_with({}), head_with({{"traceparent", "00-zz"}}),
                           head_with({{"traceparent", named}, {"traceparent", named}}),
                           head_with({{"tracestate", "a=1"}})}) {
    const auto trace = trace_of(head);
    CHECK(trace.parent == 0);
    CHECK((trace.trace_high | trace.trace_low) != 0);
    CHECK(trace.span != 0);
    CHECK(trace.state.empty());
    CHECK_FALSE(trace.sampled);  // nobody records
  }
  const auto kept = trace_of(head_with({{"traceparent", named}, {"tracestate", "not valid"}}));
  CHECK(kept.parent != 0);
  CHECK(kept.state.empty());
}

TEST_CASE("request trace: a step has the path without its query") {
  os::SpanQueue queue(4, 1);
  os::set_span_queue(&queue);
  auto trace = trace_of(head_with({}));
  CHECK(trace.sampled);
  trace.route = "/{index}";
  trace.operation = "indices.get";
  record_span(trace, head_with({{"User-Agent", "curl"}}), 503, 1'000'000);
  trace.sampled = false;
  record_span(trace, head_with({}), 200, 1);
  os::set_span_queue(nullptr);
  const auto spans = queue.take(4, 0, os::Deadline::in_ms(0));
  REQUIRE(spans.size() == 1);
  CHECK(spans[0].name == "GET /{index}");
  CHECK(spans[0].end_ns - spans[0].begin_ns == 1'000'000);
  CHECK(spans[0].failed);
  std::string all;
  for (const auto& [name, value] : spans[0].attributes) {
    all += std::string(name) + "=";
    if (const auto* text = std::get_if<std::string>(&value))
      all += *text;
    else
      all += std::to_string(std::get<std::int64_t>(value));
    all += " ";
  }
  CHECK(all ==
        "http.request.method=GET url.path=/a url.scheme=http http.route=/{index} "
        "cairn.operation=indices.get http.response.status_code=503 "
        "network.protocol.version=1.1 user_agent.original=curl error.type=503 ");
}

TEST_CASE("request trace: what a handler asks of others carries it on") {
  std::string heard, state, logged;
  const auto far = serve([&](Exchange& exchange) {
    heard = exchange.head.headers.find("traceparent").value_or("");
    state = exchange.head.headers.find("tracestate").value_or("");
    answer(exchange, 204, "");
  });
  Client client;
  const auto near = serve([&](Exchange& exchange) {
    REQUIRE(client.send(request_to(*far, "GET", "/"), patiently()).ok());
    answer(exchange, 200, os::traceparent_of(*os::current_trace()));
  });
  Client caller;
  ClientRequest request = request_to(*near, "GET", "/");
  request.headers.add("traceparent", named);
  request.headers.add("tracestate", "a=1");
  // Nobody records: the step of the request is the caller of the next.
  auto reply = caller.send(request, patiently());
  REQUIRE(reply.ok());
  CHECK(heard == reply->body);
  CHECK(state == "a=1");
  CHECK(heard.substr(0, 35) == named.substr(0, 35));
  Recorder recorder;
  reply = caller.send(request, patiently());
  REQUIRE(reply.ok());
  REQUIRE(recorder.steps.size() == 1);
  CHECK(heard == os::traceparent_of(recorder.steps[0]));
  CHECK(reply->body.substr(36, 16) == os::hex_of_span(recorder.steps[0].parent));
  CHECK(recorder.texts[0] == "GET 127.0.0.1 204 ");
  CHECK(os::current_trace() == nullptr);
}

TEST_CASE("request trace: calls without a trace, with a field of their own, and that fail") {
  std::string heard = "none";
  int fields = 0;
  const auto far = serve([&](Exchange& exchange) {
    heard = exchange.head.headers.find("traceparent").value_or("none");
    for (const auto& field : exchange.head.headers.fields()) fields += field.first == "traceparent";
    answer(exchange, 200, "");
  });
  Client client;
  REQUIRE(client.send(request_to(*far, "GET", "/"), patiently()).ok());
  CHECK(heard == "none");
  auto trace = *os::read_traceparent(named);
  const os::TraceScope scope(&trace);
  ClientRequest own = request_to(*far, "GET", "/");
  own.headers.add("traceparent", "as it is");
  REQUIRE(client.send(own, patiently()).ok());
  CHECK(heard == "as it is");
  CHECK(fields == 1);
  Recorder recorder;
  ClientRequest nobody = request_to(*far, "GET", "/");
  nobody.url.port = 1;
  CHECK_FALSE(client.send(nobody, patiently()).ok());
  REQUIRE(recorder.texts.size() == 1);
  CHECK(recorder.texts[0] == "GET 127.0.0.1 0 unavailable");
}

}  // namespace request_trace_test
