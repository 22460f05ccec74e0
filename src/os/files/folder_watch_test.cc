// SPDX-License-Identifier: Apache-2.0
// With real files: the kernel is what is asked.
#include "os/files/folder_watch.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "os/files/test_folder.h"

namespace cairn::os::folder_watch_test {

namespace {

std::unique_ptr<FolderWatch> watch_of(const std::vector<std::string>& folders,
                                      std::size_t most = 100) {
  auto watch = FolderWatch::open(most);
  REQUIRE(watch.ok());
  (*watch)->begin_round();
  for (const auto& folder : folders) REQUIRE((*watch)->add(folder).ok());
  (*watch)->end_round();
  return *std::move(watch);
}

}  // namespace

TEST_CASE("folder watch: what is written, comes and goes is told once") {
  const TestFolder folder;
  const std::string file = folder.write("a.txt", "1");
  const auto watch = watch_of({folder.path});
  CHECK_FALSE(watch->take().files);
  folder.write("a.txt", "2");
  CHECK(watch->take().files);
  CHECK_FALSE(watch->take().files);
  std::filesystem::rename(file, folder / "b.txt");
  CHECK(watch->take().files);
  std::filesystem::remove(folder / "b.txt");
  CHECK(watch->take().files);
  std::filesystem::create_directory(folder / "sub");
  const auto news = watch->take();
  CHECK(news.folders);
  CHECK_FALSE(news.lost);
}

TEST_CASE("folder watch: a round watches what it names, and nothing else any more") {
  const TestFolder folder;
  folder.write("one/a", "1");
  folder.write("two/a", "1");
  const auto watch = watch_of({folder / "one", folder / "two"});
  CHECK(watch->watched() == 2);
  watch->begin_round();
  CHECK(watch->add(folder / "two").ok());
  watch->end_round();
  CHECK(watch->watched() == 1);
  (void)watch->take();
  folder.write("one/a", "2");
  CHECK_FALSE(watch->take().files);
  folder.write("two/a", "2");
  CHECK(watch->take().files);
}

TEST_CASE("folder watch: no more than so many, no link, nothing that is not there") {
  const TestFolder folder;
  folder.write("one/a", "1");
  std::filesystem::create_directory_symlink(folder / "one", folder / "link");
  const auto watch = watch_of({folder.path}, 1);
  watch->begin_round();
  CHECK(watch->add(folder.path).ok());
  CHECK(watch->add(folder / "one").error().kind == ErrorKind::storage_full);
  watch->begin_round();
  CHECK(watch->add(folder / "link").error().kind == ErrorKind::not_found);
  CHECK(watch->add(folder / "none").error().kind == ErrorKind::not_found);
}

}  // namespace cairn::os::folder_watch_test
