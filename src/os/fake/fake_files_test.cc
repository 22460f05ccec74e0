// SPDX-License-Identifier: Apache-2.0
#include "os/fake/fake_files.h"

#include <doctest/doctest.h>

#include <cstring>

#include "os/files/direct_memory.h"

using namespace cairn;
using namespace cairn::os;

namespace {

std::string content(Files& files, const std::string& path) {
  auto bytes = read_file(files, path, 1 << 20);
  return bytes.ok() ? *bytes : "(" + std::string(name_of(bytes.error().kind)) + ")";
}

void write(Files& files, const std::string& path, std::string_view bytes, bool sync) {
  auto file = files.open(path, OpenMode::truncate);
  REQUIRE(file.ok());
  REQUIRE((*file)->append(bytes).ok());
  if (sync) REQUIRE((*file)->sync_data().ok());
}

}  // namespace

TEST_CASE("fake files: a crash forgets bytes that were not synced") {
  FakeFiles files;
  write(files, "/a", "old", true);
  REQUIRE(files.sync_directory("/").ok());
  auto file = files.open("/a", OpenMode::read_write);
  REQUIRE((*file)->write_at(0, "NEW and longer").ok());
  CHECK(content(files, "/a") == "NEW and longer");
  files.crash();
  CHECK(content(files, "/a") == "old");
  CHECK((*file)->size().error().kind == ErrorKind::internal);  // opened before the crash
}

TEST_CASE("fake files: a crash forgets names whose directory was not synced") {
  FakeFiles files;
  write(files, "/kept", "1", true);
  REQUIRE(files.make_directories("/d").ok());
  REQUIRE(files.sync_directory("/").ok());
  write(files, "/d/new", "2", true);
  REQUIRE(files.rename("/kept", "/moved").ok());
  files.crash();
  CHECK(content(files, "/kept") == "1");
  CHECK(content(files, "/moved") == "(not_found)");
  CHECK(content(files, "/d/new") == "(not_found)");

  write(files, "/d/new", "3", false);
  REQUIRE(files.sync_directory("/d").ok());
  REQUIRE(files.remove("/kept").ok());
  files.crash();
  CHECK(content(files, "/d/new").empty());  // the name is there, the bytes are not
  CHECK(content(files, "/kept") == "1");    // removed, but not for good
}

TEST_CASE("fake files: an unnamed file is gone at a crash unless its directory was synced") {
  FakeFiles files;
  auto file = files.create_unnamed("/");
  REQUIRE((*file)->append("x").ok());
  REQUIRE((*file)->sync_data().ok());
  REQUIRE((*file)->publish("/x").ok());
  CHECK((*file)->publish("/x").error().kind == ErrorKind::already_exists);
  files.crash();
  CHECK(content(files, "/x") == "(not_found)");
}

TEST_CASE("fake files: after the cut nothing works until the crash") {
  FakeFiles files;
  write(files, "/a", "1", true);
  REQUIRE(files.sync_directory("/").ok());
  const auto before = files.calls();
  CHECK(before == 4);  // open, write, sync, sync_directory
  files.cut_at(before + 2);
  auto file = files.open("/b", OpenMode::create);
  CHECK(file.ok());
  CHECK_FALSE((*file)->append("x").ok());
  CHECK(files.is_cut());
  CHECK_FALSE(files.list("/").ok());
  files.crash();
  CHECK(content(files, "/a") == "1");
  CHECK(content(files, "/b") == "(not_found)");
}

TEST_CASE("fake files: a crash may keep any part of what was not synced") {
  int kept = 0;
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    FakeFiles files;
    write(files, "/a", "synced", true);
    REQUIRE(files.sync_directory("/").ok());
    auto file = files.open("/a", OpenMode::append);
    REQUIRE((*file)->append(std::string(8192, 'x')).ok());
    write(files, "/b", "b", true);
    files.crash(CrashKeeps::random, seed);
    const std::string now = content(files, "/a");
    CHECK(now.starts_with("synced"));
    (content(files, "/b") == "b" ? kept : lost)++;
  }
  CHECK(kept > 0);
  CHECK(lost > 0);
}

TEST_CASE(
    "fake files: writes around the cache ask for whole blocks, and for a disk that takes them") {
  using enum DirectWrites;
  const DirectMemory memory = direct_memory(2 * direct_alignment);
  std::memset(memory.get(), 'd', 2 * direct_alignment);
  const std::string_view block(memory.get(), direct_alignment);
  for (const auto how : {taken, refused_when_asked, refused_when_written}) {
    FakeFiles files;
    files.set_direct_writes(how);
    auto file = files.open("/a", OpenMode::create);
    CHECK((*file)->set_direct(true) == (how != refused_when_asked));
    if (how == refused_when_asked) continue;
    const Status whole = (*file)->append(block);
    CHECK(whole.ok() == (how == taken));
    CHECK(files.direct_bytes() == (how == taken ? direct_alignment : 0));
    for (const Status& odd : {(*file)->append(block.substr(1)), (*file)->write_at(1, block),
                              (*file)->write_at(0, {memory.get() + 1, direct_alignment})})
      CHECK(odd.error().kind == ErrorKind::invalid_argument);
    CHECK((*file)->set_direct(false));
    CHECK((*file)->append("odd").ok());
    CHECK(content(files, "/a") == (how == taken ? std::string(block) : "") + "odd");
    files.crash();
    CHECK(content(files, "/a") == "(not_found)");  // no sync, nothing durable
  }
}

TEST_CASE("fake files: space is limited, and comes back with what is removed") {
  FakeFiles files;
  files.set_capacity(10'000);
  write(files, "/a", std::string(6000, 'a'), true);
  auto file = files.open("/b", OpenMode::create);
  CHECK((*file)->append(std::string(6000, 'b')).error().kind == ErrorKind::storage_full);
  CHECK((*file)->allocate(0, 6000, true).error().kind == ErrorKind::storage_full);
  CHECK(*files.free_bytes("/") == 4000);
  REQUIRE(files.remove("/a").ok());
  CHECK((*file)->append(std::string(6000, 'b')).ok());
  CHECK(files.used_bytes() == 6000);
}

TEST_CASE("fake files: bytes of a failed sync are lost even if the next one succeeds") {
  FakeFiles files;
  write(files, "/a", "111", true);
  REQUIRE(files.sync_directory("/").ok());
  auto file = files.open("/a", OpenMode::read_write);
  REQUIRE((*file)->write_at(0, "222").ok());
  files.on_call([](std::string_view call, const std::string&) -> Status {
    if (call == "sync") return Error{.kind = ErrorKind::internal, .message = "input/output error"};
    return ok_status();
  });
  CHECK_FALSE((*file)->sync_data().ok());
  files.on_call(nullptr);
  REQUIRE((*file)->append("3").ok());
  REQUIRE((*file)->sync_data().ok());
  files.crash();
  CHECK(content(files, "/a") == "1113");
}

TEST_CASE("fake files: a lock is held by one and freed by a crash") {
  FakeFiles files;
  auto lock = files.lock("/LOCK");
  REQUIRE(lock.ok());
  CHECK(files.lock("/LOCK").error().kind == ErrorKind::conflict);
  files.crash();
  CHECK(files.lock("/LOCK").ok());
}
