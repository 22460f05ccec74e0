// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"

#include <cstdio>

#include "api/routes/cluster/catalogue_routes.h"
#include "app/commands/add_folder_command.h"
#include "app/commands/admin_key_command.h"
#include "app/commands/audit_command.h"
#include "app/commands/backup_command.h"
#include "app/commands/mirror_command.h"
#include "app/commands/doctor_command.h"
#include "app/commands/engine_command.h"
#include "app/commands/init_command.h"
#include "app/objects/object_operations.h"
#include "app/routes.h"
#include "app/serve.h"
#include "app/settings/limit_settings.h"
#include "app/version.h"
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/manual.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "connectors/isolation/extract_child.h"
#include "os/log.h"
#include "s3api/service.h"

namespace cairn::app {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view config_usage =
    "usage: cairn config check|print|schema|example [--config FILE] [--data DIR] [--set "
    "KEY=VALUE]...\n"
    "                    [--test-identities]\n"
    "check: says what is wrong. print: what holds, and where it comes from. schema: JSON Schema, "
    "for\n"
    "editors. example: a cairn.yaml with every setting, commented out.\n";

constexpr std::string_view routes_usage = "usage: cairn routes [--objects] [--json]\n";
constexpr std::string_view completion_usage =
    "usage: cairn completion bash|zsh|fish\n"
    "bash: source <(cairn completion bash), or put it into "
    "~/.local/share/bash-completion/completions/cairn\n";
constexpr std::string_view help_usage =
    "usage: cairn help [--man] [COMMAND]\n"
    "--man: the manual page, for man -l; --man cairn.yaml: that of the settings.\n";

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int print_help() {
  std::vector<cli::CommandHelp> all = {
      {"cairn serve [options]", "runs search, inference and object storage"},
      {"cairn config check|print|schema|example", "looks at the settings, without a server"},
      {"cairn doctor [options]", "looks at this installation, and says what to do"},
      {"cairn init tls [FOLDER]", "certificates of an authority of one's own"},
      {"cairn backup create|list|verify|restore …", "copies of all that a server keeps, and back"},
      {"cairn engine verify DATA_FOLDER", "reads all of a data folder, and tells what is damaged"},
      {"cairn engine upgrade DATA_FOLDER", "makes a folder of an older version one of this program"},
      {"cairn mirror status|fill|leave|keep …", "the data folder on two disks: data.mirror"},
      {"cairn audit verify DATA_FOLDER|EXPORT", "tells what was changed in the audit log"},
      {"cairn routes [--objects] [--json]", "the table of routes; the operations on objects"},
      {"cairn version", "the version of this program"},
      {"cairn completion bash|zsh|fish", "completion of these words in a shell"},
      {"cairn help --man [cairn.yaml]", "the manual page of the program, or of its settings"},
  };
  for (auto& one : cli::command_help()) all.push_back(std::move(one));
  print("Cairn: search, inference and object storage in one program.\n\n");
  for (const auto& one : all) std::printf("  %-44s %s\n", one.usage.c_str(), one.summary.c_str());
  print("\nA command and --help tells more.\n");
  return cli::success;
}

std::vector<cli::CommandPage> all_pages() {
  std::vector<cli::CommandPage> all = {
      {"serve", std::string(serve_help())},   {"config", std::string(config_usage)},
      {"doctor", std::string(doctor_help())}, {"init", std::string(init_help())},
      {"backup", std::string(backup_help())}, {"engine", std::string(engine_help())},
      {"audit", std::string(audit_help())},   {"mirror", std::string(mirror_help())},
      {"routes", std::string(routes_usage)},  {"completion", std::string(completion_usage)},
      {"help", std::string(help_usage)},      {"version", "usage: cairn version\n"}};
  for (auto& page : cli::command_pages()) all.push_back(std::move(page));
  return all;
}

int help_command(const Words& words) {
  if (words.empty()) return print_help();
  if (words[0] == "--man" && words.size() == 1) {
    print(cli::program_manual(all_pages(), version));
    return cli::success;
  }
  if (words[0] == "--man" && words.size() == 2 && words[1] == "cairn.yaml") {
    print(settings_manual());
    return cli::success;
  }
  for (const auto& page : all_pages())
    if (words.size() == 1 && page.noun == words[0]) {
      print(page.text);
      return cli::success;
    }
  return cli::misused("there is no help on [" + join(words, " ") + "]", help_usage);
}

int completion_command(const Words& words) {
  if (cli::asks_for_help(words)) {
    print(completion_usage);
    return cli::success;
  }
  const auto script = cli::completion_script(words.empty() ? "" : words[0], all_pages());
  if (!script.ok() || words.size() != 1)
    return cli::misused(script.ok() ? "one shell, please" : script.error().message,
                        completion_usage);
  print(*script);
  return cli::success;
}

int print_settings(const LoadedSettings& loaded) {
  std::vector<cli::Row> rows;
  for (const auto& setting : setting_table())
    rows.push_back({setting.key, setting.get(loaded.settings), loaded.origins.at(setting.key)});
  for (auto& row : s3_client_rows(loaded.settings.s3_clients)) {
    std::string origin = loaded.origins.at(row.key);
    rows.push_back({std::move(row.key), std::move(row.value), std::move(origin)});
  }
  for (auto& row : limit_rows(*loaded.settings.limits)) {
    std::string origin = limit_origin(loaded.origins, row.key);
    rows.push_back({std::move(row.key), std::move(row.text), std::move(origin)});
  }
  cli::print_table({"SETTING", "VALUE", "FROM"}, rows);
  return cli::success;
}

/// The routes of both listeners, those of tests too, whether or not they are served.
Status check_limit_rules(const ratelimit::Policy& policy) {
  if (policy.points.routes.empty() && policy.rules.empty()) return ok_status();
  std::vector<ratelimit::RouteFacts> facts;
  for (const auto& route : all_routes(true))
    facts.push_back({.method = route.method, .path = route.path});
  for (const auto& route : s3api::Service::routes())
    facts.push_back({.method = route.method, .path = route.path});
  return ratelimit::check_rules(policy, facts);
}

int config_command(const Words& words, const Words& environment) {
  const std::string verb = words.empty() ? "" : words[0];
  if (verb == "schema" && words.size() == 1) {
    print(settings_schema().dump(true) + "\n");
    return cli::success;
  }
  if (verb == "example" && words.size() == 1) {
    print(settings_example());
    return cli::success;
  }
  if (verb != "check" && verb != "print") {
    const bool help = cli::asks_for_help(words);
    std::fputs(std::string(config_usage).c_str(), help ? stdout : stderr);
    return help ? cli::success : cli::usage_error;
  }
  const auto loaded =
      settings_of_words({words.begin() + 1, words.end()}, environment, config_usage);
  if (!loaded.settings) return loaded.exit_code;
  if (verb == "print") return print_settings(*loaded.settings);
  if (const Status rules = check_limit_rules(*loaded.settings->settings.limits); !rules.ok()) {
    std::fprintf(stderr, "cairn: %s\n", rules.error().message.c_str());
    return cli::configuration_error;
  }
  std::fprintf(stderr, "the settings are valid\n");
  return cli::success;
}

cli::Row row_of(const gate::Route& route) {
  std::string privileges = join(route.cluster, ",");
  if (!route.index_privilege.empty())
    privileges += (privileges.empty() ? "index:" : " or index:") + route.index_privilege;
  return {route.method,
          route.path,
          route.operation,
          route.open           ? "open"
          : privileges.empty() ? "any key"
                               : privileges,
          route.resource.empty() ? "-" : route.resource,
          std::to_string(gate::usual_points(route)),
          route.content ? "content" : "-",
          std::string(gate::name_of(route.stability)),
          route.since};
}

int routes_command(const Words& words) {
  bool json = false, objects = false;
  for (const auto& word : words) {
    if (word == "--json") {
      json = true;
    } else if (word == "--objects") {
      objects = true;
    } else {
      const bool help = word == "--help" || word == "-h";
      std::fputs(std::string(routes_usage).c_str(), help ? stdout : stderr);
      return help ? cli::success : cli::usage_error;
    }
  }
  if (objects) return print_object_operations(json);
  const auto routes = all_routes();
  if (json) {
    print(api::route_list(routes).dump(true) + "\n");
    return cli::success;
  }
  std::vector<cli::Row> rows;
  for (const auto& route : routes) rows.push_back(row_of(route));
  cli::print_table({"METHOD", "PATH", "OPERATION", "PRIVILEGE", "RESOURCE", "POINTS", "CONTENT",
                    "STABILITY", "SINCE"},
                   rows);
  return cli::success;
}

}  // namespace

