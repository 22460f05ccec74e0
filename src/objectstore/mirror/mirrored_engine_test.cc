// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <optional>

#include "base/sanitized.h"
#include "objectstore/engine_rig_test.h"
#include "objectstore/mirror/mirror_keeper.h"
#include "objectstore/mirror/mirror_scrub.h"
#include "os/mirror/mirror.h"
#include "os/random.h"

namespace cairn::objectstore::mirrored_engine_test {

using namespace testing;
using os::SideState;

const std::string large = bytes_of(300'000, 3);

struct Rig {
  os::FakeFiles files;
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(11);
  std::unique_ptr<os::Mirror> mirror;
  std::unique_ptr<Engine> engine;

  ~Rig() { close(); }
  void close() {
    engine.reset();
    mirror.reset();
  }
  Status try_open(const std::string& first = "/data", const std::string& second = "/copy") {
    close();
    CAIRN_TRY(mirror,
              os::Mirror::open(
                  files, *random,
                  {.first = first, .second = second, .threads = 0, .rules = mirror_rules()}));
    EngineOptions options;
    options.data_dir = mirror->root();
    options.files = &mirror->files();
    options.clock = &clock;
    options.space_check_ms = 0;
    options.recovery_interval_ms = 5;
    options.reserve_bytes = 1 << 20;
    options.write_buffer_bytes = 256 << 10;
    CAIRN_TRY(engine, Engine::open(options));
    return ok_status();
  }
  void open(const std::string& first = "/data", const std::string& second = "/copy") {
    const Status opened = try_open(first, second);
    REQUIRE_MESSAGE(opened.ok(), opened.error().message);
  }
  void begin() {
    open();
    must(engine->create_bucket({.name = "bucket"}, never));
  }
  bool put(const std::string& key, std::string_view body) {
    return engine->put({"bucket", key}, body, {}, never).ok();
  }
  std::string get(const std::string& key) {
    auto reader = engine->get({"bucket", key}, {}, never);
    if (!reader.ok()) return "(" + outcome(reader) + ")";
    std::string all;
    for (;;) {
      const auto piece = (*reader)->next();
      if (!piece.ok()) return "(" + outcome(piece) + ")";
      if (piece->empty()) return all;
      all += *piece;
    }
  }
  std::vector<std::string> below(const std::string& folder) {
    std::vector<std::string> out;
    const auto names = files.list(folder);
    if (!names.ok()) return out;
    for (const std::string& name : *names) {
      const std::string path = folder + "/" + name;
      if (!files.info(path)->is_directory) {
        out.push_back(path);
        continue;
      }
      for (std::string& each : below(path)) out.push_back(std::move(each));
    }
    return out;
  }
  std::vector<std::string> extents(const std::string& folder) {
    return below(folder + "/objects/extents");
  }
  std::string bytes(const std::string& path) {
    const auto text = os::read_file(files, path, 64 << 20);
    return text.ok() ? *text : "(" + outcome(text) + ")";
  }
  MirrorScrubCount scrub() { return must(scrub_mirror(*engine, mirror->sides(), {}, never)); }
};

std::string other_of(const std::string& path) { return "/copy" + path.substr(5); }

TEST_CASE("mirrored engine: each folder alone has everything, after a stop and after a crash") {
  for (const bool crash : {false, true}) {
    for (const char* folder : {"/data", "/copy"}) {
      Rig rig;
      rig.begin();
      for (int i = 0; i < 30; ++i) REQUIRE(rig.put("small" + std::to_string(i), bytes_of(5000, i)));
      REQUIRE(rig.put("large", large));
      if (crash) {
        rig.files.cut_at(rig.files.calls() + 1);
        rig.close();
        rig.files.crash(os::CrashKeeps::random, 5);
      }
      rig.open(folder, "");
      for (int i = 0; i < 30; ++i) CHECK(rig.get("small" + std::to_string(i)) == bytes_of(5000, i));
      CHECK(rig.get("large") == large);
    }
  }
}

TEST_CASE(
    "mirrored engine: power that fails at any moment loses nothing acknowledged on either disk") {
  for (std::uint64_t cut = 1; cut < 260; cut += sanitized ? 36 : 9) {
    for (const char* folder : {"/data", "/copy", "both"}) {
      Rig rig;
      rig.begin();
      rig.files.cut_at(rig.files.calls() + cut);
      int acknowledged = 0;
      for (int i = 0; i < 4; ++i) {
        if (!rig.put("key" + std::to_string(i), i % 2 ? large : "small")) break;
        ++acknowledged;
      }
      rig.close();
      rig.files.crash(os::CrashKeeps::random, cut);
      if (std::string_view(folder) == "both")
        rig.open();
      else
        rig.open(folder, "");
      for (int i = 0; i < acknowledged; ++i)
        CHECK(rig.get("key" + std::to_string(i)) == (i % 2 ? large : "small"));
      if (std::string_view(folder) != "both") continue;
      // The cut may have come after one folder said that it goes on alone.
      if (const auto lacking = rig.mirror->lacking()) REQUIRE(rig.mirror->fill(*lacking, {}).ok());
      REQUIRE(rig.put("after", large));
      rig.open("/copy", "");
      CHECK(rig.get("after") == large);
    }
  }
}

TEST_CASE("mirrored engine: a disk that fails at any moment is put aside, and nothing is refused") {
  for (const std::string failing : {"/data/", "/copy/"}) {
    for (int from = 0; from < 120; from += sanitized ? 28 : 7) {
      Rig rig;
      rig.begin();
      int calls = 0;
      rig.files.on_call([&](std::string_view call, const std::string& path) -> Status {
        const bool changes = call == "write" || call == "sync" || call == "publish" ||
                             call == "rename" || call == "unnamed" || call == "allocate" ||
                             call == "sync_directory" || call == "mkdir";
        if (!changes || !path.starts_with(failing) || calls++ < from) return ok_status();
        return Error{.kind = ErrorKind::internal, .message = "the disk failed"};
      });
      for (int i = 0; i < 6; ++i)
        CHECK(rig.put("key" + std::to_string(i), i % 2 ? large : "small"));
      for (int i = 0; i < 6; ++i)
        CHECK(rig.get("key" + std::to_string(i)) == (i % 2 ? large : "small"));
      rig.close();
      rig.files.on_call(nullptr);
      rig.files.crash();
      rig.open(failing == "/data/" ? "/copy" : "/data", "");
      for (int i = 0; i < 6; ++i)
        CHECK(rig.get("key" + std::to_string(i)) == (i % 2 ? large : "small"));
    }
  }
}

TEST_CASE("mirrored engine: a block that rots in one folder is read from the other, and mended") {
  for (const bool in_copy : {false, true}) {
    Rig rig;
    rig.begin();
    REQUIRE(rig.put("large", large));
    const std::string path = rig.extents("/data").at(0);
    const std::string whole = rig.bytes(path);
    REQUIRE(rig.files.flip_bit(in_copy ? other_of(path) : path, 70'000));
    REQUIRE(rig.files.flip_bit(in_copy ? path : other_of(path), 270'000));
    REQUIRE(rig.files.flip_bit(path, large.size() + 9));  // its table
    CHECK(rig.get("large") == large);
    CHECK(rig.bytes(path).substr(0, large.size()) == large);
    CHECK(rig.scrub().damaged == 0);
    CHECK(rig.bytes(path) == whole);
    CHECK(rig.bytes(other_of(path)) == whole);
  }
}

TEST_CASE("mirrored engine: an extent that is missing or cut in one folder comes from the other") {
  Rig rig;
  rig.begin();
  REQUIRE(rig.put("large", large));
  const std::string path = rig.extents("/data").at(0);
  const std::string whole = rig.bytes(path);
  REQUIRE(must(rig.files.open(path, os::OpenMode::read_write))->truncate(1000).ok());
  CHECK(rig.get("large") == large);
  CHECK(rig.bytes(path) == whole);
  REQUIRE(rig.files.remove(path).ok());
  CHECK(rig.get("large") == large);
  CHECK(rig.scrub().mended == 1);
  CHECK(rig.bytes(path) == whole);
  REQUIRE(rig.files.remove(other_of(path)).ok());
  CHECK(rig.scrub().mended == 1);
  CHECK(rig.bytes(other_of(path)) == whole);
}

TEST_CASE("mirrored engine: what is lost in both folders is told, and not given out") {
  Rig rig;
  rig.begin();
  REQUIRE(rig.put("large", large));
  const std::string path = rig.extents("/data").at(0);
  REQUIRE(rig.files.flip_bit(path, 70'000));
  REQUIRE(rig.files.flip_bit(other_of(path), 70'001));
  CHECK(rig.get("large") == "(corrupt)");
  CHECK(rig.scrub().damaged == 1);
}

TEST_CASE("mirrored engine: a table that rots in one folder is read from the other, and mended") {
  for (const bool in_copy : {false, true}) {
    Rig rig;
    rig.begin();
    for (int i = 0; i < 40; ++i) REQUIRE(rig.put("k" + std::to_string(i), bytes_of(20'000, i)));
    rig.close();
    std::map<std::string, std::string> tables;
    for (const std::string& path : rig.below("/data/objects/meta"))
      if (path.ends_with(".sst")) tables[path] = rig.bytes(path);
    REQUIRE_FALSE(tables.empty());
    for (const auto& [path, whole] : tables)
      for (std::size_t at = 100; at < whole.size(); at += 3000)
        REQUIRE(rig.files.flip_bit(in_copy ? other_of(path) : path, at));
    rig.open();
    for (int i = 0; i < 40; ++i) CHECK(rig.get("k" + std::to_string(i)) == bytes_of(20'000, i));
    CHECK(rig.scrub().damaged == 0);
    for (const auto& [path, whole] : tables) {
      if (!rig.files.info(path).ok()) continue;  // compacted meanwhile
      CHECK(rig.bytes(path) == whole);
      CHECK(rig.bytes(other_of(path)) == whole);
    }
  }
}

TEST_CASE("mirrored engine: any file of the metadata may be lost or damaged in one folder") {
  Rig names;
  names.begin();
  REQUIRE(names.put("key", "value"));
  names.close();
  auto paths = names.below("/data/objects/meta");
  paths.emplace_back("/data/objects/meta.state");
  paths.emplace_back("/data/VERSION");
  for (const std::string& path : paths) {
    if (path.ends_with("LOCK")) continue;
    for (const bool in_copy : {false, true}) {
      for (const bool removed : {false, true}) {
        if (sanitized && in_copy != removed) continue;
        Rig rig;
        rig.begin();
        REQUIRE(rig.put("key", "value"));
        rig.close();
        const std::string place = in_copy ? other_of(path) : path;
        if (removed)
          REQUIRE(rig.files.remove(place).ok());
        else if (!rig.files.flip_bit(place, 3))
          continue;
        const Status opened = rig.try_open();
        REQUIRE_MESSAGE(opened.ok(), place << " " << opened.error().message);
        CHECK(rig.get("key") == "value");
        CHECK(rig.scrub().damaged == 0);  // of a table that nobody read
        CHECK(rig.mirror->sides().both_whole());
        rig.open(in_copy ? "/copy" : "/data", "");
        CHECK(rig.get("key") == "value");
      }
    }
  }
}

TEST_CASE("mirrored engine: a new disk is filled while objects are put and deleted") {
  Rig rig;
  rig.begin();
  for (int i = 0; i < 20; ++i)
    REQUIRE(rig.put("before" + std::to_string(i), i % 2 ? large : bytes_of(9000, i)));
  rig.close();
  REQUIRE(rig.files.rename("/copy", "/lost").ok());
  rig.open();
  REQUIRE(rig.files.make_directories("/copy").ok());
  int turn = 0;
  const auto pace = [&](std::uint64_t) -> Status {
    if (turn >= 60) return ok_status();
    const int now = turn++;
    CHECK(rig.put("during" + std::to_string(now), now % 3 ? bytes_of(70'000, now) : "small"));
    if (now % 5 == 0)
      CHECK(rig.engine->remove({"bucket", "before" + std::to_string(now / 5)}, never).ok());
    return ok_status();
  };
  const Status filled = rig.mirror->fill(1, pace);
  REQUIRE_MESSAGE(filled.ok(), filled.error().message);
  REQUIRE(rig.put("behind", large));
  CHECK(rig.scrub().damaged == 0);
  CHECK(rig.mirror->sides().both_whole());
  rig.close();
  rig.files.crash();
  rig.open("/copy", "");
  CHECK(rig.get("behind") == large);
  CHECK(rig.get("before1") == (turn > 5 ? "(NoSuchKey)" : large));
  CHECK(rig.get("before19") == large);
  for (int i = 0; i < turn; ++i)
    CHECK(rig.get("during" + std::to_string(i)) == (i % 3 ? bytes_of(70'000, i) : "small"));
}

TEST_CASE("mirrored engine: a folder of a mirror is not opened as if it were alone") {
  Rig rig;
  rig.begin();
  rig.close();
  EngineOptions options;
  options.data_dir = "/data";
  options.files = &rig.files;
  CHECK(outcome(Engine::open(options)) == "conflict");
}

TEST_CASE("mirrored engine: an extent that a crash left in the folder that is not read goes") {
  Rig rig;
  rig.begin();
  REQUIRE(rig.put("large", large));
  const std::string path = other_of(rig.extents("/data").at(0));
  const std::string left = path.substr(0, path.size() - 4) + "ffff";
  REQUIRE(os::replace_file(rig.files, left, rig.bytes(path)).ok());
  rig.scrub();
  CHECK_FALSE(rig.files.info(left).ok());
  CHECK(rig.get("large") == large);
}

}  // namespace cairn::objectstore::mirrored_engine_test
