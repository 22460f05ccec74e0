// SPDX-License-Identifier: Apache-2.0
// Tests of memory_store.h and of the walk over objects.
#include "store/memory_store.h"

#include <doctest/doctest.h>

#include <random>

#include "store/store_contract.h"

using namespace cairn;
using namespace cairn::store;

TEST_CASE("memory store: keeps the contract of a store") {
  const auto store = memory_store();
  check_store_contract(*store, std::random_device{}(), 5000);
}

TEST_CASE("memory store: an error asked for is returned, and nothing is done") {
  std::string failing;
  std::vector<std::string> calls;
  const auto store = memory_store({.before = [&](std::string_view call, std::string_view key) {
    calls.push_back(std::string(call) + " " + std::string(key));
    if (call != failing) return ok_status();
    return Status(Error{.kind = ErrorKind::unavailable, .message = "asked for"});
  }});
  const auto never = os::Deadline::never();
  failing = "put";
  CHECK(store->put("a", "1", never).error().kind == ErrorKind::unavailable);
  CHECK(!store->head("a", never)->has_value());
  failing = "remove";
  REQUIRE(store->put("a", "1", never).ok());
  CHECK(!store->remove("a", never).ok());
  CHECK(store->get("a", never)->bytes == "1");
  failing = "finish";
  const auto upload = store->begin_upload("b", never);
  REQUIRE((*upload)->write("xyz").ok());
  CHECK(!(*upload)->finish().ok());
  failing = "";
  CHECK((*upload)->finish()->size_bytes == 3);  // a failed finish can be repeated
  CHECK((*upload)->finish().error().kind == ErrorKind::conflict);
  CHECK(calls.front() == "put a");
  CHECK(calls.back() == "finish b");
}

TEST_CASE("memory store: times come from the clock") {
  os::FakeClock clock(5000);
  const auto store = memory_store({.clock = &clock});
  const auto never = os::Deadline::never();
  CHECK(store->put("a", "", never)->modified_ms == 5000);
  clock.advance_ms(7);
  CHECK(store->put("a", "", never)->modified_ms == 5007);
}

TEST_CASE("for_each_object: passes pages, and ends at the first error") {
  const auto store = memory_store();
  const auto never = os::Deadline::never();
  for (int i = 0; i < 2500; ++i) REQUIRE(store->put("k" + std::to_string(i), "", never).ok());
  std::size_t seen = 0;
  CHECK(for_each_object(*store, "k", never, [&](const ObjectInfo&) {
          ++seen;
          return ok_status();
        }).ok());
  CHECK(seen == 2500);
  seen = 0;
  const Status ended = for_each_object(*store, "", never, [&](const ObjectInfo&) {
    if (++seen < 1500) return ok_status();
    return Status(Error{.kind = ErrorKind::cancelled, .message = "enough"});
  });
  CHECK(ended.error().message == "enough");
  CHECK(seen == 1500);
  CHECK(for_each_object(*store, "", os::Deadline::in_ms(0),
                        [](const ObjectInfo&) { return ok_status(); })
            .error()
            .kind == ErrorKind::timeout);
}
