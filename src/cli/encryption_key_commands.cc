// SPDX-License-Identifier: Apache-2.0
#include "cli/encryption_key_commands.h"

#include <cstdio>

#include "base/encode.h"
#include "base/strings.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace cairn::cli {
namespace {

constexpr std::string_view path = "/_security/encryption_key";

std::string path_of(const std::string& id) { return std::string(path) + "/" + percent_encode(id); }

std::string texts_of(const Json* list) {
  std::vector<std::string> texts;
  if (list != nullptr && list->is_array())
    for (const Json& one : list->as_array())
      if (one.is_string()) texts.push_back(one.as_string());
  return texts.empty() ? "-" : join(texts, ",");
}

}  // namespace

int create_encryption_key(const Arguments& arguments, Connection& connection) {
  Json body = Json::object();
  if (const auto account = arguments.option("--account")) body.set("account", *account);
  if (const auto text = arguments.option("--description")) body.set("description", *text);
  const auto aliases = arguments.options("--alias");
  if (!aliases.empty()) body.set("aliases", Json::array_of(aliases));
  const auto answer = connection.ask("POST", std::string(path), &body);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  if (arguments.flag("--json"))
    print_json(answer->body);
  else
    std::printf("%s\n", answer->body.string_or("arn").c_str());
  return success;
}

int list_encryption_keys(const Arguments& arguments, Connection& connection) {
  std::string target(path);
  if (const auto account = arguments.option("--account"))
    target += "?account=" + percent_encode(*account);
  const auto answer = connection.ask("GET", target);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  const Json* keys = answer->body.find("encryption_keys");
  if (arguments.flag("--json") || keys == nullptr || !keys->is_array()) {
    print_json(answer->body);
    return success;
  }
  std::vector<Row> rows;
  for (const Json& key : keys->as_array())
    rows.push_back({key.string_or("id"), key.string_or("account"), texts_of(key.find("aliases")),
                    key.bool_or("enabled") ? "enabled" : "disabled", key.string_or("description")});
  print_table({"KEY", "ACCOUNT", "ALIASES", "STATE", "DESCRIPTION"}, rows);
  return success;
}

int set_encryption_key_enabled(const Arguments& arguments, Connection& connection, bool enabled) {
  const Json body = Json::object({{"enabled", enabled}});
  std::size_t done = 0;
  int status = success;
  for (const std::string& id : arguments.words()) {
    const auto answer = connection.ask("PUT", path_of(id), &body);
    if (answer.ok() && answer->status == 200)
      ++done;
    else
      status = answer.ok() ? explain(*answer) : explain(answer.error());
  }
  std::fprintf(stderr, "%zu of %zu keys %s\n", done, arguments.words().size(),
               enabled ? "enabled" : "disabled");
  if (done == arguments.words().size()) return success;
  return done == 0 ? status : partly_failed;
}

int change_encryption_key_aliases(const Arguments& arguments, Connection& connection) {
  const Json body =
      Json::object({{"add_aliases", Json::array_of(arguments.options("--add"))},
                    {"remove_aliases", Json::array_of(arguments.options("--remove"))}});
  const auto answer = connection.ask("PUT", path_of(arguments.words()[0]), &body);
  if (!answer.ok()) return explain(answer.error());
  if (answer->status != 200) return explain(*answer);
  if (arguments.flag("--json"))
    print_json(answer->body);
  else
    std::printf("%s\n", texts_of(answer->body.find("aliases")).c_str());
  return success;
}

}  // namespace cairn::cli
