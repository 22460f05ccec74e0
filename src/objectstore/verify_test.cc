// SPDX-License-Identifier: Apache-2.0
// Rot is found, told, and never given out; what was verified may go out as it lies.
#include "objectstore/verify.h"

#include <unistd.h>

#include "objectstore/engine_rig_test.h"
#include "os/files/test_folder.h"
#include "os/log.h"

namespace verify_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

struct VerifyRig : EngineRig {
  VerifyRig() : EngineRig(s3::Versioning::enabled) {
    os::configure_log(os::LogLevel::error, os::LogFormat::text, [](std::string_view) {});
  }
  std::string path_of(const std::string& key, const std::string& version = {}) {
    auto& core = engine->core();
    const auto standing = must(core.find_version(*must(core.find_bucket("bucket")), key, version));
    return core.extents().path_of(standing->record.extents.front().id);
  }
  /// Steps of one round.
  int round(Scrubber& scrubber, std::uint64_t bytes, std::int64_t fresh_ms = 0) {
    for (int steps = 1;; ++steps)
      if (must(scrubber.step(bytes, fresh_ms, never))) return steps;
  }
  std::vector<Damage> verify() {
    engine.reset();
    std::vector<Damage> found;
    must(verify_folder(
        options, [&](const Damage& damage) { found.push_back(damage); }, never));
    start();
    return found;
  }
};

