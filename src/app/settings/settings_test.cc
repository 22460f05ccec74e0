// SPDX-License-Identifier: Apache-2.0
#include "app/settings/settings.h"

#include <doctest/doctest.h>

#include <set>

#include "app/commands/commands.h"
#include "base/strings.h"
#include "os/files/test_folder.h"

namespace settings_test {

using namespace cairn;
using namespace cairn::app;

namespace {

std::string message_of(const Result<LoadedSettings>& loaded) {
  return loaded.ok() ? std::string("(no error)") : loaded.error().message;
}

GivenSetting set(std::string key, std::string text) {
  return {.key = std::move(key), .text = std::move(text), .origin = "--set"};
}

}  // namespace

TEST_CASE("settings: what is no address of a listener is told before what it is reached from") {
  for (const char* address : {"foo", "127.0.0.1", "1.2.3.4:99999", "10.0.0.1:"})
    CHECK(message_of(load_settings("", {}, {set("listen.api", address)})) ==
          "listen.api: [" + std::string(address) +
              "] is not an address; write host:port or [v6 address]:port");
}

TEST_CASE("settings: later sources win, and each value knows where it came from") {
  const os::TestFolder folder;
  const auto file = folder.write("cairn.yaml",
                                 "listen:\n  api: 127.0.0.1:1\n  objects: 127.0.0.1:2\n"
                                 "path:\n  repo: [/a, /b]\nlog: { level: warn }\n");
  folder.write("conf.d/10-more.yaml", "listen.objects: 127.0.0.1:3\n");
  const auto loaded =
      load_settings(file, {"CAIRN_LOG__LEVEL=error", "CAIRN_SERVER=ignored", "PATH=/bin"},
                    {{.key = "data.dir", .text = "/data", .origin = "--data"}});
  REQUIRE_MESSAGE(loaded.ok(), message_of(loaded));
  CHECK(loaded->settings.listen_api == "127.0.0.1:1");
  CHECK(loaded->settings.listen_objects == "127.0.0.1:3");
  CHECK(loaded->settings.path_repo == std::vector<std::string>{"/a", "/b"});
  CHECK(loaded->settings.log_level == os::LogLevel::error);
  CHECK(loaded->settings.data_dir == "/data");
  CHECK(loaded->origins.at("listen.api") == file + ":2");
  CHECK(loaded->origins.at("log.level") == "CAIRN_LOG__LEVEL");
  CHECK(loaded->origins.at("data.dir") == "--data");
  CHECK(loaded->origins.at("http.max_workers") == "default");
}

TEST_CASE("settings: an unknown key is an error with file, line and the nearest known key") {
  const os::TestFolder folder;
  const auto file = folder.write("cairn.yaml", "listen:\n  apii: 127.0.0.1:1\n");
  CHECK(message_of(load_settings(file, {}, {})) ==
        file + ":2: unknown setting listen.apii; did you mean listen.api?");
  CHECK(message_of(load_settings("", {"CAIRN_DATA__DIRR=/x"}, {})) ==
        "CAIRN_DATA__DIRR: unknown setting data.dirr; did you mean data.dir?");
}

TEST_CASE("settings: values that cannot be are refused with the reason") {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"http.max_workers", "0"},
                                                        {"http.max_workers", "many"},
                                                        {"api.access_log", "yes"},
                                                        {"shutdown.grace", "5"},
                                                        {"shutdown.grace", "-1"},
                                                        {"index.cache", "big"},
                                                        {"log.level", "loud"}}) {
    CAPTURE(key);
    CAPTURE(value);
    const auto loaded = load_settings("", {}, {{.key = key, .text = value, .origin = "--set"}});
    REQUIRE_FALSE(loaded.ok());
    CHECK(loaded.error().message.find("--set: " + key + " cannot be \"" + value + "\"") == 0);
  }
  CHECK(load_settings("", {}, {set("index.cache", "64MiB")})->settings.index_cache_bytes ==
        64u << 20);
}

