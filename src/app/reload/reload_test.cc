// SPDX-License-Identifier: Apache-2.0
#include "app/reload/reload.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "app/settings/log_levels.h"
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
  CHECK_FALSE(reload.now().reloaded);
  file.write(plan(60));
  CHECK(reload.now().reloaded);
  CHECK_FALSE(reload.look());
  CHECK(file.taken == std::vector<std::uint32_t>{70, 60});
}

TEST_CASE("reload: folders that connectors may read are taken over, with where they are written") {
  Watched file;
  file.write("connectors: { directory: { roots: [/a] } }\n");
  std::vector<connectors::RootsInUse> roots;
  Reload reload{file.load(), file.sources, [](const auto&) {},
                [&](const auto& in_use) { roots.push_back(in_use); }};
  REQUIRE(roots.size() == 1);
  CHECK(roots[0].roots == std::vector<std::string>{"/a"});
  CHECK(roots[0].origin == file.sources.file + ":1");
  CHECK(roots[0].drop_in_folder == file.folder / "conf.d");
  const std::string added = file.folder.write(
      "conf.d/folders.yaml", "connectors: { directory: { roots: [/a, \"/b c\"] } }\n");
  CHECK(reload.look());
  REQUIRE(roots.size() == 2);
  CHECK(roots[1].roots == std::vector<std::string>{"/a", "/b c"});
  CHECK(roots[1].origin == added + ":1");
  std::filesystem::remove(added);
  CHECK(reload.look());
  REQUIRE(roots.size() == 3);
  CHECK(roots[2].roots == std::vector<std::string>{"/a"});
}

TEST_CASE("reload: it tells what holds now, what needs a restart, and of a fault alone that") {
  Watched file;
  file.write("cluster: { name: one }\n" + plan(100));
  Reload reload = file.reload(file.load());
  CHECK(reload.now().changed.empty());
  file.write("cluster: { name: two }\nrate_limit: { plans: { user: 70 }, max_identities: 5000 }\n");
  const ReloadOutcome outcome = reload.now();
  CHECK(outcome.reloaded);
  CHECK(outcome.changed == std::vector<std::string>{"rate_limit.plans.user"});
  CHECK(outcome.needs_restart ==
        std::vector<std::string>{"cluster.name", "rate_limit.max_identities"});
  CHECK(outcome.faults.empty());
  // What is in use, and where that is said.
  CHECK(reload.in_use().settings.api.cluster_name == "one");
  CHECK(reload.in_use().settings.limits->plans.user == 70);
  CHECK(reload.in_use().origins.at("rate_limit.plans.user") == file.sources.file + ":2");
  const ReloadOutcome again = reload.now();
  CHECK(again.changed.empty());
  CHECK(again.needs_restart == outcome.needs_restart);
  file.write("cluster: { name: [ }\n");
  const ReloadOutcome wrong = reload.now();
  CHECK_FALSE(wrong.reloaded);
  REQUIRE(wrong.faults.size() == 1);
  CHECK(wrong.faults[0].what == "settings");
  CHECK(wrong.faults[0].reason.find(file.sources.file) != std::string::npos);
  CHECK(wrong.needs_restart.empty());
}

TEST_CASE("reload: a setting whose line has moved is where it is now") {
  Watched file;
  file.write("log: { level: warn }\n");
  Reload reload{file.load(), file.sources, [](const auto&) {}, {}, [](os::LogLevel) {}};
  file.write("\n\nlog: { level: warn }\nnode: { name: other }\n");
  CHECK(reload.now().needs_restart == std::vector<std::string>{"node.name"});
  CHECK(reload.in_use().origins.at("log.level") == file.sources.file + ":3");
  CHECK(reload.in_use().origins.at("node.name") == "default");  // the other is not in use
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

TEST_CASE("reload: a level of the log that the cluster keeps goes before the file's") {
  LogLevels levels(os::LogLevel::info);
  Watched file;
  file.write("log:\n  level: info\n");
  std::vector<os::LogLevel> said;
  Reload reload(file.load(), file.sources, [](const auto&) {}, {}, [&](os::LogLevel level) {
    said.push_back(level);
    levels.set_configured(level);
  });
  levels.set_kept(os::LogLevel::error);
  file.write("log:\n  level: debug\n");
  CHECK(reload.now().reloaded);
  CHECK(said == std::vector{os::LogLevel::debug});
  CHECK(levels.configured() == os::LogLevel::debug);
  CHECK(levels.in_force() == os::LogLevel::error);
  levels.set_kept(std::nullopt);
  CHECK(levels.in_force() == os::LogLevel::debug);
  levels.set_configured(os::LogLevel::info);
}

}  // namespace reload_test
