// SPDX-License-Identifier: Apache-2.0
#include "app/settings/limit_settings.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "app/commands/commands.h"
#include "app/reload/reload.h"
#include "base/strings.h"
#include "os/files/test_folder.h"
#include "os/log.h"

namespace limit_settings_test {

using namespace cairn;
using namespace cairn::app;
namespace fs = std::filesystem;

namespace {

GivenSetting set(std::string key, std::string text) {
  return {.key = std::move(key), .text = std::move(text), .origin = "--set"};
}

std::string message_of(const Result<LoadedSettings>& loaded) {
  return loaded.ok() ? std::string("(no error)") : loaded.error().message;
}

std::string row(const LoadedSettings& loaded, const std::string& key) {
  for (const auto& one : limit_rows(*loaded.settings.limits))
    if (one.key == key) return one.text + " from " + limit_origin(loaded.origins, key);
  return "(no row)";
}

}  // namespace

TEST_CASE("limits: the published ones hold where nothing is said") {
  const auto loaded = load_settings("", {}, {});
  REQUIRE_MESSAGE(loaded.ok(), message_of(loaded));
  CHECK(row(*loaded, "rate_limit.plans.user") == "5000 from default");
  CHECK(row(*loaded, "rate_limit.plans.service") == "null from default");
  CHECK(row(*loaded, "rate_limit.secondary.points_per_minute.rest") == "900 from default");
}

TEST_CASE("limits: a tree in YAML or JSON; later sources change what they name only") {
  const os::TestFolder folder;
  const auto file = folder.write("cairn.yaml",
                                 "rate_limit:\n"
                                 "  shadow: true\n"
                                 "  plans:\n"
                                 "    user: 10\n"
                                 "    workflow: null\n"
                                 "  points:\n"
                                 "    routes:\n"
                                 "      - { match: POST /_search, points: 2, content: false }\n"
                                 "  identity: { exempt: [user:a, 'user:b'] }\n");
  folder.write("conf.d/10.yaml",
               R"({"rate_limit": {"plans": {"workflow": 7}, "points": {"write": 6}}})");
  folder.write("conf.d/20.yaml", "rate_limit.plans.oauth_app: 8\nrate_limit:\n");
  const auto loaded = load_settings(file,
                                    {"CAIRN_RATE_LIMIT__STORE__KIND=redis",
                                     "CAIRN_RATE_LIMIT__STORE__URLS=redis://a:1,redis://:word@b:2",
                                     "CAIRN_RATE_LIMIT__RESOURCES__CODE_SEARCH__AUTHENTICATED=11"},
                                    {set("rate_limit.shadow", "false"),
                                     set("rate_limit", R"({"plans": {"enterprise_user": null}})")});
  REQUIRE_MESSAGE(loaded.ok(), message_of(loaded));
  CHECK(row(*loaded, "rate_limit.shadow") == "false from --set");
  CHECK(row(*loaded, "rate_limit.plans.user") == "10 from " + file + ":4");
  CHECK(row(*loaded, "rate_limit.plans.workflow") == "7 from " + folder / "conf.d/10.yaml:1");
  CHECK(row(*loaded, "rate_limit.plans.oauth_app") == "8 from " + folder / "conf.d/20.yaml:1");
  CHECK(row(*loaded, "rate_limit.plans.enterprise_user") == "null from --set");
  CHECK(row(*loaded, "rate_limit.points.write") == "6 from " + folder / "conf.d/10.yaml:1");
  CHECK(row(*loaded, "rate_limit.points.routes") ==
        R"([{"match":"POST /_search","points":2,"content":false}] from )" + file + ":7");
  CHECK(row(*loaded, "rate_limit.identity.exempt") == "user:a,user:b from " + file + ":9");
  CHECK(row(*loaded, "rate_limit.store.urls") ==
        "redis://a:1,redis://b:2 from CAIRN_RATE_LIMIT__STORE__URLS");
  CHECK(row(*loaded, "rate_limit.resources.code_search.authenticated") ==
        "11 from CAIRN_RATE_LIMIT__RESOURCES__CODE_SEARCH__AUTHENTICATED");
  CHECK(loaded->settings.limits->store.urls[1] == "redis://:word@b:2");
}

TEST_CASE("limits: what cannot be is refused with its place") {
  const os::TestFolder folder;
  const auto refusal = [&](const std::string& text) {
    const auto file = folder.write("cairn.yaml", text);
    const std::string message = message_of(load_settings(file, {}, {}));
    return message.starts_with(file) ? message.substr(file.size()) : message;
  };
  CHECK(refusal("rate_limit:\n  plans:\n    usr: 5\n").starts_with(":3: [rate_limit.plans.usr]"));
  CHECK(
      refusal("rate_limit:\n\n  plans: { user: -1 }\n").starts_with(":3: [rate_limit.plans.user]"));
  CHECK(
      refusal("rate_limit:\n  plans: { user: '5' }\n").starts_with(":2: [rate_limit.plans.user]"));
  CHECK(refusal("rate_limit:\n  points: { routes: [{ match: x }] }\n").starts_with(":2: "));
  CHECK(refusal("rate_limit: 5\n").starts_with(":1: rate_limit must hold keys and values"));
  CHECK(refusal("rate_limit: { plans: 5 }\n").starts_with(":1: [rate_limit.plans]"));
  CHECK(refusal("rate_limit: { a: { b: { c: { d: { e: { f: { g: { h: { i: { j: 1 }}}}}}}}}}\n")
            .find("nested too deep") != std::string::npos);
  CHECK(refusal("rate_limits: {}\n").find("did you mean rate_limit?") == std::string::npos);
  CHECK(refusal("rate_limits: { a: 1 }\n").find("did you mean") != std::string::npos);
  CHECK(message_of(load_settings("", {"CAIRN_RATE_LIMIT__SHADOW=maybe"}, {}))
            .starts_with("CAIRN_RATE_LIMIT__SHADOW: [rate_limit.shadow]"));
  CHECK(message_of(load_settings("", {}, {set("rate_limit.plans", "7")}))
            .starts_with("--set: [rate_limit.plans]"));
  CHECK(message_of(
            load_settings("", {},
                          {set("rate_limit.shadow", "true"), set("rate_limit.shadow.deep", "1")}))
            .starts_with("--set: rate_limit.shadow.deep cannot be set"));
}

TEST_CASE("limits: tokens and apps of tests count with the flag only, and on loopback only") {
  const os::TestFolder folder;
  const auto file = folder.write(
      "cairn.yaml",
      "tokens:\n  a.b-c: { kind: user, user: ann }\n"
      "rate_limit: { oauth_apps: { Iv1.x: { secret: sesame } }, tokens: { d: { kind: user } } }\n");
  const std::string refused = message_of(load_settings(file, {}, {}));
  CHECK(refused.find("--test-identities") != std::string::npos);
  CHECK(refused.find("sesame") == std::string::npos);
  const auto loaded = load_settings(file, {}, {}, {.routes = false, .identities = true});
  REQUIRE_MESSAGE(loaded.ok(), message_of(loaded));
  REQUIRE(loaded->settings.limits->tokens.size() == 2);
  CHECK(loaded->settings.limits->tokens[0].name == "a.b-c");
  CHECK(loaded->settings.limits->oauth_apps.at(0).client_id == "Iv1.x");
  for (const auto& one : limit_rows(*loaded->settings.limits))
    CHECK(one.text.find("sesame") == std::string::npos);
  for (const TestFlags flags : {TestFlags{.routes = true}, TestFlags{.identities = true}}) {
    const auto beyond = load_settings(
        "", {}, {set("listen.api", "0.0.0.0:0"), set("listen.allow_plaintext", "true")}, flags);
    CHECK(message_of(beyond).find("loopback") != std::string::npos);
  }
}

TEST_CASE("limits: the whole policy stands in the schema, and reads back") {
  const auto loaded = load_settings("", {}, {});
  REQUIRE(loaded.ok());
  const Json schema = settings_schema();
  for (const auto& one : limit_rows(*loaded->settings.limits)) {
    CAPTURE(one.key);
    std::string path = "properties.";
    for (const char c : one.key) path += c == '.' ? std::string(".properties.") : std::string(1, c);
    CHECK(schema.find_path(path) != nullptr);
    CHECK(load_settings("", {}, {set(one.key, one.text)}).ok());
  }
  CHECK(run({"config", "print"}, {}) == 0);
}

TEST_CASE("limits: what config schema calls a default is what config print shows without settings") {
  const auto loaded = load_settings("", {}, {});
  REQUIRE(loaded.ok());
  const Json schema = settings_schema();
  const auto default_of = [&schema](const std::string& key) -> std::string {
    const Json* at = &schema;
    std::vector<std::string_view> rest = split(key, '.');
    for (const std::string_view part : rest) {
      // A status may be one number or an object of two; its default stands with the whole.
      if (const Json* whole = at->find("default"); whole != nullptr && whole->is_object())
        return whole->find(part)->dump();
      at = at->find("properties");
      if (at == nullptr || (at = at->find(part)) == nullptr) return "no place in the schema";
    }
    const Json* value = at->find("default");
    if (value == nullptr) return "no default in the schema";
    if (value->is_string()) return value->as_string();
    if (!value->is_array() || key.ends_with(".routes") || key.ends_with(".rules"))
      return value->dump();
    std::vector<std::string> texts;
    for (const Json& each : value->as_array())
      texts.push_back(each.is_string() ? each.as_string()
                                       : each.string_or("id") + "=" + each.string_or("type"));
    return join(texts, ",");
  };
  std::size_t rows = 0;
  for (const auto& setting : setting_table()) {
    CAPTURE(setting.key);
    CHECK(default_of(setting.key) == setting.get(loaded->settings));
    ++rows;
  }
  for (const auto& one : limit_rows(*loaded->settings.limits)) {
    CAPTURE(one.key);
    CHECK(default_of(one.key) == one.text);
    ++rows;
  }
  CHECK(rows > 150);
}

namespace {

struct Reloaded {
  os::TestFolder folder;
  std::string file = folder.write("cairn.yaml", "rate_limit: { plans: { user: 10 } }\n");
  std::string log;
  std::shared_ptr<const ratelimit::Policy> taken;
  std::unique_ptr<Reload> reload;

