// SPDX-License-Identifier: Apache-2.0
#include "store/read_each.h"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>

#include "store/memory_store.h"

namespace cairn::store::read_each_test {
namespace {

std::string key_of(int i) { return "p/" + std::to_string(10'000 + i); }

}  // namespace

TEST_CASE("read each: all below a prefix, in order, several on their way at a time") {
  std::atomic<int> reading = 0, most = 0;
  const auto store = memory_store({.before = [&](std::string_view call, std::string_view) {
    if (call != "get") return ok_status();
    const int now = ++reading;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    --reading;
    return ok_status();
  }});
  const auto soon = os::Deadline::in_ms(60'000);
  for (const int count : {0, 1, 5, 1'003}) {
    for (int i = 0; i < count; ++i) REQUIRE(store->put(key_of(i), std::to_string(i), soon).ok());
    REQUIRE(store->put("q", "another", soon).ok());
    int next = 0;
    REQUIRE(read_each(*store, "p/", soon, [&](Object& object) {
              CHECK(object.info.key == key_of(next));
              CHECK(object.bytes == std::to_string(next));
              ++next;
              return ok_status();
            }).ok());
    CHECK(next == count);
  }
  CHECK(most > 1);
  CHECK(most <= 16);
}

TEST_CASE("read each: what goes meanwhile is passed over, errors end it") {
  std::string failing, gone;
  const auto store = memory_store({.before = [&](std::string_view call, std::string_view key) {
    if (call == "get" && key == failing)
      return Status(Error{.kind = ErrorKind::unavailable, .message = "away"});
    if (call == "get" && key == gone)
      return Status(Error{.kind = ErrorKind::not_found, .message = "gone"});
    return ok_status();
  }});
  const auto soon = os::Deadline::in_ms(60'000);
  for (int i = 0; i < 40; ++i) REQUIRE(store->put(key_of(i), "x", soon).ok());
  int seen = 0;
  const auto count = [&](Object&) {
    ++seen;
    return ok_status();
  };
  gone = key_of(7);  // listed, and not there any more
  REQUIRE(read_each(*store, "p/", soon, count).ok());
  CHECK(seen == 39);
  failing = key_of(20);
  CHECK(read_each(*store, "p/", soon, count).error().kind == ErrorKind::unavailable);
  failing.clear();
  const auto refuses = [&](Object& object) {
    if (object.info.key == key_of(3))
      return Status(Error{.kind = ErrorKind::corrupt, .message = "no"});
    return ok_status();
  };
  CHECK(read_each(*store, "p/", soon, refuses).error().kind == ErrorKind::corrupt);
}

}  // namespace cairn::store::read_each_test
