// SPDX-License-Identifier: Apache-2.0
#include "app/index_facts.h"

#include <doctest/doctest.h>

#include "os/random.h"
#include "os/threads/pool.h"
#include "store/memory_store.h"

namespace index_facts_test {

using namespace cairn;

TEST_CASE("index facts: for public ones all that a name stands for must be public, and something must be") {
  const auto store = store::memory_store();
  os::Pool pool({.name = "test", .threads = 1, .queue = 8});
  const auto deadline = os::Deadline::in_ms(30'000);
  std::unique_ptr<index::Indices> indices;
  const auto open = app::index_facts([&] { return indices.get(); });
  CHECK_FALSE(open.is_public("a"));
  CHECK_FALSE(open.any());
  CHECK(open.stream_of("a").empty());
  index::Options options;
  options.background = false;
  indices = *index::Indices::open(*store, pool, os::system_clock(), os::system_random(), options,
                                  deadline);
  CHECK_FALSE(open.is_public("*"));
  const auto make = [&](const char* name, const char* setting) {
    REQUIRE(indices->create(name, Json(), *parse_json(setting), deadline).ok());
  };
  make("open-1", R"({"index.public": true})");
  make("open-2", R"({"public": "true"})");
  CHECK(open.any());
  CHECK(open.is_public("open-1"));
  CHECK(open.is_public("*"));
  CHECK(open.is_public("open-1,open-2"));
  make("closed", "{}");
  make("no", R"({"public": false})");
  CHECK(open.is_public("open-*"));
  for (const char* name : {"closed", "no", "*", "_all", "", "open-1,closed", "absent", "absent*"}) {
    CAPTURE(std::string(name));
    CHECK_FALSE(open.is_public(name));
  }
  CHECK(
      (*indices->find("open-1"))->put_settings(*parse_json(R"({"public": null})"), deadline).ok());
  CHECK_FALSE(open.is_public("open-1"));
}

TEST_CASE("index facts: an index of a data stream tells which") {
  const auto store = store::memory_store();
  os::Pool pool({.name = "test", .threads = 1, .queue = 8});
  const auto deadline = os::Deadline::in_ms(30'000);
  index::Options options;
  options.background = false;
  const std::unique_ptr<index::Indices> indices = *index::Indices::open(
      *store, pool, os::system_clock(), os::system_random(), options, deadline);
  auto made = index::read_index_template(
      *parse_json(R"({"index_patterns": ["logs"], "data_stream": {}})"));
  REQUIRE(made.ok());
  REQUIRE(indices->put_template("t", std::move(*made), false, {}, deadline).ok());
  REQUIRE(indices->create_data_stream("logs", deadline).ok());
  const auto facts = app::index_facts([&] { return indices.get(); });
  CHECK(facts.stream_of(indices->data_streams()->find("logs")->write_index()) == "logs");
  CHECK(facts.stream_of("logs").empty());
}

}  // namespace index_facts_test
