// SPDX-License-Identifier: Apache-2.0
#include "os/files/secret_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "os/files/test_folder.h"

namespace cairn::os {

TEST_CASE("secret file: is its owner's alone, replaced whole, and absent is no error") {
  const TestFolder folder;
  const std::string path = folder / "keys/admin.key";
  CHECK_FALSE(read_secret_file(path).value().has_value());
  REQUIRE(write_secret_file(path, "one\n").ok());
  REQUIRE(write_secret_file(path, "two\n").ok());
  CHECK(read_secret_file(path).value() == "two\n");
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  REQUIRE(::stat((folder / "keys").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
}

TEST_CASE("secret file: refused where others may read it") {
  const TestFolder folder;
  const std::string path = folder / "k";
  REQUIRE(write_secret_file(path, "one").ok());
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  const auto got = read_secret_file(path);
  REQUIRE_FALSE(got.ok());
  CHECK(got.error().kind == ErrorKind::permission_denied);
  CHECK(got.error().message.find("chmod 600") != std::string::npos);
}

}  // namespace cairn::os
