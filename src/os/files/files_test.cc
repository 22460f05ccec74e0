// SPDX-License-Identifier: Apache-2.0
#include "os/files/files.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "os/files/direct_memory.h"
#include "os/files/test_folder.h"

using namespace cairn;
using namespace cairn::os;

namespace {

std::string must_read(Files& files, const std::string& path) {
  auto bytes = read_file(files, path, 1 << 20);
  REQUIRE_MESSAGE(bytes.ok(), bytes.error().message);
  return *bytes;
}

}  // namespace

TEST_CASE("files: what is written is read, at any offset") {
  const TestFolder folder;
  Files& files = system_files();
  auto file = files.open(folder / "a", OpenMode::create_exclusive);
  REQUIRE(file.ok());
  REQUIRE((*file)->append("hello ").ok());
  REQUIRE((*file)->append("world").ok());
  REQUIRE((*file)->write_at(0, "J").ok());
  REQUIRE((*file)->sync_data().ok());
  char bytes[16];
  CHECK(*(*file)->read_at(6, bytes, sizeof bytes) == 5);
  CHECK(std::string_view(bytes, 5) == "world");
  CHECK(*(*file)->size() == 11);
  CHECK(must_read(files, folder / "a") == "Jello world");

  CHECK(files.open(folder / "a", OpenMode::create_exclusive).error().kind ==
        ErrorKind::already_exists);
  CHECK(files.open(folder / "none", OpenMode::read).error().kind == ErrorKind::not_found);
  auto again = files.open(folder / "a", OpenMode::append);
  REQUIRE((*again)->append("!").ok());
  CHECK(must_read(files, folder / "a") == "Jello world!");
  CHECK(read_file(files, folder / "a", 11).error().kind == ErrorKind::too_large);
  CHECK(read_file(files, folder / "a", 12).ok());
}

TEST_CASE("files: reserved space does not make a file longer, unless asked") {
  const TestFolder folder;
  auto file = system_files().open(folder / "a", OpenMode::create);
  REQUIRE((*file)->allocate(0, 1 << 20, true).ok());
  CHECK(*(*file)->size() == 0);
  REQUIRE((*file)->allocate(0, 4096, false).ok());
  CHECK(*(*file)->size() == 4096);
  REQUIRE((*file)->truncate(3).ok());
  REQUIRE((*file)->append("abc").ok());
  CHECK(must_read(system_files(), folder / "a") == std::string("\0\0\0abc", 6));
}

TEST_CASE("files: writes around the page cache and through it make one file") {
  const TestFolder folder;
  auto file = system_files().open(folder / "a", OpenMode::create);
  const DirectMemory memory = direct_memory(2 * direct_alignment);
  std::memset(memory.get(), 'd', 2 * direct_alignment);
  std::size_t direct = 0;
  if ((*file)->set_direct(true)) {
    const Status written = (*file)->append({memory.get(), 2 * direct_alignment});
    if (!written.ok()) CHECK(written.error().kind == ErrorKind::invalid_argument);
    if (written.ok()) direct = 2 * direct_alignment;
  }
  if (direct == 0) MESSAGE("this file system takes no direct writes");
  REQUIRE((*file)->set_direct(false));
  REQUIRE((*file)->append("tail").ok());
  CHECK(must_read(system_files(), folder / "a") == std::string(direct, 'd') + "tail");
}

TEST_CASE("files: an unnamed file appears when published, and never over another") {
  const TestFolder folder;
  Files& files = system_files();
  auto file = files.create_unnamed(folder.path);
  REQUIRE(file.ok());
  REQUIRE((*file)->append("body").ok());
  CHECK(files.list(folder.path)->empty());
  REQUIRE((*file)->publish(folder / "x").ok());
  CHECK(must_read(files, folder / "x") == "body");
  auto other = files.create_unnamed(folder.path);
  CHECK((*other)->publish(folder / "x").error().kind == ErrorKind::already_exists);
  other = Error{};
  CHECK(*files.list(folder.path) == std::vector<std::string>{"x"});
}

