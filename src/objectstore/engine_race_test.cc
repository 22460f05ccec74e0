// SPDX-License-Identifier: Apache-2.0
// Many at a time on one key, one upload, one version.
#include <atomic>
#include <latch>
#include <thread>

#include "objectstore/engine_rig_test.h"

namespace engine_race_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

/// Runs `work(i)` on `count` threads that begin together.
void together(int count, const std::function<void(int)>& work) {
  std::latch start(count);
  std::vector<std::jthread> scheduler;
  for (int i = 0; i < count; ++i)
    scheduler.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
}

const auto plain_judge = [](const std::vector<s3::Part>& parts) -> Result<Completed> {
  for (const s3::Part& part : parts)
    if (part.etag.empty()) return Error{.kind = ErrorKind::conflict, .code = "InvalidPart"};
  return Completed{.etag = "x-1"};
};

}  // namespace

TEST_CASE("race: of 100 writers that want nothing to be there one wins, in every state") {
  for (const auto versioning :
       {s3::Versioning::off, s3::Versioning::enabled, s3::Versioning::suspended}) {
    EngineRig rig(s3::Versioning::off);
    if (versioning != s3::Versioning::off) rig.version(versioning);
    std::atomic<int> won = 0, refused = 0;
    std::atomic<int> winner = -1;
    together(100, [&](int i) {
      const std::string body = bytes_of(i % 2 == 0 ? 100 : 70'000, static_cast<std::uint64_t>(i));
      const auto done =
          rig.engine->put({"bucket", "key"}, body, {.condition = {.if_none_match = true}}, never);
      if (done.ok()) {
        ++won;
        winner = i;
      } else if (done.error().code == "PreconditionFailed") {
        ++refused;
      }
    });
    CHECK(won == 1);
    CHECK(refused == 99);
    const std::size_t size = winner % 2 == 0 ? 100 : 70'000;
    CHECK((rig.get("key") == bytes_of(size, static_cast<std::uint64_t>(winner.load()))));
    CHECK(rig.extent_files() == (size > 100 ? 1 : 0));
    CHECK(must(rig.engine->list_versions("bucket", {}, never)).versions.size() == 1);
  }
}

TEST_CASE("race: an abort during part uploads leaves no storage behind") {
  for (int round = 0; round < 20; ++round) {
    EngineRig rig;
    Uploads& uploads = rig.engine->uploads();
    const ObjectName name{"bucket", "key"};
    const auto upload = must(uploads.create(name, {}, never));
    together(6, [&](int i) {
      if (i == 0) {
        CHECK(outcome(uploads.abort(name, upload.upload_id, never)) == "ok");
        return;
      }
      auto part = uploads.begin_part(name, upload.upload_id, i, std::nullopt, never);
      if (!part.ok()) return;
      if (!(*part)->write(bytes_of(70'000)).ok()) return;
      const auto done = (*part)->finish({}, never);
      if (!done.ok()) CHECK(done.error().code == "NoSuchUpload");
    });
    CHECK(outcome(uploads.list_parts(name, upload.upload_id, 0, 10)) == "NoSuchUpload");
    CHECK(rig.extent_files() == 0);
  }
}

TEST_CASE("race: completion, abort and parts: the object is whole, or nothing is left") {
  for (int round = 0; round < 20; ++round) {
    EngineRig rig(s3::Versioning::enabled);
    Uploads& uploads = rig.engine->uploads();
    const ObjectName name{"bucket", "key"};
    const auto upload = must(uploads.create(name, {}, never));
    const auto put_part = [&](std::uint64_t seed) -> Status {
      CAIRN_TRY(const auto part,
                uploads.begin_part(name, upload.upload_id, 1, std::nullopt, never));
      CAIRN_CHECK(part->write(bytes_of(70'000, seed)));
      CAIRN_CHECK(part->finish({}, never));
      return ok_status();
    };
    must(put_part(0));
    std::atomic<bool> completed = false;
    together(5, [&](int i) {
      if (i == 0) {
        (void)uploads.abort(name, upload.upload_id, never);
      } else if (i == 1) {
        completed =
            uploads.complete(name, upload.upload_id, {.numbers = {1}, .judge = plain_judge}, never)
                .ok();
      } else {
        (void)put_part(static_cast<std::uint64_t>(i));
      }
    });
    CHECK(rig.extent_files() == (completed ? 1 : 0));
    const std::string body = rig.get("key");
    if (completed)
      CHECK(body.size() == 70'000);
    else
      CHECK(body == "(NoSuchKey)");
  }
}

TEST_CASE("race: copies, reads and removals of one source: every copy is whole") {
  for (int round = 0; round < 10; ++round) {
    EngineRig rig;
    const std::string body = bytes_of(150'000, static_cast<std::uint64_t>(round));
    rig.put("source", body, {.checksum = s3::Checksum{.value = "AAAAAAAAAAA="}});
    std::atomic<std::size_t> copies = 0;
    together(12, [&](int i) {
      const std::string target = "copy" + std::to_string(i);
      if (i == 5) {
        must(rig.engine->remove({"bucket", "source"}, never));
      } else if (rig.engine->copy({"bucket", "source"}, {"bucket", target}, {}, never).ok()) {
        ++copies;
        CHECK((rig.get(target) == body));
      }
    });
    const auto page = must(rig.engine->list("bucket", {}, never));
    CHECK(page.objects.size() == copies);
    must(rig.engine->wait_collected(os::Deadline::in_ms(10'000)));
    for (const auto& object : page.objects) CHECK((rig.get(object.key) == body));
    CHECK(rig.extent_files() == (copies > 0 ? 1 : 0));
  }
}

TEST_CASE("race: a version is read by its id while others are put on top and taken away") {
  EngineRig rig(s3::Versioning::enabled);
  const auto kept = rig.put("key", bytes_of(70'000, 99));
  std::atomic<bool> stop = false;
  std::atomic<int> reads = 0;
  together(3, [&](int i) {
    if (i == 0) {
      for (int n = 0; n < 60; ++n) {
        const auto top = rig.put("key", "x");
        must(rig.engine->remove({"bucket", "key", top.version_id}, RemoveParams{}, never));
      }
      stop = true;
      return;
    }
    while (!stop) {
      CHECK((rig.get("key", kept.version_id) == bytes_of(70'000, 99)));
      ++reads;
    }
  });
  CHECK(reads > 0);
}

}  // namespace engine_race_test