TEST_CASE("settings: the cache of indices is a share of the memory that is left") {
  Settings settings;
  CHECK(index_cache_of(settings, 16ull << 30) == 1u << 30);
  CHECK(index_cache_of(settings, 512ull << 20) == 64u << 20);
  CHECK(index_cache_of(settings, 1ull << 40) == 4ull << 30);
  settings.memory_bytes = 2ull << 30;
  CHECK(index_cache_of(settings, 16ull << 30) == 256u << 20);
  settings.index_cache_bytes = 5;
  CHECK(index_cache_of(settings, 16ull << 30) == 5);
}

TEST_CASE("settings: zones are records in the file, and texts elsewhere") {
  const os::TestFolder folder;
  const std::vector<s3::Zone> both = {{.id = "use1-az4"},
                                      {.id = "use1-bos1-az1", .type = s3::ZoneType::local_zone}};
  const auto file = folder.write("cairn.yaml",
                                 "objects:\n  zones:\n    - id: use1-az4\n"
                                 "    - {id: use1-bos1-az1, type: LocalZone}\n");
  const auto loaded = load_settings(file, {}, {});
  REQUIRE_MESSAGE(loaded.ok(), message_of(loaded));
  CHECK(loaded->settings.objects.zones == both);
  const std::string text = "use1-az4=AvailabilityZone,use1-bos1-az1=LocalZone";
  CHECK(load_settings("", {}, {set("objects.zones", text)})->settings.objects.zones == both);
  for (const char* bad :
       {"use1-az4=Zone", "=LocalZone", "Use1", "a--b", "z,z", "id=z kind=LocalZone"}) {
    CAPTURE(std::string(bad));
    const auto refused = load_settings("", {}, {set("objects.zones", bad)});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message.find("objects.zones") != std::string::npos);
  }
  CHECK_FALSE(load_settings(folder.write("other.yaml", "path:\n  repo: [{a: b}]\n"), {}, {}).ok());
}

TEST_CASE("settings: outposts are records in the file, and ids elsewhere") {
  const os::TestFolder folder;
  const std::vector<std::string> both = {"op-01ac5d28a6a232904", "op-0123456789abcdef0"};
  const auto file = folder.write("cairn.yaml",
                                 "objects:\n  outposts:\n    - id: op-01ac5d28a6a232904\n"
                                 "    - {id: op-0123456789abcdef0}\n");
  const auto loaded = load_settings(file, {}, {});
  REQUIRE_MESSAGE(loaded.ok(), message_of(loaded));
  CHECK(loaded->settings.objects.outposts == both);
  CHECK(load_settings("", {}, {set("objects.outposts", both[0] + "," + both[1])})
            ->settings.objects.outposts == both);
  for (const char* bad :
       {"op-1", "01ac5d28a6a232904", "op-01ac5d28a6a23290G", "name=op-01ac5d28a6a232904",
        "op-01ac5d28a6a232904,op-01ac5d28a6a232904"}) {
    CAPTURE(std::string(bad));
    const auto refused = load_settings("", {}, {set("objects.outposts", bad)});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message.find("objects.outposts") != std::string::npos);
  }
}

TEST_CASE("settings: an address that strangers reach needs TLS or a word that it is meant") {
  for (const auto* address : {"0.0.0.0:9200", "[::]:9200", "10.0.0.1:9200", "example.org:9200"}) {
    CAPTURE(std::string(address));
    const auto refused = load_settings("", {}, {set("listen.api", address)});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().kind == ErrorKind::invalid_argument);
    CHECK(refused.error().message.find("listen.allow_plaintext") != std::string::npos);
    CHECK(load_settings("", {}, {set("listen.api", address), set("listen.allow_plaintext", "true")})
              .ok());
  }
  for (const auto* address : {"127.0.0.1:0", "127.1.2.3:9200", "[::1]:9200", "localhost:9200"})
    CHECK(load_settings("", {}, {set("listen.objects", address)}).ok());
  CHECK(run({"config", "check", "--api-listen", "0.0.0.0:9200"}, {}) == 78);
}

