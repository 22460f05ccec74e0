// SPDX-License-Identifier: Apache-2.0
// Generations: each number is won once, however long a writer stood still.
#include "snapshots/generation.h"

#include <doctest/doctest.h>

#include "snapshots/layout.h"
#include "store/memory_store.h"

namespace cairn::snapshots::generation_test {
namespace {

const os::Deadline never = os::Deadline::never();

Generation with(const std::string& name) {
  Generation generation;
  generation.uuid = "repository";
  generation.snapshots.emplace_back().name = name;
  return generation;
}

TEST_CASE("generation: a writer that comes late loses, whether its number is there or was swept") {
  const auto place = store::memory_store();
  for (std::int64_t before = -1; before < 4; ++before)
    REQUIRE(write_generation(*place, before, with("s" + std::to_string(before + 1)), never).ok());
  for (std::int64_t before = -1; before < 4; ++before) {
    CAPTURE(before);
    const Status late = write_generation(*place, before, with("late"), never);
    REQUIRE_FALSE(late.ok());
    CHECK(late.error().kind == ErrorKind::conflict);
    CHECK(late.error().code == "concurrent_snapshot_execution_exception");
    const auto newest = read_generation(*place, never);
    REQUIRE(newest.ok());
    CHECK(newest->number == 4);
    CHECK(newest->find("s4") != nullptr);
    // Nothing of it stays, and the hint does not go back.
    const auto hint = place->get(layout::latest_key, never);
    REQUIRE(hint.ok());
    CHECK(hint->bytes == std::string("\0\0\0\0\0\0\0\4", 8));
    std::size_t generations = 0;
    REQUIRE(store::for_each_object(*place, "index-", never, [&](const store::ObjectInfo&) -> Status {
              ++generations;
              return ok_status();
            }).ok());
    CHECK(generations == 2);
  }
}

}  // namespace
}  // namespace cairn::snapshots::generation_test
