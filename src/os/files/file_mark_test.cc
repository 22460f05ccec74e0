// SPDX-License-Identifier: Apache-2.0
#include "os/files/file_mark.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "os/files/test_folder.h"

namespace cairn::os::file_mark_test {

TEST_CASE("file mark: one for all paths of a file, another for each file") {
  const TestFolder folder;
  const std::string a = folder.write("a", "1"), b = folder.write("b", "1");
  std::filesystem::create_symlink(a, folder / "link");
  const auto mark = [](const std::string& path) {
    const auto found = file_mark(path);
    REQUIRE(found.ok());
    return *found;
  };
  CHECK(mark(a) == mark(folder / "link"));
  CHECK(mark(a) != mark(b));
  CHECK(mark(folder.path) == mark(folder / "."));
  CHECK(file_mark(folder / "none").error().kind == ErrorKind::not_found);
}

}  // namespace cairn::os::file_mark_test