TEST_CASE("settings: files that are no settings are refused, with the line") {
  const os::TestFolder folder;
  for (const char* text :
       {"- a\n- b\n", "just text", "a: [b: [c]]\n", "a: b: c\n", "{", "? [x]\n: y\n"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(load_settings(folder.write("cairn.yaml", text), {}, {}).ok());
  }
  CHECK(load_settings(folder.write("cairn.yaml", ""), {}, {}).ok());
  const auto tab = load_settings(folder.write("tab.yaml", "data:\n\tdir: /x\n"), {}, {});
  REQUIRE_FALSE(tab.ok());
  CHECK(tab.error().message.find("tab.yaml:2: a tab stands before the first word") !=
        std::string::npos);
  CHECK(load_settings(folder / "absent.yaml", {}, {}).error().kind == ErrorKind::not_found);
}

TEST_CASE("settings: a variable that looks like a setting and is none is refused") {
  const auto wrong = load_settings("", {"CAIRN_DATA_DIR=/x"}, {});
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().message.find("CAIRN_DATA_DIR is no setting") == 0);
  CHECK(wrong.error().message.find("CAIRN_DATA__DIR?") != std::string::npos);
  CHECK(load_settings("", {"CAIRN_CONNECTORS_DIRECTORY_ROOTS=/x"}, {})
            .error()
            .message.find("CAIRN_CONNECTORS__DIRECTORY__ROOTS?") != std::string::npos);
  CHECK(load_settings("", {"CAIRN_SERVER=http://x", "CAIRN_KEY_FILE=x", "CAIRN_OTHER=1"}, {}).ok());
}

TEST_CASE("settings: CAIRN_ISA names an instruction set") {
  CHECK(load_settings("", {"CAIRN_ISA=avx2"}, {}).ok());
  const auto wrong = load_settings("", {"CAIRN_ISA=avx3"}, {});
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().message == "CAIRN_ISA is \"avx3\": it must be scalar, avx2, avx512 or amx");
}

TEST_CASE("settings: limits of tasks, and the servers that copies may come from") {
  const auto loaded =
      load_settings("", {},
                    {set("tasks.running_max", "3"), set("tasks.running_per_key", "2"),
                     set("tasks.results_max", "5"), set("tasks.results_per_key", "4"),
                     set("tasks.result_retention", "1h"), set("reindex.remote.page_max", "1mb"),
                     set("reindex.remote.allowed_hosts", "search.lan:9200,10.0.1.*:9200")});
  REQUIRE_MESSAGE(loaded.ok(), message_of(loaded));
  const tasks::Options& tasks = loaded->settings.tasks;
  CHECK(tasks.running_max == 3);
  CHECK(tasks.running_of_one_max == 2);
  CHECK(tasks.results_max == 5);
  CHECK(tasks.results_of_one_max == 4);
  CHECK(tasks.results_kept_ms == 3'600'000);
  CHECK(tasks.remote_answer_bytes == 1 << 20);
  CHECK(tasks.remote_allowed_hosts.size() == 2);
  CHECK(message_of(load_settings("", {}, {set("reindex.remote.allowed_hosts", "http://a:1")}))
            .starts_with("reindex.remote.allowed_hosts: [http://a:1] is no endpoint"));
  CHECK(message_of(load_settings("", {}, {set("reindex.remote.whitelist", "a:1")})) ==
        "--set: unknown setting reindex.remote.whitelist; did you mean "
        "reindex.remote.allowed_hosts?");
  CHECK(message_of(load_settings("", {}, {set("tasks.running_max", "0")}))
            .find("tasks.running_max") != std::string::npos);
}

