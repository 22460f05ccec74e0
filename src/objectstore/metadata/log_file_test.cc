// SPDX-License-Identifier: Apache-2.0
// A log holds what was appended and zeros after it, through the page cache or around it.
#include "objectstore/metadata/log_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <random>

#include "os/fake/fake_files.h"
#include "os/files/test_folder.h"

namespace cairn::objectstore::log_file_test {
namespace {

std::string whole(os::Files& files, const std::string& path) {
  auto bytes = os::read_file(files, path, 64 << 20);
  REQUIRE(bytes.ok());
  return *bytes;
}

std::string letters(std::mt19937_64& dice, std::size_t count) {
  std::string out(count, 'x');
  for (char& letter : out) letter = static_cast<char>('a' + dice() % 26);
  return out;
}

/// Appends pieces of all sizes; after each the file holds them all, and then zeros alone.
void check_appends(os::Files& files, const std::string& path, LogFile& log) {
  constexpr std::size_t sizes[] = {1,       3,      4'091,  1,       4'096,   4'095,     2,
                                   8'192,   70'000, 5,      262'144, 262'143, 1'500'000, 1,
                                   100'000, 4'096,  40'000, 900'000, 12};
  std::mt19937_64 dice(11);
  std::string expected;
  for (const std::size_t size : sizes) {
    const std::string piece = letters(dice, size);
    REQUIRE(log.append(piece).ok());
    REQUIRE(log.sync_data().ok());
    expected += piece;
    CHECK(log.size() == expected.size());
    const std::string found = whole(files, path);
    REQUIRE(found.size() >= expected.size());
    CHECK((found.substr(0, expected.size()) == expected));
    CHECK(found.find_first_not_of('\0', expected.size()) == std::string::npos);
  }
  REQUIRE(log.close().ok());
  CHECK((whole(files, path) == expected));
}

}  // namespace

TEST_CASE("log file: what is appended, in whole blocks around the page cache") {
  const os::TestFolder folder;
  os::Files& files = os::system_files();
  const std::string path = folder / "1.log";
  auto log = LogFile::create(files, path);
  REQUIRE(log.ok());
  if (!(*log)->direct()) MESSAGE("this file system takes no direct writes");
  check_appends(files, path, **log);
}

TEST_CASE("log file: where direct writes are refused, through the page cache") {
  using enum os::DirectWrites;
  for (const auto how : {taken, refused_when_asked, refused_when_written}) {
    os::FakeFiles files;
    files.set_direct_writes(how);
    if (how == refused_when_written) REQUIRE(os::replace_file(files, "/1.log", "older").ok());
    auto log = LogFile::create(files, "/1.log");
    REQUIRE(log.ok());
    CHECK((*log)->direct() == (how == taken));
    check_appends(files, "/1.log", **log);
    CHECK((files.direct_bytes() > 0) == (how == taken));
  }
}

TEST_CASE("log file: goes on where it ended") {
  const os::TestFolder folder;
  os::Files& files = os::system_files();
  const std::string path = folder / "1.log";
  {
    auto log = LogFile::create(files, path);
    REQUIRE(log.ok());
    REQUIRE((*log)->append("one, ").ok());
  }
  {
    auto log = LogFile::reopen(files, path);
    REQUIRE(log.ok());
    CHECK((*log)->size() == 5);
    REQUIRE((*log)->append("two").ok());
  }
  CHECK(whole(files, path) == "one, two");
}

TEST_CASE("log file: what was synced stands after a crash, whatever became of the rest") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 dice(seed);
    os::FakeFiles files;
    REQUIRE(files.make_directories("/d").ok());
    REQUIRE(files.sync_directory("/").ok());
    auto log = LogFile::create(files, "/d/1.log");
    REQUIRE(log.ok());
    REQUIRE(files.sync_directory("/d").ok());
    std::string synced;
    std::string all;
    for (int step = 0; step < 12; ++step) {
      const std::string piece = letters(dice, 1 + dice() % 20'000);
      REQUIRE((*log)->append(piece).ok());
      all += piece;
      if (dice() % 3 == 0 || step == 0) {
        REQUIRE((*log)->sync_data().ok());
        synced = all;
      }
    }
    files.crash(seed % 2 == 0 ? os::CrashKeeps::nothing : os::CrashKeeps::random, seed);
    const std::string found = whole(files, "/d/1.log");
    REQUIRE(found.size() >= synced.size());
    CHECK((found.substr(0, synced.size()) == synced));
  }
}

TEST_CASE("log file: a full disk is told by the append, and what stood before stands") {
  os::FakeFiles files;
  auto log = LogFile::create(files, "/1.log");
  REQUIRE(log.ok());
  REQUIRE((*log)->append("kept").ok());
  REQUIRE((*log)->sync_data().ok());
  files.set_capacity(files.used_bytes() + 100'000);
  const Status full = (*log)->append(std::string(2'000'000, 'y'));
  REQUIRE_FALSE(full.ok());
  CHECK(full.error().kind == ErrorKind::storage_full);
  CHECK(whole(files, "/1.log").substr(0, 4) == "kept");
}

}  // namespace cairn::objectstore::log_file_test
