// SPDX-License-Identifier: Apache-2.0
#include "os/files/mapped_file.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "os/fake/fake_files.h"
#include "os/files/test_folder.h"

namespace cairn::os::mapped_file_test {
namespace {

TEST_CASE("mapped file: has the bytes of the file, also when that is closed and has no name") {
  const TestFolder folder;
  const std::string text = std::string(10'000, 'a') + "the end";
  MappedFile mapped;
  {
    auto file = system_files().create_unnamed(folder / "").value();
    REQUIRE(file->append(text).ok());
    mapped = MappedFile::of(*file, text.size()).value();
  }
  CHECK(mapped.view() == text);
  const MappedFile moved = std::move(mapped);
  CHECK(moved.view() == text);
}

TEST_CASE("mapped file: what is written to it stays out of the file") {
  const TestFolder folder;
  folder.write("one", "abc");
  const auto file = system_files().open(folder / "one", OpenMode::read).value();
  MappedFile mapped = MappedFile::of(*file, 3).value();
  mapped.bytes()[1] = 'x';
  CHECK(mapped.view() == "axc");
  CHECK(MappedFile::of(*file, 3).value().view() == "abc");
}

TEST_CASE("mapped file: an empty file has no bytes, and what is no file of the system cannot be") {
  const TestFolder folder;
  folder.write("empty", "");
  const auto file = system_files().open(folder / "empty", OpenMode::read).value();
  CHECK(MappedFile::of(*file, 0).value().view().empty());
  FakeFiles disk;
  const auto unreal = disk.open("/a", OpenMode::create).value();
  CHECK(MappedFile::of(*unreal, 1).error().kind == ErrorKind::unsupported);
}

}  // namespace
}  // namespace cairn::os::mapped_file_test
