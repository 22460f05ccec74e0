// SPDX-License-Identifier: Apache-2.0
// Rot in every file of a data folder, of every kind, at every place: the start finds it, or verify
// does; it is named, nothing is deleted, and looking changes nothing.
#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "base/sanitized.h"
#include "objectstore/engine_rig_test.h"
#include "objectstore/metadata/log_scan.h"
#include "objectstore/verify.h"
#include "os/log.h"

namespace rot_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

using Tree = std::map<std::string, std::string>;  // path to bytes

void add_tree(os::FakeFiles& files, const std::string& folder, Tree& tree) {
  for (const std::string& name : must(files.list(folder))) {
    const std::string path = folder + "/" + name;
    const auto info = files.info(path);
    if (!info.ok()) continue;  // an engine that is still open removed it
    if (info->is_directory) {
      add_tree(files, path, tree);
    } else if (auto bytes = os::read_file(files, path, 64 << 20); bytes.ok()) {
      tree[path] = std::move(*bytes);
    }
  }
}

/// What else lies in the folder comes and goes while an engine is open.
Tree extents_of(os::FakeFiles& files) {
  Tree tree;
  add_tree(files, "/data/objects/extents", tree);
  return tree;
}

Tree tree_of(os::FakeFiles& files) {
  Tree tree;
  add_tree(files, "/data", tree);
  return tree;
}

void plant(os::FakeFiles& files, const Tree& tree) {
  for (const auto& [path, bytes] : tree) {
    const std::string folder = path.substr(0, path.rfind('/'));
    REQUIRE(os::make_directories_durably(files, folder).ok());
    const auto file = must(files.open(path, os::OpenMode::truncate));
    REQUIRE(file->write_at(0, bytes).ok());
    REQUIRE(file->sync_all().ok());
    REQUIRE(files.sync_directory(folder).ok());
  }
}

const bool quiet = [] {
  os::configure_log(os::LogLevel::error, os::LogFormat::text, [](std::string_view) {});
  return true;
}();

constexpr int small_objects = 30;

std::string small_body(int i) { return bytes_of(700, 100 + static_cast<std::uint64_t>(i)); }

