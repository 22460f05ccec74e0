// SPDX-License-Identifier: Apache-2.0
// Tests of trace.h and spans.h. The fields are those of the standard's own examples.
#include "os/trace.h"

#include <doctest/doctest.h>

#include <set>
#include <thread>

#include "os/log.h"
#include "os/spans.h"
#include "os/threads/compute_pool.h"
#include "os/threads/pool.h"

using namespace cairn::os;

namespace {

const std::string example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

}  // namespace

TEST_CASE("trace: a field that is valid, and back") {
  const auto read = read_traceparent(example);
  REQUIRE(read.has_value());
  CHECK(trace_id_of(*read) == "4bf92f3577b34da6a3ce929d0e0e4736");
  CHECK(hex_of_span(read->span) == "00f067aa0ba902b7");
  CHECK(read->sampled);
  CHECK(traceparent_of(*read) == example);
  CHECK_FALSE(read_traceparent(example.substr(0, 53) + "00")->sampled);
  CHECK(read_traceparent(example.substr(0, 53) + "ff")->sampled);  // flags to come
  CHECK(read_traceparent(" " + example + "\t").has_value());
  CHECK(read_traceparent("cc" + example.substr(2) + "-more").has_value());
  CHECK(read_traceparent("cc" + example.substr(2)).has_value());
}

TEST_CASE("trace: fields that are not valid") {
  const auto with = [](std::size_t at, std::string_view text) {
    return std::string(example).replace(at, text.size(), text);
  };
  for (const std::string& field :
       {std::string(), std::string("00"), example + "-00", example + "x", with(0, "ff"),
        with(0, "0G"), with(3, "4BF9"), with(3, std::string(32, '0')),
        with(36, std::string(16, '0')), with(2, "_"), with(35, " "), with(52, "x"), with(53, "1G"),
        "cc" + example.substr(2) + "more", example.substr(0, 54), example.substr(1)}) {
    CAPTURE(field);
    CHECK_FALSE(read_traceparent(field).has_value());
  }
}

TEST_CASE("trace: which states are passed on") {
  CHECK(is_tracestate("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"));
  CHECK(is_tracestate("a=1 , tenant@vendor=x y z,,"));
  const std::string long_one = "a=" + std::string(256, 'x');
  CHECK(is_tracestate(long_one));
  for (const std::string& state :
       {std::string(), std::string(","), std::string("a"), std::string("A=1"), std::string("a=b=c"),
        std::string("a="), std::string("=1"), std::string("a=\x01"), long_one + "x",
        "a=1," + std::string(512, 'b') + "=1"}) {
    CAPTURE(state);
    CHECK_FALSE(is_tracestate(state));
  }
  std::string many;
  for (int i = 0; i < 33; ++i) many += "k" + std::to_string(i) + "=1,";
  CHECK_FALSE(is_tracestate(many));
}

TEST_CASE("trace: a step below another, and numbers that differ") {
  auto parent = *read_traceparent(example);
  parent.state = "a=1";
  const TraceContext child = child_of(parent);
  CHECK(trace_id_of(child) == trace_id_of(parent));
  CHECK(child.parent == parent.span);
  CHECK(child.span != parent.span);
  CHECK(child.sampled);
  CHECK(child.state == "a=1");
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) CHECK(seen.insert(new_span_number()).second);
  std::uint64_t other = 0;
  std::jthread([&] { other = new_span_number(); }).join();
  CHECK_FALSE(seen.contains(other));
}

TEST_CASE("trace: of a thread, of the lines that it logs, and of what computes for it") {
  CHECK(current_trace() == nullptr);
  std::string line;
  configure_log(LogLevel::info, LogFormat::json, [&](std::string_view text) { line = text; });
  auto trace = *read_traceparent(example);
  {
    const TraceScope scope(&trace);
    CHECK(current_trace() == &trace);
    log(LogLevel::info, "os", "event");
    CHECK(line.find("\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\"") != std::string::npos);
    ComputePool compute;
    TraceContext* seen = nullptr;
    CHECK(compute.run([&] { seen = current_trace(); }, Deadline::never()).ok());
    CHECK(seen == &trace);
    std::atomic<int> right{0};
    compute.for_each(8, [&](std::size_t) { right += current_trace() == &trace ? 1 : 0; });
    Pool pool({.name = "test", .threads = 2, .queue = 16});
    pool.for_each(8, [&](std::size_t) { right += current_trace() == &trace ? 1 : 0; });
    CHECK(pool.run([&] { right += current_trace() == &trace ? 1 : 0; }, Deadline::never()).ok());
    CHECK(right == 17);
    {
      const TraceScope none(nullptr);
      CHECK(current_trace() == nullptr);
    }
    CHECK(current_trace() == &trace);
  }
  CHECK(current_trace() == nullptr);
  log(LogLevel::info, "os", "event");
  CHECK(line.find("trace_id") == std::string::npos);
  configure_log(LogLevel::info, LogFormat::automatic);
}

TEST_CASE("spans: a queue that is full drops, and says how many") {
  SpanQueue queue(3, 1);
  for (int i = 0; i < 5; ++i) queue.offer({.context = new_trace(), .name = std::to_string(i)});
  CHECK(queue.size() == 3);
  CHECK(queue.dropped() == 2);
  auto some = queue.take(2, 0, Deadline::in_ms(0));
  REQUIRE(some.size() == 2);
  CHECK(some[0].name == "0");
  CHECK(some[1].name == "1");
  CHECK(queue.take(2, 0, Deadline::in_ms(0)).size() == 1);
  CHECK(queue.take(2, 0, Deadline::in_ms(0)).empty());
}

TEST_CASE("spans: a batch waits until it is full, or its oldest span has waited") {
  SpanQueue queue(100, 1);
  std::jthread giver([&] {
    for (int i = 0; i < 10; ++i) queue.offer({.name = "x"});
  });
  CHECK(queue.take(10, 60'000, Deadline::in_ms(60'000)).size() == 10);
  queue.offer({.name = "y"});
  CHECK(queue.take(10, 1, Deadline::in_ms(60'000)).size() == 1);
}

TEST_CASE("spans: traces are sampled by their ids") {
  const SpanQueue all(1, 1), none(1, 0), some(1, 0.25);
  int kept = 0;
  for (int i = 0; i < 4000; ++i) {
    const TraceContext trace = new_trace();
    CHECK(all.samples(trace));
    CHECK_FALSE(none.samples(trace));
    kept += some.samples(trace) ? 1 : 0;
    CHECK(some.samples(trace) == some.samples(trace));
  }
  CHECK(kept > 800);
  CHECK(kept < 1200);
}

TEST_CASE("spans: a job is a step, of its cause or of itself") {
  SpanQueue queue(10, 1);
  set_span_queue(&queue);
  const auto cause = *read_traceparent(example);
  {
    TracedJob job("sync", &cause);
    REQUIRE(current_trace() != nullptr);
    CHECK(current_trace()->parent == cause.span);
    job.fail("unavailable");
  }
  { const TracedJob job("task"); }
  set_span_queue(nullptr);
  { const TracedJob job("nobody records"); }
  const auto spans = queue.take(10, 0, Deadline::in_ms(0));
  REQUIRE(spans.size() == 2);
  CHECK(spans[0].name == "sync");
  CHECK(spans[0].failed);
  CHECK(spans[0].reason == "unavailable");
  CHECK(trace_id_of(spans[0].context) == trace_id_of(cause));
  CHECK(spans[1].context.parent == 0);
  CHECK(spans[1].begin_ns <= spans[1].end_ns);
  CHECK(current_trace() == nullptr);
}
