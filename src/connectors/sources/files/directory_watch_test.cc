// SPDX-License-Identifier: Apache-2.0
// With real files and the kernel's own news; only the time between two looks is made up.
#include "connectors/sources/files/directory_watch.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "os/files/test_folder.h"

namespace cairn::connectors::directory_watch_test {

namespace {

struct Watching {
  os::TestFolder folder;
  os::FakeClock clock;
  std::unique_ptr<SourceWatch> watch;

  explicit Watching(std::size_t folders_max = 100) {
    folder.write("top/a.txt", "1");
    folder.write("top/sub/b.txt", "1");
    folder.write("beside/c.txt", "1");
    auto made =
        watch_directory({.root = folder.path, .folder = "top", .folders_max = folders_max}, clock);
    REQUIRE(made.ok());
    watch = *std::move(made);
    CHECK_FALSE(changed());
  }
  bool changed() {
    const auto out = watch->changed(os::Deadline::in_ms(10'000));
    REQUIRE(out.ok());
    return *out;
  }
};

}  // namespace

TEST_CASE("directory watch: files at any depth are told of, others are not") {
  Watching w;
  CHECK(w.watch->limit().empty());
  w.folder.write("top/a.txt", "2");
  CHECK(w.changed());
  CHECK_FALSE(w.changed());
  w.folder.write("top/sub/new.txt", "2");
  CHECK(w.changed());
  std::filesystem::remove(w.folder / "top/sub/b.txt");
  CHECK(w.changed());
  w.folder.write("beside/c.txt", "2");
  CHECK_FALSE(w.changed());
}

TEST_CASE("directory watch: what is hidden in folders that are hidden is nobody's news") {
  Watching w;
  w.folder.write("top/.git/objects/one", "1");
  CHECK(w.changed());  // a folder came
  w.clock.advance_ms(1001);
  CHECK_FALSE(w.changed());
  w.folder.write("top/.git/objects/two", "1");
  w.clock.advance_ms(300'001);
  CHECK_FALSE(w.changed());
}

TEST_CASE("directory watch: folders that come are watched, those that went are not") {
  Watching w;
  w.folder.write("top/new/deep/d.txt", "1");
  CHECK(w.changed());
  w.clock.advance_ms(1001);
  CHECK(w.changed());  // the look finds the file that came before the folder was watched
  CHECK_FALSE(w.changed());
  w.folder.write("top/new/deep/d.txt", "22");
  CHECK(w.changed());
  std::filesystem::rename(w.folder / "top/new", w.folder / "beside/moved");
  CHECK(w.changed());
  w.clock.advance_ms(1001);
  (void)w.changed();
  CHECK_FALSE(w.changed());
  w.folder.write("beside/moved/deep/d.txt", "333");
  CHECK_FALSE(w.changed());
}

TEST_CASE(
    "directory watch: where not all can be watched, a look finds the rest, and that is told") {
  Watching w(1);
  CHECK(w.watch->limit().find("more than 1 folders") != std::string::npos);
  w.folder.write("top/sub/new.txt", "1");
  CHECK_FALSE(w.changed());
  w.clock.advance_ms(30'001);
  CHECK(w.changed());
  CHECK_FALSE(w.changed());
  std::filesystem::remove_all(w.folder / "top/sub");
  w.clock.advance_ms(30'001);
  CHECK(w.changed());
  CHECK(w.watch->limit().empty());
}

}  // namespace cairn::connectors::directory_watch_test
