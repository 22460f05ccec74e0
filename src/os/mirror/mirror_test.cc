// SPDX-License-Identifier: Apache-2.0
#include "os/mirror/mirror.h"

#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "os/fake/fake_files.h"
#include "os/files/test_folder.h"
#include "os/random.h"

namespace cairn::os::mirror_test {

using Holds = MirrorFolder::Holds;
using Kind = MirrorVerdict::Kind;

Error broken() { return {.kind = ErrorKind::internal, .message = "the disk failed"}; }

struct Rig {
  FakeFiles disk;
  std::unique_ptr<Random> random = seeded_random(7);
  std::unique_ptr<Mirror> mirror;

  Result<std::unique_ptr<Mirror>> try_open(std::string second = "/b") {
    mirror.reset();
    return Mirror::open(disk, *random, {.first = "/a", .second = std::move(second), .threads = 0});
  }
  void open(std::string second = "/b") {
    auto opened = try_open(std::move(second));
    REQUIRE_MESSAGE(opened.ok(), opened.error().message);
    mirror = std::move(*opened);
  }
  Files& files() { return mirror->files(); }
  SideState state(int side) { return mirror->sides().state(side); }
  std::string path(const std::string& name) { return mirror->root() + "/" + name; }
  std::string on(const char* folder, const std::string& name) {
    const auto text = read_file(disk, std::string(folder) + "/" + name, 1 << 20);
    return text.ok() ? *text : "(" + std::string(name_of(text.error().kind)) + ")";
  }
  /// All that changes under that folder fails.
  void fail(const std::string& folder, ErrorKind kind = ErrorKind::internal) {
    disk.on_call([folder, kind](std::string_view call, const std::string& at) -> Status {
      const bool looks = call == "read" || call == "info" || call == "list" || call == "open";
      if (looks || !at.starts_with(folder + "/")) return ok_status();
      return Error{.kind = kind, .message = "the disk of " + folder + " failed"};
    });
  }
  /// Everything below a folder but markers and locks.
  std::map<std::string, std::string> tree(const std::string& folder) {
    std::map<std::string, std::string> out;
    add_tree(folder, "", out);
    return out;
  }
  void add_tree(const std::string& root, const std::string& below,
                std::map<std::string, std::string>& out) {
    const auto names = disk.list(root + below).value();
    for (const std::string& name : names) {
      const std::string at = below + "/" + name;
      if (name.starts_with("MIRROR") || name == "LOCK") continue;
      if (disk.info(root + at)->is_directory)
        add_tree(root, at, out);
      else
        out[at] = read_file(disk, root + at, 1 << 24).value();
    }
  }
};

/// One change of each kind, durable at its end. False where one was refused.
bool change_all(Files& files, const std::string& root, const std::string& mark) {
  const auto change = [&]() -> Status {
    CAIRN_CHECK(make_directories_durably(files, root + "/d"));
    CAIRN_CHECK(replace_file(files, root + "/d/replaced", mark));
    {
      CAIRN_TRY(const auto file, files.create_unnamed(root + "/d"));
      CAIRN_CHECK(file->allocate(0, 4096, true));
      CAIRN_CHECK(file->append("first " + mark));
      CAIRN_CHECK(file->append(" second"));
      CAIRN_CHECK(file->sync_data());
      CAIRN_CHECK(file->publish(root + "/d/published-" + mark));
    }
    CAIRN_TRY(const auto log, files.open(root + "/d/log", OpenMode::append));
    CAIRN_CHECK(log->append(mark));
    CAIRN_CHECK(log->sync_all());
    CAIRN_TRY(const auto gone, files.open(root + "/d/gone", OpenMode::truncate));
    CAIRN_CHECK(gone->append("x"));
    CAIRN_CHECK(files.rename(root + "/d/gone", root + "/d/going"));
    CAIRN_CHECK(files.remove(root + "/d/going"));
    return files.sync_directory(root + "/d");
  };
  return change().ok();
}

const MirrorMarker one{.pair = std::string(32, 'a'), .generation = std::string(32, '1')};

MirrorFolder data(std::optional<MirrorMarker> marker) {
  return {.holds = Holds::data, .path = "/x", .marker = std::move(marker)};
}
MirrorFolder without(Holds holds) { return {.holds = holds, .path = "/y"}; }

TEST_CASE("mirror marker: what was written reads back, and nothing else") {
  MirrorMarker marker = one;
  marker.go_alone(std::string(32, '2'));
  marker.filling = true;
  const std::string text = encode(marker);
  const auto read = decode_mirror_marker(text);
  REQUIRE(read.ok());
  CHECK(read->generation == std::string(32, '2'));
  CHECK(read->remembers(one.generation));
  CHECK(read->alone);
  CHECK(read->filling);
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK_FALSE(decode_mirror_marker(changed).ok());
    CHECK_FALSE(decode_mirror_marker(text.substr(0, at)).ok());
  }
}