  Reloaded() {
    os::configure_log(os::LogLevel::info, os::LogFormat::text,
                      [this](std::string_view line) { log += line; });
    const SettingsSources sources{.file = file};
    auto loaded = load_settings(sources);
    REQUIRE(loaded.ok());
    reload = std::make_unique<Reload>(*std::move(loaded), sources,
                                      [this](auto policy) { taken = std::move(policy); });
  }
  ~Reloaded() { os::configure_log(os::LogLevel::info, os::LogFormat::automatic); }

  /// Whether a look saw it; by another way than the time of the file, which may stand still.
  bool change(const std::string& text) {
    fs::remove(file + ".old");
    fs::rename(file, file + ".old");
    folder.write("cairn.yaml", text);
    log.clear();
    taken = nullptr;
    return reload->look();
  }
};

}  // namespace

TEST_CASE("reload: a new policy is taken from a changed file, and nothing where nothing changed") {
  Reloaded app;
  CHECK_FALSE(app.reload->look());
  CHECK(app.change("rate_limit: { plans: { user: 20 }, shadow: true }\n"));
  REQUIRE(app.taken != nullptr);
  CHECK(app.taken->plans.user == 20u);
  CHECK(app.taken->shadow);
  CHECK(app.log.find("settings reloaded") != std::string::npos);
  CHECK_FALSE(app.reload->look());
  app.taken = nullptr;
  CHECK(app.reload->now().reloaded);  // SIGHUP
  CHECK(app.taken == nullptr);
}

TEST_CASE("reload: a file of conf.d that comes counts") {
  Reloaded app;
  app.folder.write("conf.d/x.yaml", "rate_limit: { plans: { user: 30 } }\n");
  CHECK(app.reload->look());
  REQUIRE(app.taken != nullptr);
  CHECK(app.taken->plans.user == 30u);
}

TEST_CASE("reload: of settings that cannot be, nothing is taken, and the log says why") {
  Reloaded app;
  for (const char* text :
       {"rate_limit: { plans: { user: 40, usr: 1 } }\n", "rate_limit: { plans: {",
        "rate_limit: { plans: { user: 40 } }\nlisten: { api: nowhere }\n",
        "rate_limit: { plans: { user: 40 } }\nhttp: { workers: 1 }\n"}) {
    CAPTURE(std::string(text));
    CHECK(app.change(text));
    CHECK(app.taken == nullptr);
    CHECK(app.log.find("settings not reloaded") != std::string::npos);
  }
  fs::remove(app.file);
  CHECK(app.reload->look());
  CHECK(app.taken == nullptr);
  app.folder.write("cairn.yaml", "rate_limit: { plans: { user: 41 } }\n");
  CHECK(app.reload->look());
  REQUIRE(app.taken != nullptr);
  CHECK(app.taken->plans.user == 41u);
}

TEST_CASE("reload: the level of the log changes; what needs a restart is told, each time") {
  Reloaded app;
  CHECK(app.change("log: { level: error }\nrate_limit: { plans: { user: 10 } }\n"));
  CHECK(app.taken == nullptr);
  app.log.clear();
  os::log(os::LogLevel::info, "app", "not written");
  CHECK(app.log.empty());
  CHECK(
      app.change("log: { level: info }\nhttp: { max_workers: 99 }\n"
                   "rate_limit: { plans: { user: 50 }, max_identities: 77 }\n"));
  REQUIRE(app.taken != nullptr);
  CHECK(app.taken->plans.user == 50u);
  for (int i = 0; i < 2; ++i) {
    CHECK(app.log.find("need a restart") != std::string::npos);
    CHECK(app.log.find("http.max_workers") != std::string::npos);
    CHECK(app.log.find("rate_limit.max_identities") != std::string::npos);
    app.log.clear();
    CHECK(app.reload->now().reloaded);
  }
}

}  // namespace limit_settings_test
