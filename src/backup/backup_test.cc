// SPDX-License-Identifier: Apache-2.0
// A backup that was made is all that was there, whatever went on, and whatever broke.
#include <doctest/doctest.h>

#include <map>

#include "backup/create.h"
#include "backup/lease.h"
#include "backup/restore.h"
#include "backup/verify.h"
#include "base/hash.h"
#include "objectstore/copies/checkpoint.h"
#include "objectstore/engine.h"
#include "objectstore/engine_store.h"
#include "os/fake/fake_files.h"
#include "store/memory_store.h"

namespace backup_test {

using namespace cairn;
using namespace cairn::backup;

namespace {

const os::Deadline never = os::Deadline::never();

template <class T>
T must(Result<T> result) {
  REQUIRE_MESSAGE(result.ok(), name_of(result.error().kind) << " " << result.error().message);
  return std::move(*result);
}

template <class T>
std::string outcome(const Result<T>& result) {
  return result.ok() ? "ok" : std::string(name_of(result.error().kind));
}

std::string random_bytes(std::size_t count, std::uint64_t seed) {
  return os::seeded_random(seed)->bytes(count);
}

/// An engine with a bucket, and a repository in memory.
struct BackupRig {
  os::FakeFiles files;
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  std::unique_ptr<store::Store> store = store::memory_store({.clock = &clock});
  Key key = Key::draw(*random);
  Options options = {.owner = "here", .program = "1.0", .piece_bytes = 40'000, .workers = 2};
  std::unique_ptr<objectstore::Engine> engine = open("/data");
  std::vector<KeptFile> kept = {};
  std::vector<KeptFile> configuration = {};

  BackupRig() {
    must(Repository::create(*store, key, clock, *random, never));
    must(engine->create_bucket({.name = "bucket"}, never));
  }
  objectstore::EngineOptions engine_options(const std::string& folder) {
    return {.data_dir = folder, .recovery_interval_ms = 5, .files = &files, .clock = &clock};
  }
  std::unique_ptr<objectstore::Engine> open(const std::string& folder) {
    return must(objectstore::Engine::open(engine_options(folder)));
  }
  Repository repository() { return must(Repository::open(*store, key, never)); }
  void put(const std::string& name, const std::string& body) {
    must(engine->put({"bucket", name}, body, {}, never));
  }
  /// And waits until its bytes are gone: a checkpoint takes what still lies there.
  void remove(const std::string& name) {
    must(engine->remove({"bucket", name}, never));
    must(engine->wait_collected(os::Deadline::in_ms(10'000)));
  }

  Result<Manifest> try_backup(bool rereads = false) {
    clock.advance_ms(1000);
    CAIRN_TRY(auto opened, Repository::open(*store, key, never));
    CAIRN_TRY(const auto checkpoint, engine->checkpoint());
    Progress progress;
    return create(opened,
                  {.checkpoint = *checkpoint,
                   .files = kept,
                   .configuration = configuration,
                   .file_system = files},
                  {.id = new_id(clock, *random), .rereads = rereads}, options, clock, *random,
                  progress, never);
  }
  Manifest backup(bool rereads = false) { return must(try_backup(rereads)); }

  Status try_restore(const Manifest& manifest, const std::string& folder) {
    auto opened = repository();
    Progress progress;
    return restore(
        opened, manifest, files, folder,
        [&](const FileEntry& file, const objectstore::NextBytes& next) -> Status {
          for (;;) {
            CAIRN_TRY(const std::string bytes, next());
            if (bytes.empty()) return ok_status();
            restored_configuration[file.path] += bytes;
          }
        },
        options, progress, never);
  }
  using Bodies = std::map<std::string, std::string>;
  static Bodies all_of(objectstore::Engine& engine) {
    Bodies out;
    for (const auto& object : must(engine.list("bucket", {}, never)).objects) {
      const auto reader = must(engine.get({"bucket", object.key}, {}, never));
      std::string& body = out[object.key];
      for (;;) {
        const auto piece = must(reader->next());
        if (piece.empty()) break;
        body += piece;
      }
    }
    return out;
  }
  Bodies restored(const Manifest& manifest, const std::string& folder) {
    must(try_restore(manifest, folder));
    return all_of(*open(folder));
  }
  std::vector<std::string> faults() {
    auto opened = repository();
    std::vector<std::string> out;
    must(verify(
        opened, must(opened.list(never)), options,
        [&](const Fault& fault) { out.push_back(fault.file + ": " + fault.reason); }, never));
    return out;
  }
  std::size_t pieces() {
    std::size_t count = 0;
    must(store::for_each_object(*store, layout::pieces, never, [&](const auto&) {
      ++count;
      return ok_status();
    }));
    return count;
  }
  Bodies restored_configuration = {};
};

/// A place on a disk that can be full, or lose power: a bucket of another engine.
struct FarPlace {
  os::FakeFiles disk;
  std::unique_ptr<objectstore::Engine> engine;

  void open(BackupRig& rig) {
    rig.store.reset();
    engine.reset();
    engine = must(objectstore::Engine::open({.data_dir = "/far",
                                             .reserve_bytes = 0,
                                             .inline_bytes_max = 1000,
                                             .recovery_interval_ms = 5,
                                             .files = &disk,
                                             .clock = &rig.clock}));
    if (!engine->head_bucket("backups").ok())
      must(engine->create_bucket({.name = "backups"}, never));
    rig.store = must(objectstore::bucket_store(*engine, "backups"));
  }
  void begin(BackupRig& rig) {
    open(rig);
    must(Repository::create(*rig.store, rig.key, rig.clock, *rig.random, never));
  }
};

TEST_CASE("backup: all comes back") {
  BackupRig rig;
  rig.put("small", "in a row");
  rig.put("large", random_bytes(300'000, 1));
  rig.put("zeros", std::string(200'000, '\0'));
  must(os::replace_file(rig.files, "/data/audit/a.ndjson", "a line\n"));
  must(rig.files.make_directories("/etc/cairn"));
  must(os::replace_file(rig.files, "/etc/cairn/cairn.yaml", "cluster: { name: x }\n"));
  rig.kept = {{.kept_as = "audit/a.ndjson", .path = "/data/audit/a.ndjson"},
              {.kept_as = "audit/gone.ndjson", .path = "/data/audit/gone.ndjson"}};
  rig.configuration = {{.kept_as = "cairn.yaml", .path = "/etc/cairn/cairn.yaml"}};
  const auto before = BackupRig::all_of(*rig.engine);
  const Manifest manifest = rig.backup();
  CHECK(manifest.size_bytes() > 500'000);
  CHECK(rig.faults().empty());
  rig.put("later", "x");
  CHECK(rig.restored(manifest, "/copy") == before);
  CHECK(must(os::read_file(rig.files, "/copy/audit/a.ndjson", 100)) == "a line\n");
  CHECK(rig.restored_configuration.at("cairn.yaml") == "cluster: { name: x }\n");
  CHECK(outcome(rig.try_restore(manifest, "/copy")) == "conflict");
}

TEST_CASE("backup: what the repository has is neither read nor put again") {
  BackupRig rig;
  for (int i = 0; i < 20; ++i)
    rig.put("k" + std::to_string(i), random_bytes(100'000, static_cast<std::uint64_t>(i)));
  const Manifest first = rig.backup();
  CHECK(first.new_bytes > 2'000'000);
  const Manifest second = rig.backup();
  CHECK(second.new_bytes < 100'000);
  rig.put("new", random_bytes(100'000, 99));
  rig.remove("k3");
  const Manifest third = rig.backup();
  CHECK(third.new_bytes > 100'000);
  CHECK(third.new_bytes < 250'000);
  CHECK(rig.restored(first, "/one").size() == 20);
  const auto last = rig.restored(third, "/three");
  CHECK(last == BackupRig::all_of(*rig.engine));
  // A restored engine gives its extents numbers of its own: nothing is mistaken for another's.
  rig.engine = rig.open("/one");
  rig.put("of the copy", random_bytes(100'000, 100));
  const auto copy = BackupRig::all_of(*rig.engine);
  CHECK(rig.restored(rig.backup(), "/two") == copy);
}

TEST_CASE("backup: reread puts back what the repository lost") {
  BackupRig rig;
  rig.put("a", random_bytes(100'000, 1));
  const Manifest first = rig.backup();
  std::vector<std::string> keys;
  must(store::for_each_object(*rig.store, layout::pieces, never, [&](const auto& info) {
    keys.push_back(info.key);
    return ok_status();
  }));
  for (const auto& key : keys) must(rig.store->remove(key, never));
  CHECK_FALSE(rig.faults().empty());
  CHECK(outcome(rig.try_restore(first, "/copy")) == "corrupt");
  rig.backup(true);
  CHECK(rig.restored(first, "/copy").size() == 1);
}

TEST_CASE("backup: verify names what is damaged") {
  BackupRig rig;
  rig.put("a", random_bytes(100'000, 1));
  rig.backup();
  std::vector<std::string> keys;
  must(store::for_each_object(*rig.store, layout::pieces, never, [&](const auto& info) {
    keys.push_back(info.key);
    return ok_status();
  }));
  for (const std::string& key : keys) {
    CAPTURE(key);
    const std::string bytes = must(rig.store->get(key, never)).bytes;
    std::string changed = bytes;
    changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
    for (const std::string& bad : {changed, bytes.substr(0, bytes.size() - 1), std::string()}) {
      must(rig.store->put(key, bad, never));
      CHECK_FALSE(rig.faults().empty());
    }
    must(rig.store->put(key, bytes, never));
  }
  // The bytes of one piece under the name of another.
  const std::string one = must(rig.store->get(keys[0], never)).bytes;
  const std::string other = must(rig.store->get(keys[1], never)).bytes;
  must(rig.store->put(keys[1], one, never));
  CHECK_FALSE(rig.faults().empty());
  must(rig.store->put(keys[1], other, never));
  CHECK(rig.faults().empty());
}

TEST_CASE("backup: damage of the data folder is told and does not stop it") {
  BackupRig rig;
  rig.put("good", random_bytes(100'000, 1));
  rig.put("bad", random_bytes(100'000, 2));
  const auto ids = must(rig.engine->checkpoint())->extents();
  char name[17];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(ids.at(1)));
  const std::string folder = "/data/objects/extents/";
  bool flipped = false;
  for (const auto& each : must(rig.files.list(folder)))
    flipped |= rig.files.flip_bit(folder + each + "/" + name, 5);
  REQUIRE(flipped);
  const Manifest manifest = rig.backup();
  REQUIRE(manifest.damaged.size() == 1);
  CHECK(manifest.damaged[0].id == ids[1]);
  CHECK(rig.faults().size() == 1);
  must(rig.try_restore(manifest, "/copy"));
  const auto copy = rig.open("/copy");
  CHECK(must(must(copy->get({"bucket", "good"}, {}, never))->next()).size() > 1000);
}

TEST_CASE("backup: removed backups take what only they needed with them") {
  BackupRig rig;
  rig.put("stays", random_bytes(100'000, 1));
  rig.put("goes", random_bytes(100'000, 2));
  const Manifest first = rig.backup();
  rig.remove("goes");
  const Manifest second = rig.backup();
  auto repository = rig.repository();
  const std::size_t before = rig.pieces();
  const Swept swept =
      must(backup::remove(repository, {first.id}, rig.options, rig.clock, *rig.random, never));
  CHECK(swept.pieces > 2);
  CHECK(rig.pieces() == before - swept.pieces);
  CHECK(must(repository.list(never)) == std::vector<std::string>{second.id});
  CHECK(rig.faults().empty());
  CHECK(rig.restored(second, "/copy").size() == 1);
  CHECK(outcome(repository.read(first.id, never)) == "not_found");
}

TEST_CASE("backup: nothing is removed where a manifest cannot be read") {
  BackupRig rig;
  rig.put("a", random_bytes(100'000, 1));
  const Manifest first = rig.backup();
  const Manifest second = rig.backup();
  must(rig.store->put(layout::manifest_key(second.id), "nonsense", never));
  auto repository = rig.repository();
  CHECK(outcome(backup::remove(repository, {first.id}, rig.options, rig.clock, *rig.random,
                               never)) == "corrupt");
  CHECK(rig.restored(first, "/copy").size() == 1);
}

TEST_CASE("backup: leases keep sweeps and creations apart") {
  BackupRig rig;
  rig.put("a", "1");
  const auto take = [&](Lease::Kind kind) {
    return Lease::take(*rig.store, kind, rig.options, rig.clock, *rig.random, never);
  };
  auto creation = must(take(Lease::Kind::create));
  auto beside = must(take(Lease::Kind::create));
  CHECK(outcome(take(Lease::Kind::sweep)) == "conflict");
  // Whose clock is wrong takes none for dead that is not.
  const os::FakeClock ahead(rig.clock.unix_ms() + 2 * rig.options.lease_lost_ms);
  CHECK(outcome(Lease::take(*rig.store, Lease::Kind::sweep, rig.options, ahead, *rig.random,
                            never)) == "conflict");
  CHECK(creation->beat(never).ok());
  beside.reset();
  rig.clock.advance_ms(rig.options.lease_lost_ms / 2);
  CHECK(creation->beat(never).ok());
  rig.clock.advance_ms(rig.options.lease_lost_ms - 1);
  CHECK(outcome(take(Lease::Kind::sweep)) == "conflict");
  rig.clock.advance_ms(2);
  // Nobody renewed it.
  auto sweep = must(take(Lease::Kind::sweep));
  CHECK(outcome(creation->beat(never)) == "conflict");
  CHECK(outcome(rig.try_backup()) == "conflict");
  CHECK(outcome(take(Lease::Kind::sweep)) == "conflict");
  sweep.reset();
  CHECK(rig.try_backup().ok());
}

TEST_CASE("backup: a full place fails it, and the next one goes on") {
  BackupRig rig;
  for (int i = 0; i < 10; ++i)
    rig.put("k" + std::to_string(i), random_bytes(100'000, static_cast<std::uint64_t>(i)));
  FarPlace place;
  place.begin(rig);
  place.disk.set_capacity(place.disk.used_bytes() + 400'000);
  CHECK(outcome(rig.try_backup()) == "storage_full");
  place.disk.set_capacity(1ull << 40);
  place.open(rig);
  auto repository = rig.repository();
  CHECK(must(repository.list(never)).empty());
  rig.clock.advance_ms(rig.options.lease_lost_ms + 1);
  const Manifest manifest = rig.backup();
  CHECK(manifest.new_bytes < 1'000'000);
  CHECK(rig.faults().empty());
  CHECK(rig.restored(manifest, "/copy").size() == 10);
}

TEST_CASE("backup: a crash at any step of the place leaves whole backups") {
  BackupRig rig;
  rig.put("a", random_bytes(100'000, 1));
  rig.put("b", "small");
  const auto before = BackupRig::all_of(*rig.engine);
  for (std::uint64_t step = 1;; ++step) {
    FarPlace place;
    place.begin(rig);
    place.disk.cut_at(place.disk.calls() + step);
    const bool cut = !rig.try_backup().ok();
    rig.store.reset();
    place.engine.reset();
    place.disk.crash();
    place.open(rig);
    rig.clock.advance_ms(rig.options.lease_lost_ms + 1);
    CHECK(rig.faults().empty());  // none, or a whole one
    const Manifest again = rig.backup();
    CHECK(rig.faults().empty());
    CHECK(rig.restored(again, "/copy" + std::to_string(step)) == before);
    if (!cut) break;
  }
}

TEST_CASE("backup: a restore that is cut short goes on") {
  BackupRig rig;
  rig.put("a", random_bytes(100'000, 1));
  rig.put("b", random_bytes(150'000, 2));
  const auto before = BackupRig::all_of(*rig.engine);
  const Manifest manifest = rig.backup();
  int left = 3;
  rig.files.on_call([&](std::string_view call, const std::string& path) -> Status {
    if (call == "publish" && path.starts_with("/copy") && --left == 0)
      return Error{.kind = ErrorKind::storage_full, .message = "full"};
    return ok_status();
  });
  left = 2;
  CHECK(outcome(rig.try_restore(manifest, "/copy")) == "storage_full");
  rig.files.on_call(nullptr);
  CHECK(outcome(objectstore::Engine::open(rig.engine_options("/copy"))) == "conflict");
  CHECK(rig.restored(manifest, "/copy") == before);
}

TEST_CASE("backup: data of a newer version is refused") {
  BackupRig rig;
  Manifest manifest = rig.backup();
  manifest.data_format = objectstore::data_format + 1;
  const Status refused = rig.try_restore(manifest, "/copy");
  CHECK(outcome(refused) == "unsupported");
  CHECK(refused.error().message.find("written by Cairn 1.0") != std::string::npos);
}

TEST_CASE("backup: repositories know their key") {
  BackupRig rig;
  const Key other = Key::draw(*rig.random);
  CHECK(outcome(Repository::open(*rig.store, other, never)) == "permission_denied");
  CHECK(outcome(Repository::create(*rig.store, rig.key, rig.clock, *rig.random, never)) ==
        "already_exists");
  const auto strange = store::memory_store({.clock = &rig.clock});
  CHECK(outcome(Repository::open(*strange, rig.key, never)) == "not_found");
  must(strange->put("letter", "dear", never));
  CHECK(outcome(Repository::create(*strange, rig.key, rig.clock, *rig.random, never)) ==
        "conflict");
}

TEST_CASE("backup: no byte of what is kept lies in the place") {
  BackupRig rig;
  rig.put("secret-name", "the secret text in a row");
  rig.put("large", std::string(100'000, 'S') + "the secret text in an extent");
  rig.backup();
  must(store::for_each_object(*rig.store, "", never, [&](const auto& info) {
    const std::string bytes = must(rig.store->get(info.key, never)).bytes;
    CHECK(bytes.find("secret") == std::string::npos);
    CHECK(bytes.find("SSSS") == std::string::npos);
    return ok_status();
  }));
}

TEST_CASE("backup key: its text, and what it seals") {
  const auto random = os::seeded_random(1);
  const Key key = Key::draw(*random);
  CHECK(must(Key::parse(key.text())).text() == key.text());
  CHECK(key.text().starts_with("cairn-backup-key-1:"));
  for (const char* bad :
       {"", "cairn-backup-key-1:", "cairn-backup-key-2:AAAA", "cairn-backup-key-1:AAAA", "letter"})
    CHECK(outcome(Key::parse(bad)) == "invalid_argument");
  for (const std::string& plain :
       {std::string(), std::string("x"), random_bytes(100'000, 2), std::string(100'000, 'a')}) {
    const std::string sealed = key.seal(plain, "here");
    CHECK(must(key.open(sealed, "here", 1 << 20)) == plain);
    CHECK(outcome(key.open(sealed, "there", 1 << 20)) == "corrupt");
    CHECK(outcome(Key::draw(*random).open(sealed, "here", 1 << 20)) == "corrupt");
  }
  CHECK(key.seal(std::string(100'000, 'a'), "x").size() < 1000);
  CHECK_FALSE(key.open(key.seal(std::string(100'000, 'a'), "x"), "x", 1000).ok());
}

TEST_CASE("backup manifest: what is written is read, and nothing else") {
  Manifest manifest{.id = "20261127T223012Z-000001",
                    .begun_ms = 5,
                    .ended_ms = 9,
                    .program = "1",
                    .installation = "i",
                    .data_format = 5,
                    .database_id = "d",
                    .starts = 3,
                    .metadata = {{"CURRENT", 16, false, {std::string(64, 'a')}}},
                    .extents = {{2, 10, 1000, std::string(64, 'b')}},
                    .files = {{"keys/master.key", 32, true, {}}},
                    .configuration = {{"cairn.yaml", 1, true, {}}},
                    .damaged = {{7, "why"}},
                    .new_bytes = 1,
                    .new_pieces = 1};
  const Json json = to_json(manifest);
  CHECK(to_json(must(manifest_of(json))).dump() == json.dump());
  for (const auto& [name, value] : json.as_object()) {
    if (name == "id" || name.ends_with("_ms") || name == "program" || name == "installation" ||
        name == "data_format" || name == "database_id" || name == "damaged")
      continue;
    Json without = json;
    without.erase(name);
    CHECK_MESSAGE(outcome(manifest_of(without)) == "corrupt", name);
    without.set(name, "text");
    CHECK_MESSAGE(outcome(manifest_of(without)) == "corrupt", name);
  }
  Json newer = json;
  newer.set("format", 2);
  CHECK(outcome(manifest_of(newer)) == "unsupported");
  const std::vector<ExtentEntry> extents = {{1, 10, {std::string(64, 'a'), std::string(64, 'b')}},
                                            {9, 0, {}}};
  const std::string encoded = encode_extents(extents);
  const auto decoded = must(decode_extents(encoded));
  REQUIRE(decoded.size() == 2);
  CHECK(decoded[0].pieces == extents[0].pieces);
  for (std::size_t cut = 1; cut < encoded.size(); ++cut) {
    const auto part = decode_extents(std::string_view(encoded).substr(0, cut));
    CHECK((!part.ok() || part->size() == 1));
  }
}

}  // namespace
}  // namespace backup_test
