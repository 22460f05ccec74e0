// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "base/encode.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "format/time.h"

namespace cairn::cli {
namespace {

constexpr std::string_view limits_usage =
    "usage: cairn limits status [--json]\n"
    "       cairn limits show IDENTITY [--json]\n"
    "       cairn limits reset IDENTITY... [--json]\n"
    "       cairn limits policy\n"
    "IDENTITY: user:NAME, ip:ADDRESS, inst:ID, app:ID, wf:REPOSITORY, service:ID, key:ID\n"
    "every command: [--server URL] [--key-file FILE] [--ca-file FILE] [--certificate-file FILE]\n";

std::string limits_path(const std::string& identity) {
  return "/_cairn/limits/" + percent_encode(identity, ":");
}

/// Objects with limit, used, remaining and reset, one row each.
void print_windows(const Json& resources) {
  std::vector<Row> rows;
  for (const auto& [name, window] : resources.as_object())
    rows.push_back({name, std::to_string(window.int_or("limit")),
                    std::to_string(window.int_or("used")),
                    std::to_string(window.int_or("remaining")),
                    format_iso8601(window.int_or("reset") * 1000)});
  print_table({"RESOURCE", "LIMIT", "USED", "REMAINING", "RESETS"}, rows, Heads::always);
}

int status(const Arguments& arguments, Connection& connection) {
  const auto answer = connection.ask("GET", "/rate_limit");
  if (!answer.ok()) return explain(answer.error());
  if (answer->status == 404) {
    std::fprintf(stderr, "cairn: limits are switched off on this server\n");
    return failed;
  }
  if (answer->status != 200) return explain(*answer);
  const Json* resources = answer->body.find("resources");
  if (arguments.flag("--json") || resources == nullptr || !resources->is_object())
    print_json(answer->body);
  else
    print_windows(*resources);
  return success;
}

int show_limits(const Arguments& arguments, Connection& connection) {
  const auto answer = connection.ask("GET", limits_path(arguments.words()[0]));
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  const Json* windows = answer->body.find("windows");
  if (arguments.flag("--json") || windows == nullptr || !windows->is_object()) {
    print_json(answer->body);
    return success;
  }
  print_windows(*windows);
  for (const auto& [name, value] : answer->body.as_object())
    if (name != "windows")
      std::printf("%s\t%s\n", name.c_str(),
                  value.is_string() ? value.as_string().c_str() : value.dump().c_str());
  return success;
}

int reset(const Arguments& arguments, Connection& connection) {
  std::size_t done = 0;
  int worst = success;
  for (const auto& identity : arguments.words()) {
    const auto answer = connection.ask("DELETE", limits_path(identity));
    if (!answer.ok()) return explain(answer.error());
    if (answer->status != 200) {
      worst = explain(*answer);
      continue;
    }
    ++done;
    if (arguments.flag("--json"))
      print_json(answer->body);
    else
      std::fprintf(stderr, "%s: %s\n", identity.c_str(),
                   answer->body.bool_or("found") ? "reset" : "nothing was counted");
  }
  return worst == success || done == 0 ? worst : partly_failed;
}

int policy(const Arguments&, Connection& connection) {
  const auto answer = connection.ask("GET", "/_cairn/limits");
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  print_json(answer->body);
  return success;
}

const std::vector<Verb>& limits_verbs() {
  static const std::vector<Verb> all = {
      {"status", {.options = {}, .flags = {"--json"}}, status},
      {"show", {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1}, show_limits},
      {"reset", {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1000}, reset},
      {"policy", {.options = {}, .flags = {"--json"}}, policy},
  };
  return all;
}

}  // namespace

int limits_command(const std::vector<std::string>& words, const Environment& environment) {
  return run_noun({.name = "limits", .usage = limits_usage, .verbs = limits_verbs()}, words,
                  environment);
}

CommandPage limits_page() { return {"limits", std::string(limits_usage)}; }

}  // namespace cairn::cli
