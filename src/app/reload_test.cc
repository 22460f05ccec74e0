// SPDX-License-Identifier: Apache-2.0
#include "app/reload.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "os/files/test_folder.h"

namespace reload_test {

using namespace cairn;
using namespace cairn::app;

namespace {

/// A file of settings, and what was made of it.
struct Watched {
  os::TestFolder folder;
  SettingsSources sources{.file = folder / "cairn.yaml"};
  std::vector<std::uint32_t> taken = {};  // user plans

  void write(const std::string& text) const {
    folder.write("cairn.yaml", text);
    // Clocks of file systems are coarse: two writes may be of one moment.
    static int minute = 0;
    std::filesystem::last_write_time(sources.file, std::filesystem::file_time_type::clock::now() +
                                                       std::chrono::minutes(++minute));
  }
  LoadedSettings load() const { return *load_settings(sources); }
  Reload reload(LoadedSettings loaded) {
    return {std::move(loaded), sources,
            [this](const auto& policy) { taken.push_back(policy->plans.user.value_or(0)); }};
  }
};

std::string plan(int user) {
  return "rate_limit:\n  plans:\n    user: " + std::to_string(user) + "\n";
}

}  // namespace

TEST_CASE("reload: a changed file is taken once, a wrong one not at all") {
  Watched file;
  file.write(plan(100));
  Reload reload = file.reload(file.load());
  CHECK_FALSE(reload.look());
  file.write(plan(70));
  CHECK(reload.look());
  CHECK_FALSE(reload.look());
  file.write("rate_limit:\n  plans:\n    usr: 1\n");
  CHECK(reload.look());
  CHECK_FALSE(reload.now());
  file.write(plan(60));
  CHECK(reload.now());
  CHECK_FALSE(reload.look());
  CHECK(file.taken == std::vector<std::uint32_t>{70, 60});
}

TEST_CASE("reload: a file that changes between the first reading and the first look is taken") {
  Watched file;
  file.write(plan(100));
  LoadedSettings loaded = file.load();
  file.write(plan(70));  // while the program starts
  Reload reload = file.reload(std::move(loaded));
  CHECK(reload.look());
  CHECK(file.taken == std::vector<std::uint32_t>{70});
}

}  // namespace reload_test