TEST_CASE("mirror: who is behind is told from who is split") {
  MirrorMarker ahead = one, other = one, filling = one;
  ahead.go_alone(std::string(32, '2'));
  other.go_alone(std::string(32, '3'));
  filling.filling = true;
  CHECK(judge_mirror(without(Holds::nothing), without(Holds::missing))->kind == Kind::begin);
  CHECK(judge_mirror(data(one), data(one))->kind == Kind::same);
  CHECK(judge_mirror(data(ahead), data(one))->source == 0);
  CHECK(judge_mirror(data(one), data(ahead))->source == 1);
  CHECK(judge_mirror(data(filling), data(one))->source == 1);
  CHECK(judge_mirror(data(std::nullopt), without(Holds::nothing))->source == 0);
  CHECK(judge_mirror(without(Holds::nothing), data(one))->source == 1);
  CHECK(judge_mirror(without(Holds::missing), data(one))->source == 1);
  const auto refused = [](const MirrorFolder& a, const MirrorFolder& b) {
    const auto verdict = judge_mirror(a, b);
    return verdict.ok() ? "ok" : std::string(name_of(verdict.error().kind));
  };
  CHECK(refused(data(ahead), data(other)) == "conflict");
  CHECK(refused(data(std::nullopt), data(one)) == "conflict");
  CHECK(refused(data(one), data(std::nullopt)) == "conflict");
  CHECK(refused(without(Holds::nothing), data(std::nullopt)) == "conflict");
  CHECK(refused(data(filling), without(Holds::missing)) == "unavailable");
  CHECK(refused(without(Holds::nothing), data(filling)) == "unavailable");
  CHECK(refused(data(filling), data(filling)) == "unavailable");
}

TEST_CASE("mirror: every change is in both folders, and durable in both") {
  Rig rig;
  rig.open();
  REQUIRE(change_all(rig.files(), "/a", "m"));
  rig.mirror.reset();
  rig.disk.crash();
  CHECK(rig.tree("/a") == rig.tree("/b"));
  CHECK(rig.on("/b", "d/published-m") == "first m second");
  CHECK(rig.on("/b", "d/going") == "(not_found)");
  rig.open();
  CHECK(rig.mirror->sides().both_whole());
}

TEST_CASE("mirror: a folder that fails at any step is put aside, and the other one has it all") {
  for (const char* failing : {"/a", "/b"}) {
    for (const ErrorKind kind :
         {ErrorKind::internal, ErrorKind::storage_full, ErrorKind::permission_denied}) {
      for (int step = 0;; ++step) {
        Rig rig;
        rig.open();
        REQUIRE(change_all(rig.files(), "/a", "before"));
        int calls = 0;
        rig.disk.on_call([&](std::string_view call, const std::string& at) -> Status {
          if (call == "info" || call == "list" || !at.starts_with(std::string(failing) + "/"))
            return ok_status();
          if (calls++ < step) return ok_status();
          return Error{.kind = kind, .message = "the disk failed"};
        });
        const bool done = change_all(rig.files(), "/a", "after");
        const bool failed = calls > step;
        rig.disk.on_call(nullptr);
        REQUIRE(done);
        const char* whole = std::string_view(failing) == "/a" ? "/b" : "/a";
        CHECK(rig.on(whole, "d/replaced") == "after");
        CHECK(rig.on(whole, "d/log") == "beforeafter");
        CHECK(rig.on(whole, "d/published-after") == "first after second");
        const bool away = !rig.mirror->sides().both_whole();
        rig.mirror.reset();
        rig.disk.crash();
        CHECK(rig.on(whole, "d/log") == "beforeafter");
        auto opened = rig.try_open();
        REQUIRE_MESSAGE(opened.ok(), opened.error().message);
        if (away) CHECK((*opened)->root() == whole);
        if (!failed) break;
        CHECK(away);
      }
    }
  }
}