SettingsOrExit settings_of_words(const Words& words, const Words& environment,
                                 std::string_view usage) {
  if (cli::asks_for_help(words)) {
    print(usage);
    return {.settings = {}, .exit_code = cli::success};
  }
  const auto misused = [&](const std::string& why) -> SettingsOrExit {
    std::fprintf(stderr, "cairn: %s\n%s", why.c_str(), std::string(usage).c_str());
    return {.settings = {}, .exit_code = cli::usage_error};
  };
  const auto arguments =
      cli::Arguments::parse(words, {.options = {"--data", "--store", "--config", "--api-listen",
                                                "--objects-listen", "--ready-file", "--set"},
                                    .flags = {"--test-routes", "--test-identities"}});
  if (!arguments.ok()) return misused(arguments.error().message);
  SettingsSources sources{.file = arguments->option("--config").value_or(""),
                          .environment = environment,
                          .flags = {},
                          .test = {.routes = arguments->flag("--test-routes"),
                                   .identities = arguments->flag("--test-identities")}};
  auto& flags = sources.flags;
  const std::pair<std::string, std::string> short_forms[] = {
      {"--data", "data.dir"},
      {"--store", "store.url"},
      {"--api-listen", "listen.api"},
      {"--objects-listen", "listen.objects"}};
  for (const auto& [flag, key] : short_forms)
    if (const auto value = arguments->option(flag))
      flags.push_back({.key = key, .text = *value, .origin = flag});
  for (const auto& set : arguments->options("--set")) {
    const auto equals = set.find('=');
    if (equals == std::string::npos) return misused("--set takes KEY=VALUE");
    flags.push_back(
        {.key = set.substr(0, equals), .text = set.substr(equals + 1), .origin = "--set"});
  }
  auto loaded = load_settings(sources);
  if (!loaded.ok()) {
    std::fprintf(stderr, "cairn: %s\n", loaded.error().message.c_str());
    const bool missing = loaded.error().kind == ErrorKind::not_found;
    return {.settings = {}, .exit_code = missing ? cli::no_input : cli::configuration_error};
  }
  loaded->settings.ready_file = arguments->option("--ready-file").value_or("");
  return {.settings = *std::move(loaded), .exit_code = cli::success, .sources = std::move(sources)};
}

