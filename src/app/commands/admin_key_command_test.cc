// SPDX-License-Identifier: Apache-2.0
// `cairn key create --admin` on folders of the real disk.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "app/commands/commands.h"
#include "auth/keys/keys.h"
#include "base/strings.h"
#include "objectstore/engine.h"
#include "objectstore/engine_store.h"
#include "os/files/secret_file.h"
#include "os/files/test_folder.h"

namespace admin_key_command_test {

using namespace cairn;
using namespace cairn::app;

namespace {

const os::Deadline never = os::Deadline::never();

struct DataFolder : os::TestFolder {
  std::unique_ptr<objectstore::Engine> open() const {
    auto engine = objectstore::Engine::open({.data_dir = *this / "data", .reserve_bytes = 0});
    REQUIRE_MESSAGE(engine.ok(), engine.error().message);
    return std::move(*engine);
  }
  int make(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"key", "create", "--admin", "--data", *this / "data",
                                      "--config", *this / "cairn.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words, {});
  }
  void write_settings() const {
    REQUIRE(os::write_secret_file(*this / "cairn.yaml", "data: { reserve: 0 }\n").ok());
  }
};

}  // namespace

TEST_CASE("key create --admin: makes a key without a server, once, for its owner alone") {
  const DataFolder folder;
  folder.write_settings();
  CHECK(folder.make({"--admni"}) == 64);
  CHECK(folder.make({"--help"}) == 0);
  CHECK(folder.make() == 66);
  CHECK_FALSE(std::filesystem::exists(folder / "data"));  // looking makes nothing
  {
    const auto engine = folder.open();
    CHECK(folder.make() == 75);
  }
  REQUIRE(folder.make() == 0);
  CHECK(folder.make() == 73);  // it is never written over
  REQUIRE(folder.make({"--key-out", folder / "second.key"}) == 0);
  if (::geteuid() == 0) {  // only root may give a folder away
    REQUIRE(::chown((folder / "data/objects").c_str(), 1, 1) == 0);
    CHECK(folder.make({"--key-out", folder / "third.key"}) == 77);
    REQUIRE(::chown((folder / "data/objects").c_str(), 0, 0) == 0);
  }
  const auto engine = folder.open();
  const auto store = objectstore::reserved_store(*engine, ".cairn-auth");
  REQUIRE(store.ok());
  const auto keys =
      auth::Keys::open(**store, os::system_clock(), os::system_random(), {}, never);
  REQUIRE(keys.ok());
  for (const std::string& file : {folder / "data/keys/admin.key", folder / "second.key"}) {
    struct stat info {};
    REQUIRE(::stat(file.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
    const auto text = os::read_secret_file(file).value();
    const auto parts = auth::decode_key(trim(*text));
    REQUIRE(parts.has_value());
    const auto key = (*keys)->verify(parts->id, parts->secret);
    REQUIRE(key.ok());
    CHECK((*key)->lasting_administrator());
  }
}

}  // namespace admin_key_command_test
