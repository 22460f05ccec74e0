// SPDX-License-Identifier: Apache-2.0
// The power fails at every call to the disk in turn, RocksDB's included, and once more during the
// recovery. The disk forgets what was not synced: all of it, or any part of it. Afterwards the
// engine opens, every acknowledged change is there, and no other but the one that was cut.
// CAIRN_CUT_STEP (1) takes every n-th call only.
#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "objectstore/core.h"
#include "objectstore/engine.h"
#include "objectstore/multipart.h"
#include "os/fake_files.h"
#include "os/log.h"
#include "os/random.h"

using namespace cairn;
using namespace cairn::objectstore;

namespace {

const os::Deadline never = os::Deadline::never();
constexpr std::string_view bucket = "bucket";

using Objects = std::map<std::string, std::string>;  // what a client believes to be there

struct Step {
  std::function<Status(Engine&)> run;
  std::function<void(Objects&)> apply;
};

std::string body_of(std::uint64_t number, std::size_t bytes) {
  return os::seeded_random(number)->bytes(bytes);
}

Step put(std::string key, std::string body) {
  return {[=](Engine& engine) -> Status {
            CAIRN_CHECK(engine.put({bucket, key}, body, {}, never));
            return ok_status();
          },
          [=](Objects& objects) { objects[key] = body; }};
}

Step stream(std::string key, std::string body) {
  return {[=](Engine& engine) -> Status {
            CAIRN_TRY(const auto writer, engine.begin_put({bucket, key}, std::nullopt, never));
            for (std::size_t at = 0; at < body.size(); at += 50'000)
              CAIRN_CHECK(writer->write(std::string_view(body).substr(at, 50'000)));
            CAIRN_CHECK(writer->finish({}, never));
            return ok_status();
          },
          [=](Objects& objects) { objects[key] = body; }};
}

Step remove(std::vector<std::string> keys) {
  return {[=](Engine& engine) -> Status {
            if (keys.size() == 1) {
              CAIRN_CHECK(engine.remove({bucket, keys[0]}, never));
            } else {
              CAIRN_CHECK(engine.remove_batch(bucket, keys, never));
            }
            return ok_status();
          },
          [=](Objects& objects) {
            for (const std::string& key : keys) objects.erase(key);
          }};
}

Step copy(std::string from, std::string to) {
  return {[=](Engine& engine) -> Status {
            CAIRN_CHECK(engine.copy({bucket, from}, {bucket, to}, {}, never));
            return ok_status();
          },
          [=](Objects& objects) {
            const std::string body = objects.at(from);
            objects[to] = body;
          }};
}

/// Two parts made one object; a third part is left out.
Step multipart(std::string key, std::string first, std::string second) {
  return {[=](Engine& engine) -> Status {
            Uploads& uploads = engine.uploads();
            const ObjectName name{bucket, key};
            CAIRN_TRY(const auto upload, uploads.create(name, {}, never));
            int number = 0;
            for (const std::string& body : {first, second, second}) {
              CAIRN_TRY(const auto part,
                        uploads.begin_part(name, upload.upload_id, ++number, body.size(), never));
              CAIRN_CHECK(part->write(body));
              CAIRN_CHECK(part->finish({}, never));
            }
            const auto judge = [](const std::vector<s3::Part>&) -> Result<Completed> {
              return Completed{.etag = "etag-2"};
            };
            CAIRN_CHECK(uploads.complete(name, upload.upload_id,
                                         {.numbers = {1, 2}, .judge = judge}, never));
            return ok_status();
          },
          [=](Objects& objects) { objects[key] = first + second; }};
}

/// Small and large bodies over each other, copies that outlive their source, and enough bytes in
/// rows to make RocksDB flush and compact on the way.
std::vector<Step> history() {
  return {put("small", body_of(1, 100)),
          put("large", body_of(2, 70'000)),
          copy("large", "copy"),
          put("row1", body_of(3, 40'000)),
          put("row2", body_of(4, 40'000)),
          put("small", body_of(5, 90'000)),
          remove({"large"}),
          put("row1", body_of(6, 40'000)),
          put("copy2", ""),
          copy("copy", "copy2"),
          stream("stream", body_of(7, 200'000)),
          put("row2", body_of(8, 50'000)),
          copy("row1", "row3"),
          multipart("parts", body_of(13, 30'000), body_of(14, 80'000)),
          copy("parts", "small"),
          multipart("parts", body_of(15, 10), body_of(16, 70'000)),
          put("small", body_of(9, 10)),
          remove({"copy", "row1", "stream", "none"}),
          put("last", body_of(10, 66'000))};
}

struct Disk {
  os::FakeFiles files;
  EngineOptions options;
  Disk() {
    options.data_dir = "/data";
    options.files = &files;
    options.space_check_ms = 0;
    options.write_buffer_bytes = 64 << 10;
  }
  Result<std::unique_ptr<Engine>> open() { return Engine::open(options); }
};

/// Thousands of failures are meant to happen here: they are not worth a log.
const bool quiet = [] {
  os::configure_log(os::LogLevel::error, os::LogFormat::text, [](std::string_view) {});
  return true;
}();

Objects content_of(Engine& engine) {
  Objects objects;
  const auto page = engine.list(bucket, {}, never);
  if (!page.ok() && page.error().code == "NoSuchBucket") return objects;
  REQUIRE_MESSAGE(page.ok(), page.error().message);
  for (const auto& object : page->objects) {
    auto reader = engine.get({bucket, object.key}, {}, never);
    REQUIRE_MESSAGE(reader.ok(), reader.error().message);
    std::string body;
    for (auto piece = (*reader)->next();; piece = (*reader)->next()) {
      REQUIRE_MESSAGE(piece.ok(), piece.error().message);
      if (piece->empty()) break;
      body += *piece;
    }
    objects[object.key] = std::move(body);
  }
  return objects;
}

/// An upload that was cut is still there, with its parts; ending it frees them.
void abort_uploads(Engine& engine) {
  const auto page = engine.uploads().list(bucket, {}, never);
  if (!page.ok() && page.error().code == "NoSuchBucket") return;
  REQUIRE(page.ok());
  for (const auto& upload : page->uploads)
    REQUIRE(engine.uploads().abort({bucket, upload.key}, upload.upload_id, never).ok());
}

void check_extents(Engine& engine, const Objects& objects) {
  abort_uploads(engine);
  REQUIRE(engine.wait_collected(os::Deadline::in_ms(60'000)).ok());
  std::set<std::uint64_t> files;
  const auto remember = [&](std::uint64_t id) { return files.insert(id).second; };
  REQUIRE(engine.core().extents().for_each(remember).ok());
  std::set<std::uint64_t> used;
  const auto found = engine.core().find_bucket(bucket);
  for (const auto& [key, body] : objects) {
    const auto record = engine.core().find(**found, key);
    for (const auto& extent : (*record)->extents) used.insert(extent.id);
  }
  CHECK(files == used);
}

/// What the history left when it was cut: acknowledged, and that with the cut step.
struct Outcome {
  Objects sure;
  Objects maybe;
};

Outcome run_until_cut(Disk& disk) {
  Outcome outcome;
  auto engine = disk.open();
  if (!engine.ok()) return outcome;
  if (!(*engine)->create_bucket({.name = std::string(bucket)}, never).ok()) return outcome;
  for (const Step& step : history()) {
    step.apply(outcome.maybe);
    if (!step.run(**engine).ok()) return outcome;
    outcome.sure = outcome.maybe;
  }
  return outcome;
}

void check_after(Disk& disk, const Outcome& outcome, std::uint64_t call) {
  auto engine = disk.open();
  REQUIRE_MESSAGE(engine.ok(), "cut at call " << call << ": " << engine.error().message);
  const Objects now = content_of(**engine);
  CHECK_MESSAGE((now == outcome.sure || now == outcome.maybe), "cut at call " << call);
  check_extents(**engine, now);
  // And it goes on as if nothing had been.
  (void)(*engine)->create_bucket({.name = std::string(bucket)}, never);
  for (const Step& step : {put("new", body_of(11, 100)), put("new large", body_of(12, 80'000))})
    CHECK(step.run(**engine).ok());
}

std::uint64_t step_of_test() {
  const char* text = std::getenv("CAIRN_CUT_STEP");
  return text == nullptr ? 1 : std::max<std::uint64_t>(1, std::strtoull(text, nullptr, 10));
}

std::uint64_t cut_everywhere(os::CrashKeeps keeps) {
  std::uint64_t call = 1;
  for (bool was_cut = true; was_cut; call += step_of_test()) {
    Disk disk;
    disk.files.cut_at(call);
    const Outcome outcome = run_until_cut(disk);
    was_cut = disk.files.is_cut();
    disk.files.crash(keeps, call);
    check_after(disk, outcome, call);
  }
  return call;
}

}  // namespace

TEST_CASE("cut: at every call, and the disk forgets all that was not synced") {
  const std::uint64_t calls = cut_everywhere(os::CrashKeeps::nothing);
  CHECK(calls > 100);
  MESSAGE("cut at " << calls << " calls");
}

TEST_CASE("cut: at every call, and the disk keeps any part of what was not synced") {
  CHECK(cut_everywhere(os::CrashKeeps::random) > 100);
}

TEST_CASE("cut: a second time, during the recovery from the first") {
  const std::uint64_t seed = os::system_random().below(1'000'000);
  MESSAGE("seed " << seed);
  const auto random = os::seeded_random(seed);
  for (int round = 0; round < 100; ++round) {
    Disk disk;
    disk.files.cut_at(60 + random->below(300));
    const Outcome outcome = run_until_cut(disk);
    disk.files.crash(os::CrashKeeps::random, random->number());
    for (int again = 0; again < 3; ++again) {
      disk.files.cut_at(1 + random->below(60));
      if (auto engine = disk.open(); engine.ok())
        (void)(*engine)->wait_collected(os::Deadline::in_ms(60'000));
      disk.files.crash(os::CrashKeeps::random, random->number());
    }
    check_after(disk, outcome, 0);
  }
}
