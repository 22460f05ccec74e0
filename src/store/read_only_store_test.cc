// SPDX-License-Identifier: Apache-2.0
#include "store/read_only_store.h"

#include <doctest/doctest.h>

#include "store/memory_store.h"

namespace cairn::store::read_only_store_test {

TEST_CASE("read-only store: reads see everything, changes are refused and reach nothing") {
  const auto inside = memory_store();
  const auto store = read_only_store(*inside);
  const auto soon = os::Deadline::in_ms(10'000);
  REQUIRE(inside->put("a", "1", soon).ok());

  CHECK(store->get("a", soon)->bytes == "1");
  CHECK(store->get("a", soon, {.offset = 0, .count = 1})->bytes == "1");
  CHECK((*store->head("a", soon))->size_bytes == 1);
  CHECK(store->list({}, soon)->objects.size() == 1);

  const auto is_refused = [](const auto& result) {
    return !result.ok() && result.error().kind == ErrorKind::permission_denied;
  };
  CHECK(is_refused(store->put("a", "2", soon)));
  CHECK(is_refused(store->put("b", "2", soon, {.if_none_match = true})));
  CHECK(is_refused(store->begin_upload("b", soon)));
  CHECK(is_refused(store->remove("a", soon)));
  CHECK(is_refused(store->remove_batch({"a"}, soon)));
  CHECK(is_refused(store->copy("a", "b", soon)));
  CHECK(inside->get("a", soon)->bytes == "1");
  CHECK(inside->list({}, soon)->objects.size() == 1);
}

}  // namespace cairn::store::read_only_store_test
