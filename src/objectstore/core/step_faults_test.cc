// SPDX-License-Identifier: Apache-2.0
// Each call to the disk that a step makes fails in turn: the disk is full, a sync fails, or no
// descriptor is left. The step is told to have failed, or was done; nothing else changes, no
// storage leaks, and the same step works once the fault is gone.
#include <atomic>
#include <set>

#include "base/encode.h"
#include "base/sanitized.h"
#include "objectstore/core/access_points.h"
#include "objectstore/engine_rig_test.h"
#include "objectstore/verify.h"
#include "os/log.h"

namespace step_faults_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

EncryptionRequest sealed_request() { return {.how = {.method = s3::EncryptionMethod::aes256}}; }

struct FaultRig : EngineRig {
  MasterKeyRing ring{std::string(32, 'k')};
  std::atomic<int> countdown = 0;  // 0: no fault
  std::atomic<bool> failed = false;

  FaultRig() : EngineRig(s3::Versioning::enabled) {
    os::configure_log(os::LogLevel::error, os::LogFormat::text, [](std::string_view) {});
    options.key_ring = &ring;
    options.recovery_interval_ms = 1;
    options.cached_bytes_max = 75'000;
    start();
    put("old", bytes_of(80'000, 1), {.checksum = s3::Checksum{.value = "AAAAAAAAAAA="}});
    put("old", "newer");
  }
  ~FaultRig() { files.on_call(nullptr); }

  /// The `number`-th call that changes something, of whatever thread, fails with `kind`.
  void fail(int number, ErrorKind kind) {
    failed = false;
    countdown = number;
    files.on_call([this, kind](std::string_view call, const std::string& path) -> Status {
      if (call == "read" || call == "list" || call == "info" || call == "lock") return ok_status();
      if (path.find("/data/") == std::string::npos || countdown == 0) return ok_status();
      if (--countdown != 0) return ok_status();
      failed = true;
      return Error{.kind = kind, .message = "a fault of the test"};
    });
  }
  void heal() {
    countdown = 0;
    files.on_call(nullptr);
    const auto limit = os::Deadline::in_ms(60'000);
    while (!engine->check_writable().ok()) REQUIRE(os::sleep_ms(1, limit));
  }
  /// All that a client can see.
  std::string shown() {
    std::string all;
    const auto page = must(engine->list_versions("bucket", {}, never));
    for (const auto& object : page.versions) {
      all += object.key + (object.delete_marker ? "!" : "") + (object.latest ? "" : "-");
      for (const auto& [name, value] : object.tags) all += " " + name + "=" + value;
      if (!object.delete_marker)
        all += " " + to_hex(md5(get(object.key, object.version_id))).substr(0, 6);
      all += "\n";
    }
    const auto policy = must(engine->bucket("bucket"))->document("policy");
    all += policy ? policy->text() : "";
    const auto point = engine->access_points().find("111111111111", "readers");
    return all + (point == nullptr ? "" : point->point.alias + point->point.policy);
  }
  void check_disk() {
    const auto uploads = must(engine->uploads().list("bucket", {}, never));
    for (const auto& upload : uploads.uploads)
      must(engine->uploads().abort({"bucket", upload.key}, upload.upload_id, never));
    start();
    std::set<std::uint64_t> used, there;
    const auto bucket = must(engine->core().find_bucket("bucket"));
    for (const auto& object : must(engine->list_versions("bucket", {}, never)).versions) {
      const auto version =
          must(engine->core().find_version(*bucket, object.key, object.version_id));
      for (const auto& extent : version->record.extents) used.insert(extent.id);
    }
    must(engine->wait_collected(os::Deadline::in_ms(60'000)));
    REQUIRE(engine->core()
                .extents()
                .for_each([&](std::uint64_t id) { return there.insert(id).second; })
                .ok());
    CHECK(there == used);
    engine.reset();
    const auto count = must(verify_folder(
        options, [](const Damage&) {}, never));
    CHECK(count.damaged == 0);
    start();
  }
};

using Step = std::function<Status(Engine&)>;

template <class T>
Status status_of(const Result<T>& result) {
  return result.ok() ? ok_status() : Status(result.error());
}

Status multipart(Engine& engine) {
  Uploads& uploads = engine.uploads();
  const ObjectName name{"bucket", "old"};
  CAIRN_TRY(const auto upload, uploads.create(name, {.encryption = sealed_request()}, never));
  for (const int number : {1, 2}) {
    CAIRN_TRY(const auto part,
              uploads.begin_part(name, upload.upload_id, number, std::nullopt, never));
    CAIRN_CHECK(part->write(bytes_of(70'000, static_cast<std::uint64_t>(number))));
    CAIRN_CHECK(part->finish({}, never));
  }
  const auto judge = [](const std::vector<s3::Part>&) -> Result<Completed> {
    return Completed{.etag = "x-1"};
  };
  return status_of(
      uploads.complete(name, upload.upload_id, {.numbers = {2}, .judge = judge}, never));
}

std::vector<std::pair<const char*, Step>> steps() {
  return {
      {"put a version, encrypted",
       [](Engine& engine) {
         return status_of(engine.put({"bucket", "old"}, bytes_of(90'000, 3),
                                     {.encryption = sealed_request()}, never));
       }},
      {"put a marker",
       [](Engine& engine) {
         return status_of(engine.remove({"bucket", "old"}, RemoveParams{}, never));
       }},
      {"remove the newest version",
       [](Engine& engine) -> Status {
         CAIRN_TRY(const auto object, engine.head({"bucket", "old"}, never));
         return status_of(
             engine.remove({"bucket", "old", object.version_id}, RemoveParams{}, never));
       }},
      {"tag",
       [](Engine& engine) {
         return status_of(
             engine.change_object({"bucket", "old"}, {.tags = s3::Tags{{"a", "b"}}}, never));
       }},
      {"copy, and encrypt",
       [](Engine& engine) -> Status {
         CAIRN_TRY(const auto page, engine.list_versions("bucket", {.prefix = "old"}, never));
         const std::string oldest = page.versions.back().version_id;
         return status_of(engine.copy({"bucket", "old", oldest}, {"bucket", "copy"},
                                      {.encryption = sealed_request()}, never));
       }},
      {"copy",
       [](Engine& engine) -> Status {
         CAIRN_TRY(const auto page, engine.list_versions("bucket", {.prefix = "old"}, never));
         const std::string oldest = page.versions.back().version_id;
         return status_of(engine.copy({"bucket", "old", oldest}, {"bucket", "copy"}, {}, never));
       }},
      {"multipart", multipart},
      {"access point",
       [](Engine& engine) -> Status {
         AccessPoints& points = engine.access_points();
         if (points.find("111111111111", "readers") == nullptr)
           CAIRN_CHECK(points.create({.name = "readers",
                                      .owner = {.id = "me", .account_id = "111111111111"},
                                      .bucket = "bucket",
                                      .alias = "readers-x-s3alias"},
                                     never));
         return ok_status();
       }},
      {"policy", [](Engine& engine) {
         return status_of(engine.change_bucket("bucket", {.documents = {{"policy", "{}"}}}, never));
       }}};
}

}  // namespace

TEST_CASE("step faults: whatever call fails, the step is whole or not there, and works again") {
  std::size_t turn = 0;
  for (const ErrorKind kind : {ErrorKind::internal, ErrorKind::storage_full, ErrorKind::unavailable,
                               ErrorKind::invalid_argument})
    for (const auto& [name, step] : steps()) {
      // By day under the sanitizers each step has one kind, and each kind its steps.
      if (sanitized && turn++ % 5 != 0) continue;
      CAPTURE(name);
      std::string done;
      {
        FaultRig rig;
        must(step(*rig.engine));
        done = rig.shown();
      }
      bool reached = true;
      const int stride = (kind == ErrorKind::internal ? 1 : 3) * (sanitized ? 40 : 1);
      for (int number = 1; reached; number += stride) {
        CAPTURE(number);
        REQUIRE(number < 200);
        FaultRig rig;
        const std::string before = rig.shown();
        rig.fail(number, kind);
        const Status outcome_now = step(*rig.engine);
        reached = rig.failed;
        rig.heal();
        const std::string after = rig.shown();
        if (outcome_now.ok())
          CHECK(after == done);
        else
          CHECK((after == before || after == done));
        if (after == before) {
          must(step(*rig.engine));
          CHECK(rig.shown() == done);
        }
        rig.check_disk();
      }
    }
}

}  // namespace step_faults_test