TEST_CASE("files: a lock is held by one at a time and ends with its file") {
  const TestFolder folder;
  Files& files = system_files();
  auto first = files.lock(folder / "LOCK");
  REQUIRE(first.ok());
  CHECK(files.lock(folder / "LOCK").error().kind == ErrorKind::conflict);
  first = Error{};
  CHECK(files.lock(folder / "LOCK").ok());
}

TEST_CASE("files: replace_file leaves one file with the new bytes and its mode") {
  const TestFolder folder;
  REQUIRE(replace_file(folder / "key", "one", 0600).ok());
  REQUIRE(replace_file(folder / "key", "two", 0600).ok());
  CHECK(must_read(system_files(), folder / "key") == "two");
  struct stat s;
  REQUIRE(::stat((folder / "key").c_str(), &s) == 0);
  CHECK((s.st_mode & 0777) == 0600);
  CHECK(system_files().list(folder.path)->size() == 1);
  CHECK(replace_file(folder / "none/key", "x", 0600).error().kind == ErrorKind::not_found);
}

TEST_CASE("files: directories are made, listed, renamed into and removed") {
  const TestFolder folder;
  Files& files = system_files();
  REQUIRE(files.make_directories(folder / "a/b/c").ok());
  REQUIRE(files.make_directories(folder / "a/b/c").ok());
  REQUIRE(files.open(folder / "f", OpenMode::create).ok());
  REQUIRE(files.rename(folder / "f", folder / "a/b/c/g").ok());
  REQUIRE(files.sync_directory(folder / "a/b/c").ok());
  CHECK(files.info(folder / "a")->is_directory);
  CHECK(files.remove_directory(folder / "a/b/c").error().kind == ErrorKind::conflict);
  REQUIRE(files.remove(folder / "a/b/c/g").ok());
  CHECK(files.remove_directory(folder / "a/b/c").ok());
  CHECK(files.make_directories(folder / "a/b/x").ok());
  REQUIRE(files.open(folder / "file", OpenMode::create).ok());
  CHECK(files.make_directories(folder / "file/x").error().kind == ErrorKind::not_found);
  CHECK(*files.free_bytes(folder.path) > 0);
}

TEST_CASE("files: below a root no path leaves it, by dots or by links") {
  const TestFolder folder;
  const TestFolder outside;
  REQUIRE(replace_file(outside / "secret", "s", 0600).ok());
  REQUIRE(::symlink(outside.path.c_str(), (folder / "link").c_str()) == 0);
  REQUIRE(::symlink((outside / "secret").c_str(), (folder / "direct").c_str()) == 0);
  auto files = rooted_files(folder.path);
  REQUIRE(files.ok());
  CHECK((*files)->open("../x", OpenMode::read).error().kind == ErrorKind::permission_denied);
  CHECK((*files)->open("a/../../x", OpenMode::create).error().kind != ErrorKind::internal);
  CHECK((*files)->open("link/secret", OpenMode::read).error().kind == ErrorKind::permission_denied);
  CHECK((*files)->open("link/new", OpenMode::create).error().kind == ErrorKind::permission_denied);
  CHECK((*files)->open("direct", OpenMode::read).error().kind == ErrorKind::permission_denied);
  CHECK((*files)->info("direct").error().kind == ErrorKind::permission_denied);
  CHECK((*files)->make_directories("link/made").error().kind == ErrorKind::permission_denied);
  CHECK((*files)->list("link").ok() == false);
  CHECK(system_files().list(outside.path)->size() == 1);

  REQUIRE((*files)->make_directories("/deep/er").ok());
  REQUIRE(replace_file(**files, "deep/er/f", "inside").ok());
  CHECK(must_read(system_files(), folder / "deep/er/f") == "inside");
  auto unnamed = (*files)->create_unnamed("deep");
  REQUIRE(unnamed.ok());
  REQUIRE((*unnamed)->publish("deep/er/g").ok());
  CHECK((*files)->list("deep/er")->size() == 2);
  CHECK(rooted_files(folder / "none").error().kind == ErrorKind::not_found);
}
