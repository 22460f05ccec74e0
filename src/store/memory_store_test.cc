// SPDX-License-Identifier: Apache-2.0
// The memory store.
#include "store/memory_store.h"

#include <doctest/doctest.h>

using namespace cairn;
using namespace cairn::store;

TEST_CASE("memory store: first look") {
  const auto store = memory_store();
  const auto never = os::Deadline::never();
  for (const char* key : {"a", "b/1", "b/2", "b/3/x", "c"})
    REQUIRE(store->put(key, key, never).ok());
  const auto page = store->list({.delimiter = "/", .limit = 2}, never);
  CHECK(page->objects.size() == 1);
  CHECK(page->prefixes == std::vector<std::string>{"b/"});
  const auto rest = store->list({.start_after = page->next_start_after, .delimiter = "/"}, never);
  CHECK(rest->objects.size() == 1);
  CHECK(rest->objects[0].key == "c");
}