std::string part_in(EngineRig& rig, std::string_view key) {
  Uploads& uploads = rig.engine->uploads();
  const auto upload = must(uploads.create({"bucket", key}, {}, never));
  const auto part =
      must(uploads.begin_part({"bucket", key}, upload.upload_id, 7, std::nullopt, never));
  must(part->write(bytes_of(90'000, 4)));
  must(part->finish({}, never));
  return upload.upload_id;
}

}  // namespace

TEST_CASE("verify: a folder in order has no damage, and all bodies are read") {
  VerifyRig rig;
  rig.put("small", "x");
  rig.put("empty", "");
  rig.put("large", bytes_of(200'000));
  rig.put("large", bytes_of(100'000));
  must(rig.engine->copy({"bucket", "large"}, {"bucket", "copy"}, {}, never));
  must(rig.engine->remove({"bucket", "small"}, RemoveParams{}, never));
  part_in(rig, "upload");
  CHECK(rig.verify().empty());
  Scrubber scrubber(*rig.engine);
  CHECK(rig.round(scrubber, 50'000) > 3);
  CHECK(scrubber.damage().empty());
  rig.engine.reset();
  const auto count = must(verify_folder(
      rig.options, [](const Damage&) {}, never));
  CHECK(count.objects == 7);
  CHECK(count.bytes == 1 + 200'000 + 100'000 + 100'000 + 90'000);
}

TEST_CASE("verify: a flipped bit is found wherever it is, and named by its object") {
  VerifyRig rig;
  const auto old = rig.put("key", bytes_of(200'000, 1));
  rig.put("key", bytes_of(150'000, 2));
  rig.put("whole", bytes_of(100'000, 3));
  const std::string upload = part_in(rig, "upload");
  REQUIRE(rig.files.flip_bit(rig.path_of("key", old.version_id), 123'456));
  const std::string whole = rig.path_of("whole");
  REQUIRE(rig.files.flip_bit(whole, must(rig.files.info(whole)).size_bytes - 3));  // the footer
  const auto found = rig.verify();
  REQUIRE(found.size() == 2);
  CHECK(found[0].bucket == "bucket");
  CHECK(found[0].key == "whole");
  CHECK(found[1].key == "key");
  CHECK(found[1].version_id == old.version_id);
  CHECK(found[1].reason.find("block 1") != std::string::npos);
  CHECK(rig.get("key", old.version_id) == "(corrupt)");
  CHECK((rig.get("key") == bytes_of(150'000, 2)));

  Scrubber scrubber(*rig.engine);
  rig.round(scrubber, 1 << 20);
  CHECK(scrubber.damage().size() == 2);
  // Gone with its object: one round later it is no longer told.
  must(rig.engine->remove({"bucket", "key", old.version_id}, RemoveParams{}, never));
  rig.round(scrubber, 1 << 20);
  rig.round(scrubber, 1 << 20);
  CHECK(scrubber.damage().size() == 1);
}

TEST_CASE("verify: a missing file, and a damaged part of an upload") {
  VerifyRig rig;
  const std::string upload = part_in(rig, "upload");
  std::string path;
  const auto only = [&](std::uint64_t id) {
    path = rig.engine->core().extents().path_of(id);
    return true;
  };
  REQUIRE(rig.engine->core().extents().for_each(only).ok());
  REQUIRE(rig.files.flip_bit(path, 5));
  rig.put("key", bytes_of(100'000, 1));
  REQUIRE(rig.files.remove(rig.path_of("key")).ok());
  const auto found = rig.verify();
  REQUIRE(found.size() == 2);
  CHECK(found[0].key == "key");
  CHECK(found[0].reason.find("missing") != std::string::npos);
  CHECK(found[1].upload_id == upload);
  CHECK(found[1].part_number == 7);
}

TEST_CASE("verify: the scrubber leaves out what was verified a short time ago") {
  VerifyRig rig;
  rig.put("key", bytes_of(200'000));
  Scrubber scrubber(*rig.engine);
  REQUIRE(!must(scrubber.step(1, 0, never)));
  CHECK(scrubber.count().bytes == 200'000);
  rig.round(scrubber, 1 << 20);
  must(scrubber.step(1 << 20, 1000, never));
  REQUIRE(rig.files.flip_bit(rig.path_of("key"), 1));
  rig.round(scrubber, 1 << 20, 1000);
  CHECK(scrubber.damage().empty());
  rig.clock.advance_ms(1000);
  rig.round(scrubber, 1 << 20, 1000);
  CHECK(scrubber.damage().size() == 1);
}

TEST_CASE("verify: a sector that the disk cannot read is damage, not the end of the search") {
  VerifyRig rig;
  rig.put("a", bytes_of(100'000, 1));
  rig.put("b", bytes_of(100'000, 2));
  const std::string bad = rig.path_of("a");
  rig.files.on_call([bad](std::string_view call, const std::string& path) -> Status {
    if (call != "read" || path != bad) return ok_status();
    return Error{.kind = ErrorKind::internal, .message = "input/output error"};
  });
  const auto found = rig.verify();
  rig.files.on_call(nullptr);
  REQUIRE(found.size() == 1);
  CHECK(found[0].key == "a");
}

TEST_CASE("verify: the pace is told of all that is read, in small pieces, and can end a step") {
  VerifyRig rig;
  rig.put("key", bytes_of(1'000'000));
  Scrubber scrubber(*rig.engine);
  std::uint64_t told = 0, most = 0;
  const auto note = [&](std::uint64_t bytes) -> Status {
    told += bytes;
    most = std::max(most, bytes);
    return ok_status();
  };
  must(scrubber.step(1, 0, never, note));
  CHECK(told == 1'000'000);
  CHECK(most <= 256 << 10);
  rig.round(scrubber, 1);
  told = 0;
  const auto stop_soon = [&](std::uint64_t bytes) -> Status {
    told += bytes;
    if (told < 400'000) return ok_status();
    return Error{.kind = ErrorKind::cancelled, .message = "stopped"};
  };
  CHECK(scrubber.step(1, 0, never, stop_soon).error().kind == ErrorKind::cancelled);
  CHECK(told < 800'000);
  CHECK(scrubber.damage().empty());
}

TEST_CASE("files: plain bytes go out as they lie once they were verified, and for a while") {
  const os::TestFolder folder;
  os::FakeClock clock;
  MasterKeyRing ring(bytes_of(32));
  EngineOptions options;
  options.data_dir = folder / "data";
  options.clock = &clock;
  options.key_ring = &ring;
  {
    const auto engine = must(Engine::open(options));
    must(engine->create_bucket({.name = "bucket"}, never));
    const std::string body = bytes_of(300'000);
    must(engine->put({"bucket", "key"}, body, {}, never));
    must(engine->put({"bucket", "secret"}, body,
                     {.encryption = {.how = {.method = s3::EncryptionMethod::aes256}}}, never));
    const auto open = [&](std::string_view key, const ReadParams& params = {}) {
      return must(engine->get({"bucket", key}, params, never));
    };
    const auto read = [&](std::string_view key) {
      const auto reader = open(key);
      while (!must(reader->next()).empty()) {
      }
    };
    CHECK(!must(open("key")->file()));
    const auto half = open("key", {.first = 0, .last = 200'000});
    while (!must(half->next()).empty()) {
    }
    CHECK(!must(open("key")->file()));
    read("key");
    const auto reader = open("key", {.first = 100'000, .last = 250'000});
    const auto bytes = must(reader->file());
    REQUIRE(bytes);
    CHECK(bytes->offset == 100'000);
    CHECK(bytes->count == 150'001);
    std::string got(1000, '\0');
    CHECK(::pread(bytes->descriptor, got.data(), got.size(), static_cast<off_t>(bytes->offset)) ==
          1000);
    CHECK((got == body.substr(100'000, 1000)));
    reader->skip(150'000);
    CHECK(must(reader->file())->count == 1);
    CHECK(must(reader->next()).size() == 1);
    CHECK(!must(reader->file()));
    read("secret");
    CHECK(!must(open("secret")->file()));
    // What a slow reader verified counts from the moment it began.
    must(engine->put({"bucket", "slow"}, bytes_of(600'000), {}, never));
    const auto slow = open("slow");
    must(slow->next());
    clock.advance_ms(options.verified_fresh_ms - 1);
    while (!must(slow->next()).empty()) {
    }
    CHECK(must(open("slow")->file()));
    clock.advance_ms(1);
    CHECK(!must(open("slow")->file()));
    read("key");
    clock.advance_ms(options.verified_fresh_ms);
    CHECK(!must(open("key")->file()));
  }
}

}  // namespace verify_test
