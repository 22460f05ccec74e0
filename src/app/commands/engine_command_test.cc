// SPDX-License-Identifier: Apache-2.0
// `cairn engine verify` on folders of the real disk.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "app/commands/commands.h"
#include "objectstore/engine.h"
#include "os/files/test_folder.h"

namespace engine_command_test {

using namespace cairn;
using namespace cairn::app;
namespace fs = std::filesystem;

namespace {

const os::Deadline never = os::Deadline::never();

struct EngineFolder : os::TestFolder {
  std::unique_ptr<objectstore::Engine> open() const {
    auto engine = objectstore::Engine::open({.data_dir = *this / "data", .reserve_bytes = 0});
    REQUIRE_MESSAGE(engine.ok(), engine.error().message);
    return std::move(*engine);
  }
  int verify(const std::string& what = "/data") const {
    return run({"engine", "verify", path + what}, {});
  }
  /// Turns a bit in the middle of the only extent.
  void damage() const {
    for (const auto& entry : fs::recursive_directory_iterator(*this / "data/objects/extents")) {
      if (!entry.is_regular_file()) continue;
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(50'000);
      const char byte = static_cast<char>(file.get());
      file.seekp(50'000);
      file.put(static_cast<char>(byte ^ 4));
    }
  }
};

}  // namespace

TEST_CASE("engine verify: all well, damaged, in use, and no data folder") {
  const EngineFolder folder;
  CHECK(run({"engine"}, {}) == 64);
  CHECK(run({"engine", "dance"}, {}) == 64);
  CHECK(run({"engine", "verify"}, {}) == 64);
  CHECK(run({"engine", "--help"}, {}) == 0);
  CHECK(run({"engine", "verify", "--help"}, {}) == 0);
  CHECK(run({"engine", "-h"}, {}) == 0);
  CHECK(run({"serve", "-h"}, {}) == 0);
  CHECK(run({"serve", "--data", "x", "--help"}, {}) == 0);
  CHECK(run({"routes", "-h"}, {}) == 0);
  CHECK(run({"config", "-h"}, {}) == 0);
  CHECK(run({"config", "check", "-h"}, {}) == 0);
  CHECK(run({"audit", "verify", "-h"}, {}) == 0);
  CHECK(folder.verify() == 66);
  CHECK_FALSE(fs::exists(folder / "data"));  // looking makes nothing
  {
    const auto engine = folder.open();
    REQUIRE(engine->create_bucket({.name = "bucket"}, never).ok());
    REQUIRE(engine->put({"bucket", "large"}, std::string(100'000, 'x'), {}, never).ok());
    REQUIRE(engine->put({"bucket", "small"}, "x", {}, never).ok());
    CHECK(folder.verify() == 75);
  }
  CHECK(folder.verify() == 0);
  folder.damage();
  CHECK(folder.verify() == 65);
  CHECK(run({"engine", "verify", "--json", folder / "data"}, {}) == 65);
  CHECK(folder.open()->head({"bucket", "large"}, never).ok());
}

}  // namespace engine_command_test
