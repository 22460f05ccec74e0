// SPDX-License-Identifier: Apache-2.0
#include "index/indices.h"

#include <doctest/doctest.h>

#include "index/testing.h"
#include "os/threads/no_threads.h"

namespace cairn::index::indices_test {
namespace {

TEST_CASE("indices: documents are written, found, read back, and survive a restart") {
  Fixture fixture;
  auto index = fixture.create("books");
  CHECK(fixture.put(*index, "1", R"({"title": "The quick brown fox", "year": 1999})").version == 1);
  CHECK(fixture.put(*index, "2", R"({"title": "Lazy dogs and a fox", "year": 2005})").version == 1);
  CHECK(fixture.put(*index, "1", R"({"title": "The slow brown bear", "year": 1998})").version == 2);
  REQUIRE(index->refresh(fixture.soon()).ok());
  CHECK(fixture.ids(*index, match("title", "fox")) == std::vector<std::string>{"2"});
  CHECK(fixture.ids(*index, match("title", "brown")) == std::vector<std::string>{"1"});

  auto again = fixture.reopen()->find("books");
  REQUIRE(again.ok());
  CHECK(fixture.ids(**again, match("title", "fox dogs")) == std::vector<std::string>{"2"});
  const auto one = (*again)->get("1", fixture.soon());
  REQUIRE(one.ok());
  REQUIRE(one->has_value());
  CHECK((*one)->version == 2);
  CHECK((*one)->source == R"({"title": "The slow brown bear", "year": 1998})");

  REQUIRE((*again)->flush(fixture.soon()).ok());
  CHECK(fixture.ids(**again, match("title", "brown")) == std::vector<std::string>{"1"});
  again = fixture.reopen()->find("books");
  REQUIRE(again.ok());
  CHECK(fixture.ids(**again, match("title", "brown")) == std::vector<std::string>{"1"});
}

TEST_CASE("indices: where the system has no threads for them the start says so") {
  const auto store = store::memory_store();
  const auto random = os::seeded_random(5);
  os::Pool pool({.name = "test", .threads = 1});
  const os::NoThreads none;
  const auto opened = Indices::open(*store, pool, os::system_clock(), *random, {},
                                    os::Deadline::in_ms(60'000));
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().kind == ErrorKind::unavailable);
  CHECK(opened.error().message.find("ulimit -u") != std::string::npos);
}

}  // namespace
}  // namespace cairn::index::indices_test
