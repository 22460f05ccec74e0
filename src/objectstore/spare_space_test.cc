// SPDX-License-Identifier: Apache-2.0
// A disk without a free byte: the engine starts, reads and deletes.
#include "objectstore/spare_space.h"

#include "objectstore/engine_rig_test.h"
#include "objectstore/engine_store.h"
#include "os/log.h"

namespace spare_space_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

struct FullRig : EngineRig {
  FullRig() {
    os::configure_log(os::LogLevel::error, os::LogFormat::text, [](std::string_view) {});
    engine.reset();
    options.set_aside_bytes = 8 << 20;
    options.reserve_bytes = 0;
    options.write_buffer_bytes = 256 << 10;
    start();
  }
  /// Other programs took the rest.
  void fill() { files.set_capacity(files.used_bytes()); }
};

}  // namespace

TEST_CASE("spare space: deletes go on where the disk has no byte left, and puts wait") {
  FullRig rig;
  for (int i = 0; i < 400; ++i) rig.put("k" + std::to_string(i), bytes_of(30'000, 7));
  rig.fill();
  for (int i = 0; i < 399; ++i)
    CHECK(outcome(rig.engine->remove({"bucket", "k" + std::to_string(i)}, never)) == "ok");
  CHECK(rig.get("k399") == bytes_of(30'000, 7));
  rig.files.set_capacity(1ull << 40);
  const auto limit = os::Deadline::in_ms(60'000);
  while (!rig.engine->put({"bucket", "again"}, "x", {}, never).ok())
    REQUIRE(os::sleep_ms(1, limit));
  CHECK(rig.get("again") == "x");
}

TEST_CASE("spare space: a start on a full disk works, reads and deletes") {
  FullRig rig;
  rig.put("key", bytes_of(100'000, 1));
  rig.put("other", "small");
  rig.engine.reset();
  rig.fill();
  rig.options.reserve_bytes = 1ull << 40;
  rig.start();
  CHECK(rig.get("key") == bytes_of(100'000, 1));
  CHECK(outcome(rig.engine->put({"bucket", "new"}, "x", {}, never)) == "storage_full");
  CHECK(outcome(rig.engine->remove({"bucket", "key"}, never)) == "ok");
  CHECK(rig.get("other") == "small");
}

TEST_CASE("spare space: what a start writes itself may go into the reserve, and no longer after") {
  FullRig rig;
  rig.options.reserve_bytes = 1ull << 60;
  rig.start();
  const auto store = must(reserved_store(*rig.engine, ".cairn-auth"));
  CHECK(store->put("of/the/start", "x", never).ok());
  rig.engine->serving();
  CHECK(store->put("later", "x", never).error().kind == ErrorKind::storage_full);
}

TEST_CASE("data folder: LOCK that was removed lets nobody in, and is made again") {
  EngineRig rig;
  rig.put("key", "body");
  REQUIRE(rig.files.remove("/data/LOCK").ok());
  CHECK(outcome(Engine::open(rig.options)) == "conflict");
  const auto limit = os::Deadline::in_ms(60'000);
  while (!rig.files.info("/data/LOCK").ok()) REQUIRE(os::sleep_ms(1, limit));
  CHECK(outcome(Engine::open(rig.options)) == "conflict");
  CHECK(rig.get("key") == "body");
}

}  // namespace spare_space_test
