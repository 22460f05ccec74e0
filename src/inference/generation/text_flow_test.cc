// SPDX-License-Identifier: Apache-2.0
// Pieces on their way: joined while they wait, whole, and with the reason at their end.
#include "inference/generation/text_flow.h"

#include <doctest/doctest.h>

#include <thread>

namespace cairn::inference::text_flow_test {
namespace {

using os::Deadline;

TEST_CASE("text flow: what waits is joined by choice, in order") {
  TextFlow flow(2);
  flow.put({.choice = 0, .text = "a"});
  flow.put({.choice = 1, .text = "x"});
  flow.put({.choice = 0, .text = "b"});
  flow.put({.choice = 1, .text = "y", .finished = FinishReason::length});
  auto first = flow.next(Deadline::never());
  REQUIRE((first.ok() && *first));
  CHECK((*first)->text == "ab");
  CHECK_FALSE((*first)->finished);
  auto second = flow.next(Deadline::never());
  REQUIRE((second.ok() && *second));
  CHECK((*second)->text == "xy");
  CHECK((*second)->finished == FinishReason::length);
  flow.put({.choice = 0, .text = "", .finished = FinishReason::stop});
  REQUIRE(flow.next(Deadline::never()).ok());
  const auto end = flow.next(Deadline::never());
  REQUIRE(end.ok());
  CHECK_FALSE(*end);
}

TEST_CASE("text flow: waiting ends with the deadline, and what comes later is not lost") {
  TextFlow flow(1);
  CHECK(flow.next(Deadline::in_ms(0)).error().kind == ErrorKind::timeout);
  CHECK_FALSE(flow.wait_ms(0, Deadline::never()));
  std::stop_source stop;
  stop.request_stop();
  CHECK(flow.next(Deadline::never(stop.get_token())).error().kind == ErrorKind::cancelled);
  flow.put({.text = "late"});
  CHECK(flow.wait_ms(0, Deadline::never()));
  CHECK((*flow.next(Deadline::in_ms(0)))->text == "late");
}

TEST_CASE("text flow: pieces before a failure are given first") {
  TextFlow flow(1);
  flow.put({.text = "some"});
  flow.fail(Error{.kind = ErrorKind::unavailable, .message = "gone"});
  CHECK((*flow.next(Deadline::never()))->text == "some");
  CHECK(flow.next(Deadline::never()).error().kind == ErrorKind::unavailable);
}

TEST_CASE("text flow: one thread puts what another waits for") {
  TextFlow flow(1);
  std::jthread maker([&] {
    for (int i = 0; i < 1'000; ++i) flow.put({.text = std::to_string(i % 10)});
    flow.put({.finished = FinishReason::stop});
  });
  std::string all;
  for (;;) {
    const auto piece = flow.next(Deadline::in_ms(60'000));
    REQUIRE(piece.ok());
    if (!*piece) break;
    all += (*piece)->text;
  }
  REQUIRE(all.size() == 1'000);
  for (int i = 0; i < 1'000; ++i) CHECK(all[static_cast<std::size_t>(i)] == '0' + i % 10);
}

}  // namespace
}  // namespace cairn::inference::text_flow_test
