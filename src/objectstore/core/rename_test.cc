// SPDX-License-Identifier: Apache-2.0
// Renaming: an object goes to another key as it is.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "objectstore/engine_rig_test.h"
#include "objectstore/verify.h"

namespace rename_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

std::string read(Engine& engine, const std::string& key) {
  auto reader = engine.get({"bucket", key}, {}, never);
  if (!reader.ok()) return outcome(reader);
  std::string all;
  for (;;) {
    const std::string_view piece = must((*reader)->next());
    if (piece.empty()) return all;
    all += piece;
  }
}

std::size_t extents_there(EngineRig& rig) {
  REQUIRE(rig.engine->wait_collected(os::Deadline::in_ms(60'000)).ok());
  std::size_t count = 0;
  REQUIRE(rig.engine->core().extents().for_each([&](std::uint64_t) { return ++count > 0; }).ok());
  return count;
}

}  // namespace

TEST_CASE("rename: bytes, etag, time and attributes stay, small and large") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{40'000}, std::size_t{300'000}}) {
    CAPTURE(size);
    EngineRig rig;
    const std::string body = bytes_of(size);
    const auto before = must(rig.engine->put(
        {"bucket", "old"}, body, {.attributes = {.metadata = {{"color", "red"}}}}, never));
    rig.clock.advance_ms(60'000);
    const auto renamed = must(rig.engine->rename("bucket", "old", "new", {}, never));
    CHECK(renamed.key == "new");
    for (int run = 0; run < 2; ++run) {
      CHECK(read(*rig.engine, "old") == "NoSuchKey");
      CHECK(read(*rig.engine, "new") == body);
      const auto after = must(rig.engine->head({"bucket", "new"}, never));
      CHECK(after.etag == before.etag);
      CHECK(after.modified_ms == before.modified_ms);
      CHECK(after.attributes == before.attributes);
      rig.start();
    }
  }
}

TEST_CASE("rename: what was under the new key goes, and what others share stays") {
  EngineRig rig;
  const std::string first = bytes_of(300'000, 1), second = bytes_of(300'000, 2);
  must(rig.engine->put({"bucket", "old"}, first, {}, never));
  must(rig.engine->copy({"bucket", "old"}, {"bucket", "copy"}, {}, never));
  must(rig.engine->put({"bucket", "new"}, second, {}, never));
  CHECK(extents_there(rig) == 2);
  auto reader = must(rig.engine->get({"bucket", "old"}, {}, never));
  must(rig.engine->rename("bucket", "old", "new", {}, never));
  CHECK(extents_there(rig) == 1);  // that of the target is gone
  CHECK(read(*rig.engine, "new") == first);
  // Who was reading goes on.
  std::string all;
  for (std::string_view piece = must(reader->next()); !piece.empty();
       piece = must(reader->next()))
    all += piece;
  CHECK(all == first);
  reader.reset();
  must(rig.engine->remove({"bucket", "new"}, never));
  CHECK(read(*rig.engine, "copy") == first);
  must(rig.engine->remove({"bucket", "copy"}, never));
  CHECK(extents_there(rig) == 0);
}

TEST_CASE("rename: refusals change nothing") {
  EngineRig rig;
  must(rig.engine->put({"bucket", "old"}, "bytes", {}, never));
  must(rig.engine->put({"bucket", "new"}, "there", {}, never));
  CHECK(outcome(rig.engine->rename("bucket", "absent", "new", {}, never)) == "NoSuchKey");
  CHECK(outcome(rig.engine->rename("absent", "old", "new", {}, never)) == "NoSuchBucket");
  const RenameParams refusing{.judge = [](const s3::Object& source, const s3::Object* target) {
    CHECK(source.key == "old");
    REQUIRE(target != nullptr);
    CHECK(target->key == "new");
    return Status(Error{.kind = ErrorKind::conflict, .code = "PreconditionFailed"});
  }};
  CHECK(outcome(rig.engine->rename("bucket", "old", "new", refusing, never)) ==
        "PreconditionFailed");
  CHECK(read(*rig.engine, "old") == "bytes");
  CHECK(read(*rig.engine, "new") == "there");
  CHECK(outcome(rig.engine->rename("bucket", "old", "old", {}, never)) == "ok");
  CHECK(read(*rig.engine, "old") == "bytes");
  EngineRig versioned(s3::Versioning::enabled);
  must(versioned.engine->put({"bucket", "old"}, "bytes", {}, never));
  CHECK(outcome(versioned.engine->rename("bucket", "old", "new", {}, never)) == "InvalidRequest");
}

TEST_CASE("rename: of many at a time to one key each wins or loses whole") {
  EngineRig rig;
  constexpr int count = 8;
  for (int i = 0; i < count; ++i)
    must(rig.engine->put({"bucket", "k" + std::to_string(i)}, bytes_of(100'000, static_cast<std::uint64_t>(i)),
                         {}, never));
  std::atomic<int> done = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&, i] {
        const RenameParams if_none{.judge = [](const s3::Object&, const s3::Object* target) {
          return target == nullptr ? ok_status() : Status(Error{.kind = ErrorKind::conflict});
        }};
        if (rig.engine->rename("bucket", "k" + std::to_string(i), "one", if_none, never).ok()) ++done;
      });
  }
  CHECK(done == 1);
  CHECK(must(rig.engine->list("bucket", {}, never)).objects.size() == count);
  CHECK(extents_there(rig) == count);
  rig.engine.reset();
  CHECK(must(verify_folder(
            rig.options, [](const Damage&) {}, never))
            .damaged == 0);
}

}  // namespace rename_test