TEST_CASE("mirror: power that fails at any step leaves what was acknowledged in both folders") {
  for (std::uint64_t cut = 1;; ++cut) {
    Rig rig;
    rig.open();
    REQUIRE(change_all(rig.files(), "/a", "before"));
    rig.disk.cut_at(rig.disk.calls() + cut);
    const bool done = change_all(rig.files(), "/a", "after");
    rig.mirror.reset();
    const bool was_cut = rig.disk.is_cut();
    rig.disk.crash(CrashKeeps::random, cut);
    for (const char* folder : {"/a", "/b"}) {
      CHECK(rig.on(folder, "d/log").starts_with("before"));
      CHECK(rig.on(folder, "d/published-before") == "first before second");
      if (done) CHECK(rig.on(folder, "d/log") == "beforeafter");
    }
    auto opened = rig.try_open();
    REQUIRE_MESSAGE(opened.ok(), opened.error().message);
    CHECK((*opened)->sides().both_whole());
    if (!was_cut) break;
  }
}

TEST_CASE("mirror: threads that change names at one time leave both folders the same") {
  const TestFolder folder;
  const std::string root = folder.path + "/a";
  const auto random = seeded_random(7);
  auto mirror = Mirror::open(system_files(), *random,
                             {.first = root, .second = folder.path + "/b", .threads = 4})
                    .value();
  Files& files = mirror->files();
  // As extents do it: who finds no directory makes it, while others publish there already.
  const auto publish = [&](const std::string& directory, const std::string& name) -> Status {
    CAIRN_TRY(const auto file, files.create_unnamed(root));
    CAIRN_CHECK(file->append(name));
    Status named = file->publish(directory + "/" + name);
    if (named.ok() || named.error().kind != ErrorKind::not_found) return named;
    CAIRN_CHECK(files.make_directories(directory));
    return file->publish(directory + "/" + name);
  };
  std::atomic<int> failures = 0;
  const auto work = [&](int thread) {
    const std::string own = std::to_string(thread);
    for (int i = 0; i < 100; ++i) {
      const std::string directory = root + "/" + std::to_string(i);
      bool done = publish(directory, own).ok() && files.sync_directory(directory).ok();
      {
        auto file = files.open(root + "/beside-" + own, OpenMode::truncate);
        done = done && file.ok() && (*file)->append(own + " " + std::to_string(i)).ok();
      }
      done = done && files.rename(root + "/beside-" + own, root + "/last").ok();
      if (!done) ++failures;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 8; ++thread) threads.emplace_back(work, thread);
  }
  CHECK(failures == 0);
  for (const int side : {0, 1})
    CHECK_MESSAGE(mirror->sides().is_whole(side), mirror->sides().reason(side));
  const auto last = [&](const char* side) {
    return read_file(system_files(), folder.path + side + "/last", 100).value();
  };
  CHECK(last("/a") == last("/b"));
}

TEST_CASE("mirror: the last whole folder is not put aside; its errors are told") {
  Rig rig;
  rig.open();
  rig.fail("/b");
  REQUIRE(change_all(rig.files(), "/a", "one"));
  CHECK(rig.state(1) == SideState::away);
  rig.fail("/a", ErrorKind::storage_full);
  CHECK(replace_file(rig.files(), "/a/d/replaced", "two").error().kind == ErrorKind::storage_full);
  rig.disk.on_call(nullptr);
  CHECK(rig.on("/a", "d/replaced") == "one");
  CHECK(rig.state(0) == SideState::whole);
}

TEST_CASE("mirror: what the process lacks puts no folder aside") {
  Rig rig;
  rig.open();
  rig.fail("/b", ErrorKind::unavailable);
  CHECK_FALSE(change_all(rig.files(), "/a", "one"));
  rig.disk.on_call(nullptr);
  CHECK(rig.mirror->sides().both_whole());
  CHECK(change_all(rig.files(), "/a", "two"));
}