int run(const Words& words, const Words& environment) {
  const std::string noun = words.empty() ? "help" : words[0];
  const Words rest(words.begin() + (words.empty() ? 0 : 1), words.end());
  if (noun == "help" || noun == "--help" || noun == "-h") return help_command(rest);
  if (noun == "completion") return completion_command(rest);
  if (noun == "version" || noun == "--version") {
    std::printf("cairn %s\n", version);
    return cli::success;
  }
  if (noun == "serve") return serve(rest, environment);
  // For the server alone: it starts itself to read files that strangers made.
  if (noun == "extract-child") return connectors::run_extract_child(rest);
  if (noun == "config") return config_command(rest, environment);
  if (noun == "routes") return routes_command(rest);
  if (noun == "doctor") return doctor_command(rest, environment);
  if (noun == "init") return init_command(rest);
  if (noun == "engine") return engine_command(rest);
  if (asks_for_admin_key(words))
    return admin_key_command({words.begin() + 2, words.end()}, environment);
  const cli::Environment lookup = [&](std::string_view name) -> std::optional<std::string> {
    for (const auto& entry : environment)
      if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
        return entry.substr(name.size() + 1);
    return std::nullopt;
  };
  if (noun == "backup") return backup_command(rest, environment, lookup);
  if (noun == "mirror") return mirror_command(rest, environment, lookup);
  if (noun == "audit") return audit_command(rest, lookup);
  if (noun == "add") return add_folder_command(rest, lookup);
  if (const auto status = cli::run(words, lookup)) return *status;
  std::fprintf(stderr, "cairn: unknown command %s; `cairn help` lists them\n", noun.c_str());
  return cli::usage_error;
}

}  // namespace cairn::app
