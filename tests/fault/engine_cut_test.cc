// SPDX-License-Identifier: Apache-2.0
// The power fails at every call to the disk in turn, RocksDB's included, and once more during the
// recovery. The disk forgets what was not synced: all of it, or any part of it. Afterwards the
// engine opens, every acknowledged change is there, and no other but the one that was cut.
// CAIRN_CUT_STEP takes every n-th call only (4; 1 at night).
#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "objectstore/cipher.h"
#include "objectstore/core/access_points.h"
#include "objectstore/core/core.h"
#include "objectstore/core/multipart.h"
#include "objectstore/engine.h"
#include "objectstore/journal/table_key.h"
#include "os/fake/fake_files.h"
#include "os/log.h"
#include "os/random.h"

using namespace cairn;
using namespace cairn::objectstore;

namespace {

const os::Deadline never = os::Deadline::never();
constexpr std::string_view bucket = "bucket";

constexpr std::string_view versioned = "versioned";  // a bucket of its own, with versioning
constexpr std::string_view marker = "(marker)";
constexpr std::string_view account = "111111111111";

using Objects = std::map<std::string, std::string>;  // what a client believes to be there

/// The versions of each key, newest first, and what else is said of buckets and objects.
struct State : Objects {
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> versions;  // body, tag
  std::string policy;  // of that bucket
  bool there = false;  // the versioned bucket
  // What the journals of the buckets must say, in order: "CREATE key", "DELETE key".
  std::map<std::string, std::vector<std::string>> told;
  void tell(std::string_view in, std::string what) {
    told[std::string(in)].push_back(std::move(what));
  }
  std::string point = "-";  // the policy of its access point; "-": there is none
  friend bool operator==(const State&, const State&) = default;
};

struct Step {
  std::function<Status(Engine&)> run;
  std::function<void(State&)> apply;
};

std::string body_of(std::uint64_t number, std::size_t bytes) {
  return os::seeded_random(number)->bytes(bytes);
}

Step put(std::string key, std::string body) {
  return {[=](Engine& engine) -> Status {
            CAIRN_CHECK(engine.put({bucket, key}, body, {}, never));
            return ok_status();
          },
          [=](State& objects) {
            objects[key] = body;
            objects.tell(bucket, "CREATE " + key);
          }};
}

Step stream(std::string key, std::string body) {
  return {[=](Engine& engine) -> Status {
            CAIRN_TRY(const auto writer, engine.begin_put({bucket, key}, std::nullopt, never));
            for (std::size_t at = 0; at < body.size(); at += 50'000)
              CAIRN_CHECK(writer->write(std::string_view(body).substr(at, 50'000)));
            CAIRN_CHECK(writer->finish({}, never));
            return ok_status();
          },
          [=](State& objects) {
            objects[key] = body;
            objects.tell(bucket, "CREATE " + key);
          }};
}

Step append(std::string key, std::string body, bool encrypted = false) {
  return {[=](Engine& engine) -> Status {
            const auto there = engine.look({bucket, key}, never);
            CAIRN_CHECK(there);
            AppendParams params{.offset = *there ? (*there)->size_bytes : 0};
            if (encrypted) params.encryption.how.method = s3::EncryptionMethod::aes256;
            CAIRN_TRY(const auto writer, engine.begin_append({bucket, key}, params, never));
            CAIRN_CHECK(writer->write(body));
            CAIRN_CHECK(writer->finish({}, never));
            return ok_status();
          },
          [=](State& objects) {
            objects[key] += body;
            objects.tell(bucket, "CREATE " + key);
          }};
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
          [=](State& objects) {
            for (const std::string& key : keys)
              if (objects.erase(key) > 0) objects.tell(bucket, "DELETE " + key);
          }};
}

Step copy(std::string from, std::string to) {
  return {[=](Engine& engine) -> Status {
            CAIRN_CHECK(engine.copy({bucket, from}, {bucket, to}, {}, never));
            return ok_status();
          },
          [=](State& objects) {
            const std::string body = objects.at(from);
            objects[to] = body;
            objects.tell(bucket, "CREATE " + to);
          }};
}

Step rename(std::string from, std::string to) {
  return {[=](Engine& engine) -> Status {
            CAIRN_CHECK(engine.rename(bucket, from, to, {}, never));
            return ok_status();
          },
          [=](State& objects) {
            const std::string body = objects.at(from);
            objects.erase(from);
            objects[to] = body;
            objects.tell(bucket, "DELETE " + from);
            objects.tell(bucket, "CREATE " + to);
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
          [=](State& objects) {
            objects[key] = first + second;
            objects.tell(bucket, "CREATE " + key);
          }};
}

Step make_versioned() {
  return {[=](Engine& engine) -> Status {
            CAIRN_TRY(const std::string journal,
                      table_document(engine.core().options().key_ring,
                                     {.method = s3::EncryptionMethod::aes256}));
            CAIRN_CHECK(engine.create_bucket(
                {.name = std::string(versioned), .versioning = s3::Versioning::enabled}, never,
                {{std::string(document::journal_table), journal}}));
            return ok_status();
          },
          [=](State& state) { state.there = true; }};
}

Step put_policy(std::string text) {
  return {[=](Engine& engine) -> Status {
            CAIRN_CHECK(engine.change_bucket(versioned, {.documents = {{"policy", text}}}, never));
            return ok_status();
          },
          [=](State& state) { state.policy = text; }};
}

Step put_version(std::string key, std::string body, bool encrypted = false) {
  return {[=](Engine& engine) -> Status {
            PutParams params;
            if (encrypted) params.encryption.how.method = s3::EncryptionMethod::aes256;
            CAIRN_CHECK(engine.put({versioned, key}, body, params, never));
            return ok_status();
          },
          [=](State& state) {
            auto& all = state.versions[key];
            all.insert(all.begin(), {body, ""});
            state.tell(versioned, "CREATE " + key);
          }};
}

Step put_marker(std::string key) {
  return {[=](Engine& engine) -> Status {
            CAIRN_CHECK(engine.remove({versioned, key}, RemoveParams{}, never));
            return ok_status();
          },
          [=](State& state) {
            auto& all = state.versions[key];
            all.insert(all.begin(), {std::string(marker), ""});
            state.tell(versioned, "DELETE " + key);
          }};
}

/// Made, where it is not there; without a policy it has "".
Step put_point(std::string policy) {
  return {[=](Engine& engine) -> Status {
            AccessPoints& points = engine.access_points();
            if (points.find(account, "point") == nullptr) {
              s3::AccessPoint made{.name = "point", .bucket = std::string(versioned)};
              made.owner.account_id = account;
              made.alias = "point-x-s3alias";
              made.policy = policy;
              CAIRN_CHECK(points.create(std::move(made), never));
              return ok_status();
            }
            CAIRN_CHECK(points.set_policy(account, "point", policy, never));
            return ok_status();
          },
          [=](State& state) { state.point = policy; }};
}

Step remove_point() {
  return {[=](Engine& engine) -> Status {
            return engine.access_points().remove(account, "point", never);
          },
          [=](State& state) { state.point = "-"; }};
}

/// The version at that place, newest first.
Step remove_version(std::string key, std::size_t place) {
  return {[=](Engine& engine) -> Status {
            CAIRN_TRY(const auto page, engine.list_versions(versioned, {.prefix = key}, never));
            const std::string id = page.versions.at(place).version_id;
            CAIRN_CHECK(engine.remove({versioned, key, id}, RemoveParams{}, never));
            return ok_status();
          },
          [=](State& state) {
            auto& all = state.versions[key];
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(place));
            if (all.empty()) state.versions.erase(key);
            state.tell(versioned, "DELETE " + key);
          }};
}

Step tag(std::string key, std::string value) {
  return {[=](Engine& engine) -> Status {
            CAIRN_CHECK(
                engine.change_object({versioned, key}, {.tags = s3::Tags{{"tag", value}}}, never));
            return ok_status();
          },
          [=](State& state) {
            state.versions.at(key).front().second = value;
            state.tell(versioned, "UPDATE_METADATA " + key);
          }};
}

/// Versions that move down and up again, and markers on top of them.
std::vector<Step> versioned_history() {
  return {make_versioned(),
          put_version("v", body_of(21, 100)),
          put_version("v", body_of(22, 70'000)),
          put_policy("first"),
          put_point(""),
          put_point("one"),
          put_version("v", body_of(23, 90'000), true),
          tag("v", "one"),
          put_marker("v"),
          put_version("w", body_of(24, 40'000), true),
          remove_version("v", 0),  // the marker: the version below is the current one again
          put_policy("second"),
          remove_point(),
          put_point("again"),
          remove_version("v", 1),
          remove_version("v", 0),
          tag("v", "two"),
          put_marker("w"),
          remove_version("w", 1)};
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
          rename("row3", "row2"),
          rename("parts", "moved"),
          rename("moved", "small"),
          multipart("parts", body_of(15, 10), body_of(16, 70'000)),
          put("small", body_of(9, 10)),
          append("grows", body_of(31, 20'000)),
          append("grows", body_of(32, 20'000)),   // a row again
          append("grows", body_of(33, 40'000)),   // out of the row
          append("grows", body_of(34, 100)),      // behind it
          copy("grows", "grown"),
          append("stream", body_of(35, 90'000)),
          append("parts", body_of(36, 70'000)),
          append("sealed", body_of(37, 70'000), true),
          append("sealed", body_of(38, 10)),
          remove({"copy", "row1", "stream", "none"}),
          put("last", body_of(10, 66'000))};
}

std::vector<Step> whole_history() {
  std::vector<Step> all = history();
  for (Step& step : versioned_history()) all.push_back(std::move(step));
  return all;
}

struct Disk {
  os::FakeFiles files;
  MasterKeyRing ring{std::string(32, 'k')};
  EngineOptions options;
  Disk() {
    options.data_dir = "/data";
    options.files = &files;
    options.key_ring = &ring;
    options.space_check_ms = 0;
    options.write_buffer_bytes = 64 << 10;
    options.cached_bytes_max = 100 << 10;  // so that both ways of writing are cut
  }
  Result<std::unique_ptr<Engine>> open() { return Engine::open(options); }
};

/// Thousands of failures are meant to happen here: they are not worth a log.
const bool quiet = [] {
  os::configure_log(os::LogLevel::error, os::LogFormat::text, [](std::string_view) {});
  return true;
}();

std::string body_in(Engine& engine, const ObjectName& name) {
  auto reader = engine.get(name, {}, never);
  REQUIRE_MESSAGE(reader.ok(), reader.error().message);
  std::string body;
  for (auto piece = (*reader)->next();; piece = (*reader)->next()) {
    REQUIRE_MESSAGE(piece.ok(), piece.error().message);
    if (piece->empty()) return body;
    body += *piece;
  }
}

void add_journal(Engine& engine, std::string_view of, State& state) {
  const auto page = engine.journal(of, 0, 1000, never);
  REQUIRE_MESSAGE(page.ok(), page.error().message);
  for (const JournalRow& row : page->rows)
    state.tell(of, std::string(name_of(row.record.kind)) + " " + row.record.object.key);
}

void add_versions(Engine& engine, State& state) {
  if (const auto point = engine.access_points().find(account, "point")) {
    state.point = point->point.policy;
    CHECK(engine.access_points().find_alias(point->point.alias) == point);
  }
  const auto view = engine.bucket(versioned);
  if (!view.ok()) return;
  state.there = true;
  add_journal(engine, versioned, state);
  if (const auto policy = (*view)->document("policy")) state.policy = policy->text();
  const auto page = engine.list_versions(versioned, {}, never);
  REQUIRE_MESSAGE(page.ok(), page.error().message);
  for (const auto& object : page->versions) {
    const auto tags = object.tags.find("tag");
    state.versions[object.key].emplace_back(
        object.delete_marker ? std::string(marker)
                             : body_in(engine, {versioned, object.key, object.version_id}),
        tags == object.tags.end() ? "" : tags->second);
  }
  // What is listed as current is what a read without a version gives.
  const auto current = engine.list(versioned, {}, never);
  REQUIRE(current.ok());
  for (const auto& object : current->objects)
    CHECK(body_in(engine, {versioned, object.key}) == state.versions.at(object.key).front().first);
}

State content_of(Engine& engine) {
  State objects;
  add_versions(engine, objects);
  const auto page = engine.list(bucket, {}, never);
  if (!page.ok() && page.error().code == "NoSuchBucket") return objects;
  REQUIRE_MESSAGE(page.ok(), page.error().message);
  add_journal(engine, bucket, objects);
  for (const auto& object : page->objects)
    objects[object.key] = body_in(engine, {bucket, object.key});
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

void check_extents(Engine& engine, const State& objects) {
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
  if (const auto other = engine.core().find_bucket(versioned); other.ok()) {
    const auto page = engine.list_versions(versioned, {}, never);
    for (const auto& object : page->versions) {
      const auto version = engine.core().find_version(**other, object.key, object.version_id);
      for (const auto& extent : (*version)->record.extents) used.insert(extent.id);
    }
  }
  CHECK(files == used);
}

/// What the history left when it was cut: acknowledged, and that with the cut step.
struct Outcome {
  State sure;
  State maybe;
};

Status create_with_journal(Engine& engine) {
  CAIRN_TRY(const std::string journal, table_document(nullptr, {}));
  CAIRN_CHECK(engine.create_bucket({.name = std::string(bucket)}, never,
                                   {{std::string(document::journal_table), journal}}));
  return ok_status();
}

Outcome run_until_cut(Disk& disk) {
  Outcome outcome;
  auto engine = disk.open();
  if (!engine.ok()) return outcome;
  if (!create_with_journal(**engine).ok()) return outcome;
  for (const Step& step : whole_history()) {
    step.apply(outcome.maybe);
    if (!step.run(**engine).ok()) return outcome;
    outcome.sure = outcome.maybe;
  }
  return outcome;
}

void check_after(Disk& disk, const Outcome& outcome, std::uint64_t call) {
  auto engine = disk.open();
  REQUIRE_MESSAGE(engine.ok(), "cut at call " << call << ": " << engine.error().message);
  const State now = content_of(**engine);
  CHECK_MESSAGE((now == outcome.sure || now == outcome.maybe), "cut at call " << call);
  // A start that left out the end of a log keeps all extents; the next one sweeps.
  if ((*engine)->core().kv().opening().was_cut_short) {
    engine->reset();
    engine = disk.open();
    REQUIRE_MESSAGE(engine.ok(), engine.error().message);
    CHECK((content_of(**engine) == now));
  }
  check_extents(**engine, now);
  // And it goes on as if nothing had been.
  (void)create_with_journal(**engine);
  for (const Step& step : {put("new", body_of(11, 100)), put("new large", body_of(12, 80'000))})
    CHECK(step.run(**engine).ok());
}

/// Calls to go on by.
std::uint64_t step_of_test() {
  const char* text = std::getenv("CAIRN_CUT_STEP");
  return text == nullptr ? 4 : std::max<std::uint64_t>(1, std::strtoull(text, nullptr, 10));
}

std::uint64_t cut_everywhere(os::CrashKeeps keeps) {
  std::uint64_t call = 1 + os::system_random().below(step_of_test());
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

TEST_CASE("cut: at calls everywhere, and the disk forgets all that was not synced") {
  const std::uint64_t calls = cut_everywhere(os::CrashKeeps::nothing);
  CHECK(calls > 100);
  MESSAGE("cut up to call " << calls);
}

TEST_CASE("cut: at calls everywhere, and the disk keeps any part of what was not synced") {
  CHECK(cut_everywhere(os::CrashKeeps::random) > 100);
}

TEST_CASE("cut: a second time, during the recovery from the first") {
  const std::uint64_t seed = os::system_random().below(1'000'000);
  MESSAGE("seed " << seed);
  const auto random = os::seeded_random(seed);
  for (int round = 0; round < 100; ++round) {
    Disk disk;
    disk.files.cut_at(60 + random->below(400));
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