TEST_CASE("mirror: a read that one folder cannot give comes from the other") {
  Rig rig;
  rig.open();
  REQUIRE(change_all(rig.files(), "/a", "m"));
  const auto open = rig.files().open("/a/d/log", OpenMode::read);
  REQUIRE(open.ok());
  rig.disk.on_call([](std::string_view call, const std::string& at) -> Status {
    return call == "read" && at.starts_with("/a/") ? Status(broken()) : ok_status();
  });
  char byte = 0;
  CHECK((*open)->read_at(0, &byte, 1).value() == 1);
  CHECK(byte == 'm');
  rig.disk.on_call(nullptr);
  CHECK(rig.mirror->sides().take_suspects().contains("/a/d/log"));
  REQUIRE(rig.disk.remove("/a/d/replaced").ok());
  CHECK(read_file(rig.files(), "/a/d/replaced", 100).value() == "m");
  CHECK(rig.files().info("/a/d/replaced").ok());
  CHECK(rig.mirror->sides().take_suspects().contains("/a/d/replaced"));
}

TEST_CASE("mirror: a folder that is missing is not begun anew where a disk may be lost") {
  Rig rig;
  rig.open();
  REQUIRE(change_all(rig.files(), "/a", "one"));
  rig.mirror.reset();
  REQUIRE(rig.disk.rename("/b", "/unplugged").ok());
  rig.open();
  CHECK(rig.state(1) == SideState::away);
  CHECK_FALSE(rig.disk.info("/b").ok());
  REQUIRE(change_all(rig.files(), "/a", "two"));
  rig.mirror.reset();
  REQUIRE(rig.disk.rename("/unplugged", "/b").ok());
  rig.open();
  CHECK(rig.state(1) == SideState::away);
  REQUIRE(rig.mirror->lacking() == 1);
  REQUIRE(rig.mirror->fill(1, {}).ok());
  CHECK(rig.mirror->sides().both_whole());
  CHECK(rig.tree("/a") == rig.tree("/b"));
}

TEST_CASE("mirror: with the folder of data.dir missing or new, the other one is read") {
  Rig rig;
  rig.open();
  REQUIRE(change_all(rig.files(), "/a", "one"));
  rig.mirror.reset();
  REQUIRE(rig.disk.rename("/a", "/unplugged").ok());
  rig.open();
  CHECK(rig.mirror->root() == "/b");
  REQUIRE(change_all(rig.files(), "/b", "two"));
  rig.mirror.reset();
  REQUIRE(rig.disk.make_directories("/a").ok());
  rig.open();
  CHECK(rig.mirror->root() == "/b");
  REQUIRE(rig.mirror->fill(0, {}).ok());
  rig.mirror.reset();
  rig.open();
  CHECK(rig.mirror->root() == "/a");
  CHECK(rig.mirror->sides().both_whole());
  CHECK(rig.on("/a", "d/log") == "onetwo");
}

TEST_CASE("mirror: a split is refused until one folder is kept") {
  Rig rig;
  rig.open();
  REQUIRE(change_all(rig.files(), "/a", "one"));
  rig.mirror.reset();
  REQUIRE(rig.disk.rename("/b", "/c").ok());
  rig.open();
  REQUIRE(change_all(rig.files(), "/a", "left"));
  rig.mirror.reset();
  {
    auto alone = Mirror::open(rig.disk, *rig.random, {.first = "/c", .threads = 0});
    REQUIRE(alone.ok());
    REQUIRE(change_all((*alone)->files(), "/c", "right"));
  }
  REQUIRE(rig.disk.rename("/c", "/b").ok());
  const auto refused = rig.try_open();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::conflict);
  CHECK(refused.error().message.find("cairn mirror keep") != std::string::npos);
  REQUIRE(Mirror::keep(rig.disk, *rig.random, "/b", "/a").ok());
  rig.open();
  CHECK(rig.mirror->root() == "/b");
  REQUIRE(rig.mirror->fill(0, {}).ok());
  CHECK(rig.on("/a", "d/log") == "oneright");
  CHECK(rig.tree("/a") == rig.tree("/b"));
}

TEST_CASE("mirror: a folder of something else is left alone") {
  Rig rig;
  rig.open();
  REQUIRE(change_all(rig.files(), "/a", "one"));
  rig.mirror.reset();
  REQUIRE(rig.disk.make_directories("/photos").ok());
  REQUIRE(replace_file(rig.disk, "/photos/cat.jpg", "cat").ok());
  CHECK(rig.try_open("/photos").error().kind == ErrorKind::conflict);
  CHECK(Mirror::keep(rig.disk, *rig.random, "/a", "/photos").error().kind == ErrorKind::conflict);
  CHECK(rig.on("/photos", "cat.jpg") == "cat");
}