TEST_CASE("settings: limits of async searches") {
  const auto loaded =
      load_settings("", {},
                    {set("async_search.running_max", "9"), set("async_search.running_per_key", "8"),
                     set("async_search.kept_max", "7"), set("async_search.kept_per_key", "6"),
                     set("search.max_async_search_response_size", "50mb")});
  REQUIRE_MESSAGE(loaded.ok(), message_of(loaded));
  const tasks::Options& tasks = loaded->settings.tasks;
  CHECK(tasks.searches_max == 9);
  CHECK(tasks.searches_of_one_max == 8);
  CHECK(tasks.kept_searches_max == 7);
  CHECK(tasks.kept_searches_of_one_max == 6);
  CHECK(tasks.search_answer_bytes == 50u << 20);
}

TEST_CASE("settings: the schema has the defaults that are printed") {
  const Json schema = settings_schema();
  for (const auto& setting : setting_table()) {
    CAPTURE(setting.key);
    std::string path = "properties.";
    for (const char c : setting.key)
      path += c == '.' ? std::string(".properties.") : std::string(1, c);
    const Json* value = schema.find_path(path + ".default");
    if (value == nullptr) continue;
    std::string shown = value->is_string() ? value->as_string() : value->dump();
    if (value->is_array()) {
      shown.clear();
      for (const Json& one : value->as_array())
        shown +=
            (shown.empty() ? "" : ",") +
            (one.is_string() ? one.as_string() : one.string_or("id") + "=" + one.string_or("type"));
    }
    CHECK(shown == setting.get(Settings{}));
  }
}

TEST_CASE("settings: every row can be printed and read again, and stands in the schema") {
  std::set<std::string> keys;
  const Json schema = settings_schema();
  for (const auto& setting : setting_table()) {
    CAPTURE(setting.key);
    CHECK(keys.insert(setting.key).second);
    CHECK_FALSE(setting.description.empty());
    LoadedSettings loaded;
    const std::string text = setting.get(loaded.settings);
    CHECK(apply(loaded, {set(setting.key, text)}).ok());
    CHECK(setting.get(loaded.settings) == text);
    std::string path;
    for (const char c : setting.key)
      path += c == '.' ? std::string(".properties.") : std::string(1, c);
    CHECK(schema.find_path("properties." + path) != nullptr);
  }
}

TEST_CASE("settings: the example has every setting, and says what holds without it") {
  const std::string example = settings_example();
  const os::TestFolder folder;
  const auto as_it_is = load_settings(folder.write("as_it_is.yaml", example), {}, {});
  REQUIRE_MESSAGE(as_it_is.ok(), message_of(as_it_is));
  CHECK(as_it_is->origins.at("listen.api") == "default");
  std::string taken;
  for (const auto line : split(example, '\n'))
    if (line.size() > 1 && line[0] == '#' && line[1] != ' ')
      taken += std::string(line.substr(1)) + "\n";
  const auto file = folder.write("taken.yaml", taken);
  const auto loaded = load_settings(file, {}, {});
  REQUIRE_MESSAGE(loaded.ok(), message_of(loaded));
  for (const auto& setting : setting_table()) {
    CAPTURE(setting.key);
    CHECK(setting.get(loaded->settings) == setting.get(Settings{}));
    CHECK(loaded->origins.at(setting.key).starts_with(file));
  }
  for (const auto line : split(example, '\n')) CHECK(line.size() <= 120);
}

TEST_CASE("commands: exit codes of what runs without a server") {
  CHECK(run({"version"}, {}) == 0);
  CHECK(run({"help"}, {}) == 0);
  CHECK(run({"dance"}, {}) == 64);
  CHECK(run({"config", "check"}, {}) == 0);
  CHECK(run({"config", "example"}, {}) == 0);
  CHECK(run({"config", "check", "--config", "/nonexistent/cairn.yaml"}, {}) == 66);
  CHECK(run({"config", "check", "--set", "a.b=1"}, {}) == 78);
  CHECK(run({"config", "check", "--sett", "a.b=1"}, {}) == 64);
  CHECK(run({"config", "schema"}, {}) == 0);
  CHECK(run({"routes", "--json"}, {}) == 0);
}

}  // namespace settings_test