/// A run over an older one, so that there are tables, and rows in the log.
struct Source : EngineRig {
  Source() {
    for (int i = 0; i < small_objects / 2; ++i) put("k" + std::to_string(i), small_body(i));
    put("large", bytes_of(150'000, 1));
    start();
    for (int i = small_objects / 2; i < small_objects; ++i)
      put("k" + std::to_string(i), small_body(i));
    put("later", bytes_of(150'000, 2));
    put("last", bytes_of(2'000, 3));
    await_old_files_gone();
  }
  /// RocksDB removes what the older run left behind in a thread of its own. What nothing names any
  /// more may rot unseen.
  void await_old_files_gone() {
    const os::Deadline deadline = os::Deadline::in_ms(60'000);
    const auto count = [&](std::string_view part) {
      int found = 0;
      for (const std::string& name : must(files.list("/data/objects/meta")))
        found += name.find(part) != std::string::npos ? 1 : 0;
      return found;
    };
    while (count("MANIFEST-") > 1 || count(".log") > 1) {
      REQUIRE_FALSE(deadline.passed());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    REQUIRE(files.sync_directory("/data/objects/meta").ok());  // a crash does not bring them back
  }
  Tree stopped() {
    engine.reset();
    return tree_of(files);
  }
  Tree crashed() {
    files.crash();
    Tree tree = tree_of(files);
    engine.reset();
    return tree;
  }
};

enum class Harm { flip, zero, cut, lose };
enum class At { start, middle, end };

/// Where the file's own bytes end: logs have zeros behind them.
std::size_t content_bytes(const std::string& bytes) {
  const std::size_t last = bytes.find_last_not_of('\0');
  return last == std::string::npos ? bytes.size() : last + 1;
}

/// Nothing where the bytes stay what they were.
std::optional<Tree> harmed(const Tree& tree, const std::string& path, Harm harm, At place) {
  Tree out = tree;
  std::string& bytes = out.at(path);
  const std::size_t size = path.ends_with(".log") ? content_bytes(bytes) : bytes.size();
  if (size == 0) return std::nullopt;
  const std::size_t at = place == At::start ? 0 : place == At::middle ? size / 2 : size - 1;
  if (harm == Harm::lose) {
    out.erase(path);
  } else if (harm == Harm::cut) {
    bytes.resize(at);
  } else if (harm == Harm::flip) {
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
  } else {
    const std::size_t begin = at - at % 512;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                std::min<std::size_t>(512, bytes.size() - begin), '\0');
  }
  if (out == tree) return std::nullopt;
  return out;
}

struct Look {
  std::string verified;  // what verify said, all of it
  std::string refused;   // what the start said
  bool started = false;
  std::set<std::string> missing;  // objects that cannot be read whole after the start
};

std::string verified(os::FakeFiles& files) {
  EngineOptions options{.data_dir = "/data", .files = &files};
  std::string all;
  const auto found = verify_folder(
      options,
      [&](const Damage& damage) {
        all += damage.file + " at " + std::to_string(damage.offset) + ": " + damage.reason + "\n";
      },
      never);
  return found.ok() ? all : all + found.error().message;
}

std::string body_in(Engine& engine, const std::string& key) {
  auto reader = engine.get({"bucket", key}, {}, never);
  if (!reader.ok()) return "(" + reader.error().message + ")";
  std::string all;
  for (;;) {
    const auto piece = (*reader)->next();
    if (!piece.ok()) return "(" + piece.error().message + ")";
    if (piece->empty()) return all;
    all += *piece;
  }
}

std::set<std::string> missing_in(Engine& engine) {
  std::map<std::string, std::string> wanted{{"large", bytes_of(150'000, 1)},
                                            {"later", bytes_of(150'000, 2)},
                                            {"last", bytes_of(2'000, 3)}};
  for (int i = 0; i < small_objects; ++i) wanted["k" + std::to_string(i)] = small_body(i);
  std::set<std::string> missing;
  for (const auto& [key, body] : wanted)
    if (body_in(engine, key) != body) missing.insert(key);
  return missing;
}

Look look_at(const Tree& tree) {
  Look look;
  os::FakeFiles files;
  plant(files, tree);
  look.verified = verified(files);
  CHECK((tree_of(files) == tree));  // looking changes nothing, the first time or the second
  CHECK(verified(files) == look.verified);
  os::FakeClock clock;
  EngineOptions options{.data_dir = "/data", .space_check_ms = 0, .files = &files, .clock = &clock};
  auto engine = Engine::open(options);
  look.started = engine.ok();
  if (!engine.ok()) {
    look.refused = engine.error().message;
    return look;
  }
  look.missing = missing_in(**engine);
  (void)(*engine)->wait_collected(os::Deadline::in_ms(60'000));
  const Tree after = extents_of(files);
  for (const auto& [path, bytes] : tree)
    if (path.find("/extents/") != std::string::npos) CHECK_MESSAGE(after.contains(path), path);
  return look;
}

std::vector<std::string> paths_of(const Tree& tree, std::string_view part) {
  std::vector<std::string> paths;
  for (const auto& [path, bytes] : tree)
    if (path.find(part) != std::string::npos) paths.push_back(path);
  REQUIRE_MESSAGE(!paths.empty(), part);
  return paths;
}

constexpr std::string_view classes[] = {".log",      ".sst",      "/MANIFEST-",
                                        "/CURRENT",  "/OPTIONS-", "/IDENTITY",
                                        "/extents/", "/VERSION",  "/meta.state"};
constexpr Harm harms[] = {Harm::flip, Harm::zero, Harm::cut, Harm::lose};
constexpr At places[] = {At::start, At::middle, At::end};

void check_all(const Tree& whole, bool crashed) {
  std::size_t tried = 0;
  for (const std::string_view part : classes) {
    for (const std::string& path : paths_of(whole, part)) {
      for (const Harm harm : harms) {
        for (const At place : places) {
          const auto tree = harmed(whole, path, harm, place);
          if (!tree || (harm == Harm::lose && place != At::start)) continue;
          if (sanitized && tried++ % 5 != 0) continue;
          CAPTURE(path);
          CAPTURE(static_cast<int>(harm));
          CAPTURE(static_cast<int>(place));
          const Look look = look_at(*tree);
          CAPTURE(look.verified);
          CAPTURE(look.refused);
          const bool torn = crashed && part == ".log" && harm == Harm::zero && place == At::end;
          if (torn) {
            // Nobody was promised the last group: who had it acknowledged had it synced.
            CHECK(look.started);
            CHECK(look.missing.size() <= 1);
            continue;
          }
          CHECK(look.verified.find(path) != std::string::npos);
          if (!look.started) CHECK(look.refused.find(path) != std::string::npos);
          // What started goes without nothing but bodies whose own file is harmed, and are told.
          if (look.started && part != "/extents/" && part != ".sst") CHECK(look.missing.empty());
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("rot: after a clean stop, in every file, of every kind, at every place") {
  Source source;
  const Tree whole = source.stopped();
  const Look look = look_at(whole);
  CHECK(look.verified.empty());
  CHECK_MESSAGE(look.started, look.refused);
  CHECK(look.missing.empty());
  check_all(whole, false);
}

TEST_CASE("rot: after a crash, in every file, of every kind, at every place") {
  Source source;
  const Tree whole = source.crashed();
  const Look look = look_at(whole);
  CHECK(look.verified.empty());
  CHECK_MESSAGE(look.started, look.refused);
  CHECK(look.missing.empty());
  check_all(whole, true);
}

TEST_CASE("rot: any bit of a log refuses the start after a crash") {
  Source source;
  const Tree whole = source.crashed();
  for (const std::string& path : paths_of(whole, ".log")) {
    const std::size_t size = content_bytes(whole.at(path));
    for (std::size_t at = 0; at < size; at += 1 + size / 150) {
      CAPTURE(at);
      for (const int bit : {0, 3, 7}) {
        os::FakeFiles files;
        REQUIRE(files.make_directories("/d").ok());
        std::string bytes = whole.at(path);
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
        REQUIRE(os::replace_file(files, "/d/1.log", bytes).ok());
        const LogScan scan = must(scan_log(files, "/d/1.log", LogKind::writes));
        CHECK(scan.end == LogEnd::rotten);
        CHECK(scan.fault_at <= at);
        CHECK(scan.fault_at + (64 << 10) > at);
      }
    }
  }
}

TEST_CASE("rot: after a clean stop the loss of the log loses nothing") {
  Source source;
  Tree tree = source.stopped();
  for (const std::string& path : paths_of(tree, ".log")) tree.erase(path);
  const Look look = look_at(tree);
  CHECK_MESSAGE(look.started, look.refused);
  CHECK(look.missing.empty());
}

TEST_CASE("rot: a torn group was never acknowledged") {
  int torn = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    EngineRig rig;
    rig.put("a", bytes_of(3'000, 1));
    rig.put("b", bytes_of(20'000, 2));
    rig.files.cut_at(rig.files.calls() + 1 + seed % 6);
    const bool acknowledged =
        rig.engine->put({"bucket", "c"}, bytes_of(50'000, seed), {}, never).ok();
    rig.files.crash(os::CrashKeeps::random, seed);
    for (const std::string& path : paths_of(tree_of(rig.files), ".log")) {
      const LogScan scan = must(scan_log(rig.files, path, LogKind::writes));
      CHECK(scan.end != LogEnd::rotten);
      if (scan.end == LogEnd::torn) ++torn;
      if (scan.end == LogEnd::torn) CHECK_FALSE(acknowledged);
    }
    rig.start();
    CHECK((rig.get("a") == bytes_of(3'000, 1)));
    CHECK((rig.get("b") == bytes_of(20'000, 2)));
    if (acknowledged) CHECK((rig.get("c") == bytes_of(50'000, seed)));
  }
  CHECK(torn > 0);
}

namespace {

/// "first" is there; of the group that made "torn" only the beginning was written. Both have an
/// extent.
Tree tree_with_a_torn_log() {
  EngineRig rig;
  rig.put("first", bytes_of(150'000, 1));
  rig.put("torn", bytes_of(150'000, 2));
  rig.files.crash();
  Tree tree = tree_of(rig.files);
  const std::string log = paths_of(tree, ".log").back();
  std::string& bytes = tree.at(log);
  const LogScan scan = must(scan_log(rig.files, log, LogKind::writes));
  // The sector in which the last group begins was never written.
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(scan.before_last), bytes.end(), '\0');
  bytes[scan.before_last + 600] = 'x';
  return tree;
}

}  // namespace

TEST_CASE("rot: a start that left out the end of a log sweeps no extents; the next one does") {
  const Tree tree = tree_with_a_torn_log();
  os::FakeFiles files;  // the engine of the rig ends before it
  plant(files, tree);
  EngineRig rig;
  rig.options.files = &files;
  const auto extents = [&] {
    must(rig.engine->wait_collected(os::Deadline::in_ms(60'000)));
    return extents_of(files).size();
  };
  rig.start();
  CHECK(rig.get("torn") == "(NoSuchKey)");
  CHECK(extents() == 2);
  rig.start();
  CHECK(extents() == 1);
  CHECK((rig.get("first") == bytes_of(150'000, 1)));
}

TEST_CASE("rot: the power fails at each call of a start that leaves out the end of a log") {
  const Tree tree = tree_with_a_torn_log();
  bool was_cut = true;
  for (std::uint64_t call = 1; was_cut; call += sanitized ? 3 : 1) {
    CAPTURE(call);
    os::FakeFiles files;
    plant(files, tree);
    EngineRig rig;
    rig.engine.reset();
    rig.options.files = &files;
    files.cut_at(files.calls() + call);
    if (auto engine = Engine::open(rig.options); engine.ok()) {
      (void)(*engine)->wait_collected(os::Deadline::in_ms(60'000));
      was_cut = files.is_cut();
      if (!was_cut) files.cut_at(files.calls() + 1);  // it does not stop in order
    }
    files.crash(os::CrashKeeps::random, call);
    rig.start();
    CHECK((rig.get("first") == bytes_of(150'000, 1)));
    CHECK(rig.get("torn") == "(NoSuchKey)");
    // What was left out is kept until a start after an orderly stop, whatever came between.
    must(rig.engine->wait_collected(os::Deadline::in_ms(60'000)));
    CHECK(extents_of(files).size() == 2);
    rig.start();
    must(rig.engine->wait_collected(os::Deadline::in_ms(60'000)));
    CHECK(extents_of(files).size() == 1);
    rig.engine.reset();
  }
}

}  // namespace rot_test