TEST_CASE("mirror: a process that has one of the folders keeps others out") {
  Rig rig;
  rig.open();
  const auto second = Mirror::open(rig.disk, *rig.random, {.first = "/b", .threads = 0});
  CHECK(second.error().kind == ErrorKind::conflict);
  const auto lock = rig.files().lock("/a/LOCK");
  REQUIRE(lock.ok());
  CHECK((*lock)->info()->id == rig.files().info("/a/LOCK")->id);
}

/// Files to fill from, with one open that grows.
struct Filling : Rig {
  std::unique_ptr<File> log;
  Filling() {
    open();
    REQUIRE(change_all(files(), "/a", "old"));
    mirror.reset();
    REQUIRE(disk.rename("/b", "/old-b").ok());
    open();
    for (int i = 0; i < 5; ++i)
      REQUIRE(replace_file(files(), "/a/d/file" + std::to_string(i),
                           std::string(300'000, static_cast<char>('a' + i)))
                  .ok());
    log = std::move(*files().open("/a/d/growing", OpenMode::append));
    REQUIRE(log->append(std::string(3 << 20, 'g')).ok());
    REQUIRE(log->sync_all().ok());
  }
};

TEST_CASE("mirror: a new disk is filled while files change, and holds the same in the end") {
  for (int seed = 0; seed < 8; ++seed) {
    Filling rig;
    REQUIRE(rig.disk.make_directories("/b").ok());
    int turn = 0;
    const auto meanwhile = [&](std::uint64_t) -> Status {
      const std::string n = std::to_string(turn);
      Files& files = rig.files();
      switch ((turn++ + seed) % 8) {
        case 0:
          return replace_file(files, "/a/d/file1", "anew " + n);
        case 1:
          return files.rename("/a/d/file" + std::to_string(turn % 5),
                              "/a/d/file" + std::to_string((turn + 2) % 5))
                         .ok()
                     ? ok_status()
                     : ok_status();
        case 2: {
          CAIRN_TRY(const auto file, files.create_unnamed("/a/d"));
          CAIRN_CHECK(file->append("unnamed " + n));
          CAIRN_CHECK(file->sync_data());
          return file->publish("/a/d/new" + n);
        }
        case 3:
          return rig.log->append("more " + n);
        case 4:
          (void)files.remove("/a/d/file" + std::to_string(turn % 5)).ok();
          return ok_status();
        case 5:
          CAIRN_CHECK(rig.log->write_at(10, "again " + n));
          return rig.log->sync_data();
        case 6:
          return make_directories_durably(files, "/a/e/f" + n);
        default:
          return replace_file(files, "/a/d/file4", "short " + n);
      }
    };
    int left = 200;
    const auto pace = [&](std::uint64_t bytes) {
      return left-- > 0 ? meanwhile(bytes) : ok_status();
    };
    const Status filled = rig.mirror->fill(1, pace);
    REQUIRE_MESSAGE(filled.ok(), filled.error().message);
    CHECK(rig.mirror->sides().both_whole());
    CHECK(rig.tree("/a") == rig.tree("/b"));
    REQUIRE(rig.log->append("behind").ok());
    REQUIRE(rig.log->sync_all().ok());
    REQUIRE(change_all(rig.files(), "/a", "behind"));
    rig.log.reset();
    rig.mirror.reset();
    rig.disk.crash();
    CHECK(rig.tree("/a") == rig.tree("/b"));
    rig.open();
    CHECK(rig.mirror->sides().both_whole());
  }
}

TEST_CASE("mirror: an upload without a name that began before the filling is in both folders") {
  Filling rig;
  REQUIRE(rig.disk.make_directories("/b").ok());
  auto upload = rig.files().create_unnamed("/a/d");
  REQUIRE(upload.ok());
  REQUIRE((*upload)->append("first ").ok());
  bool published = false;
  const auto pace = [&](std::uint64_t) -> Status {
    if (std::exchange(published, true)) return ok_status();
    CAIRN_CHECK((*upload)->append("second"));
    CAIRN_CHECK((*upload)->sync_data());
    return (*upload)->publish("/a/d/upload");
  };
  REQUIRE(rig.mirror->fill(1, pace).ok());
  CHECK(rig.on("/b", "d/upload") == "first second");
}

TEST_CASE("mirror: a filling that is cut leaves a folder that is not whole, and goes on") {
  for (std::uint64_t cut = 1; cut < 400; cut += 3) {
    Filling rig;
    REQUIRE(rig.disk.rename("/old-b", "/b").ok());
    REQUIRE(rig.disk.sync_directory("/").ok());
    rig.disk.cut_at(rig.disk.calls() + cut);
    const Status filled = rig.mirror->fill(1, {});
    rig.log.reset();
    rig.mirror.reset();
    const bool was_cut = rig.disk.is_cut();
    rig.disk.crash(CrashKeeps::random, cut);
    auto alone = Mirror::open(rig.disk, *rig.random, {.first = "/a", .threads = 0});
    CHECK(alone.ok());  // the source is whole at every moment
    if (!was_cut) break;
    if (alone.ok()) alone->reset();
    rig.open();
    CHECK(rig.mirror->root() == "/a");
    if (!rig.mirror->sides().both_whole()) {
      const Status again = rig.mirror->fill(1, {});
      REQUIRE_MESSAGE(again.ok(), again.error().message);
    }
    CHECK(rig.tree("/a") == rig.tree("/b"));
  }
}

TEST_CASE("mirror: a folder that fails while it is filled ends the filling; the server goes on") {
  Filling rig;
  REQUIRE(rig.disk.make_directories("/b").ok());
  int calls = 0;
  rig.disk.on_call([&](std::string_view call, const std::string& at) -> Status {
    const bool writes = call == "write" && at.starts_with("/b/");
    return writes && ++calls > 6 ? Status(broken()) : ok_status();
  });
  CHECK_FALSE(rig.mirror->fill(1, {}).ok());
  CHECK(rig.state(1) == SideState::away);
  CHECK(rig.log->append("on").ok());
  rig.disk.on_call(nullptr);
  REQUIRE(rig.mirror->fill(1, {}).ok());
  CHECK(rig.tree("/a") == rig.tree("/b"));
}

TEST_CASE("mirror: several files are replaced in one step, wherever it is cut") {
  for (std::uint64_t cut = 1;; ++cut) {
    Rig rig;
    rig.open();
    for (const char* name : {"one", "two", "three"})
      REQUIRE(replace_file(rig.files(), "/a/" + std::string(name), "new").ok());
    for (const char* name : {"one", "two", "four"})
      REQUIRE(replace_file(rig.disk, "/b/" + std::string(name), "old").ok());
    REQUIRE(rig.disk.remove("/b/three").ok());
    REQUIRE(rig.disk.sync_directory("/b").ok());
    rig.disk.cut_at(rig.disk.calls() + cut);
    (void)bring_in_line(rig.mirror->sides(), 1,
                        {.copies = {"/a/one", "/a/two", "/a/three"}, .removals = {"/a/four"}})
        .ok();
    rig.mirror.reset();
    const bool was_cut = rig.disk.is_cut();
    rig.disk.crash(CrashKeeps::random, cut);
    REQUIRE(end_bringing_in_line(rig.disk, "/b").ok());
    const bool is_new = rig.on("/b", "one") == "new";
    CHECK(rig.on("/b", "two") == (is_new ? "new" : "old"));
    CHECK(rig.on("/b", "three") == (is_new ? "new" : "(not_found)"));
    CHECK(rig.on("/b", "four") == (is_new ? "(not_found)" : "old"));
    if (!was_cut) {
      CHECK(is_new);
      break;
    }
  }
}

TEST_CASE("mirror: a folder whose marker is gone is put aside; one put aside by hand too") {
  Rig rig;
  rig.open();
  REQUIRE(change_all(rig.files(), "/a", "one"));
  REQUIRE(rig.disk.remove("/b/MIRROR").ok());
  rig.mirror->look_after();
  CHECK(rig.state(1) == SideState::away);
  CHECK(rig.mirror->leave(0).error().kind == ErrorKind::conflict);
  Rig other;
  other.open();
  REQUIRE(other.mirror->leave(1).ok());
  CHECK(other.state(1) == SideState::away);
  REQUIRE(change_all(other.files(), "/a", "one"));
  CHECK(other.on("/b", "d/log") == "(not_found)");
  REQUIRE(other.mirror->fill(1, {}).ok());
  CHECK(other.tree("/a") == other.tree("/b"));
}

}  // namespace cairn::os::mirror_test
